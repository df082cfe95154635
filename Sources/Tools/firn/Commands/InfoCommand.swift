import ArgumentParser
import Firn
import FirnReport

struct InfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Describe images without decoding them.",
        discussion: """
            A source is a file, a folder (searched for images), a URL, @list.txt with a
            source a line, @- for such a list on the standard input, or - for an image on
            the standard input. The format is detected by content, not by name. Prints a
            table on a terminal, and a line for each source elsewhere and with --exif.

            A file whose structure shows that it is cut short is described, is reported
            on standard error, and makes the exit status 1. Pixels are not decoded:
            'firn decode --hash' finds damage in them.

            EXAMPLES
              firn info photo.jpg
              firn info --exif ~/Images
              firn info --json *.png | jq .width
              curl -s https://example.org/a.png | firn info -
            """)

    @Flag(help: "Print EXIF data: model, time, exposure, place.")
    var exif = false

    @OptionGroup(title: "Sources")
    var options: SourceOptions

    @OptionGroup
    var report: ReportOptions

    @Argument(help: SourceOptions.sourcesHelp, completion: .file())
    var sources: [String]

    func run() async throws {
        let list = SourceList(sources)
        let reader = try SourceReader(list.items, options)
        let isTable = !exif && report.form == .lines && Terminal(descriptor: 1).isTerminal
        let columns = ["name", "format", "width", "height", "frames", "bytes", "pixels", "besides"].map {
            TextTable.Column($0, alignment: ["width", "height", "frames", "bytes"].contains($0) ? .right : .left)
        }
        defer {
            reader.finish()
            if !report.quiet { list.reportLeftOut() }
        }
        try await SourceBatch(
            items: list.items, form: isTable ? .table : report.form, jobs: report.jobs, redaction: options.redaction,
            columns: columns
        ).run { [self] source, name, _ in try await reader.read(source) { description(of: $0, name) } }
    }

    private func description(of file: ImageFile, _ name: String) -> Finding {
        let properties = file.properties
        let damage = file.damage
        let display = properties.displaySize
        let shown = exif ? properties.exif.map { ExifFields($0) } : nil
        let pixels = "\(properties.bitDepth)-bit \(properties.colorSpace)"
        let traits = InfoCommand.traits(properties) + (damage == nil ? [] : ["damaged"])
        let frames = properties.frameCount > 1 ? ["\(properties.frameCount) frames"] : []
        let parts = ["\(display)", pixels] + traits + frames + [ByteText.text(file.bytes)]
        return Finding(
            fields: report.json ? InfoCommand.fields(file, shown, damage) : [],
            lines: ["\(name): \(properties.format) \(parts.joined(separator: ", "))"]
                + (shown?.fields ?? []).map { "  \($0.name): \($0.text)" },
            cells: [
                name, "\(properties.format)", "\(display.width)", "\(display.height)", "\(properties.frameCount)",
                ByteText.text(file.bytes), pixels, traits.joined(separator: ", "),
            ],
            damage: damage)
    }

    /// Properties that not every image has.
    private static func traits(_ properties: ImageProperties) -> [String] {
        [
            properties.hasAlpha ? "alpha" : nil, properties.isProgressive ? "progressive" : nil,
            properties.orientation != .up ? "orientation \(properties.orientation.rawValue)" : nil,
            properties.colorProfile != nil ? "color profile" : nil, properties.hasGainMap ? "gain map" : nil,
        ].compactMap(\.self)
    }

    private static func fields(_ file: ImageFile, _ exif: ExifFields?, _ damage: String?) -> JSONValue.Fields {
        let properties = file.properties
        let image = fields(properties)
        let durations = properties.frameDurations.map { $0.map { JSONValue.int($0.wholeMilliseconds) } }
        let hasPages = properties.frameCount > 1 && durations == nil
        let pages = (0..<(hasPages ? properties.frameCount : 0)).map { index -> JSONValue in
            // A damaged page has the properties of the file.
            let page = fields((try? file.properties(ofPage: index)) ?? properties)
            return .object(JSONValue.present(page.size + page.samples + [page.profile, page.resolution]))
        }
        var all: [(name: String, value: JSONValue?)] = [("format", .string(properties.format.rawValue))] + image.size
        all += [
            ("frames", .int(properties.frameCount)), ("durationsMs", durations.map { .array($0) } ?? .null),
            ("loopCount", JSONValue(properties.loopCount)),
        ]
        all += image.samples
        all += [
            ("progressive", .bool(properties.isProgressive)), ("bytes", .int(file.bytes)), image.profile,
            ("exif", exif?.json), ("damage", damage.map { .string($0) }), image.resolution,
            ("gainMap", properties.hasGainMap ? true : nil), ("pages", hasPages ? .array(pages) : nil),
        ]
        return JSONValue.present(all)
    }

    private typealias Field = (name: String, value: JSONValue?)

    /// The fields of a file and of a page.
    private static func fields(
        _ properties: ImageProperties
    ) -> (size: [Field], samples: [Field], profile: Field, resolution: Field) {
        let display = properties.displaySize
        func rounded(_ pixels: Double) -> JSONValue { .double((pixels * 100).rounded() / 100) }
        let resolution = properties.resolution.map {
            JSONValue.object([("x", rounded($0.horizontal)), ("y", rounded($0.vertical))])
        }
        return (
            size: [
                ("width", .int(properties.size.width)), ("height", .int(properties.size.height)),
                ("displayWidth", .int(display.width)), ("displayHeight", .int(display.height)),
                ("orientation", .int(properties.orientation.rawValue)),
            ],
            samples: [
                ("alpha", .bool(properties.hasAlpha)), ("bitDepth", .int(properties.bitDepth)),
                ("colorSpace", .string(properties.colorSpace)),
            ],
            profile: ("colorProfile", properties.colorProfile == nil ? nil : true),
            resolution: ("resolution", resolution)
        )
    }
}
