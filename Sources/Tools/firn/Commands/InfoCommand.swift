import ArgumentParser
import Firn
import FirnReport

struct InfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Describe images without decoding them.",
        discussion: """
            \(SourceOptions.kinds) The format is detected by content, not by name. Prints a table on a terminal, and a \
            line for each source elsewhere and with --exif.

            A file whose structure shows that it is truncated is described and reported on standard error, and the \
            exit status is 1. Pixels are not decoded: 'firn decode --hash' finds damage in them.

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
            fields: report.json ? InfoCommand.fields(properties, of: file, shown, damage) : [],
            lines: ["\(name): \(properties.format) \(parts.joined(separator: ", "))"]
                + (shown?.fields ?? []).map { "  \($0.name): \($0.text)" },
            cells: [
                name, "\(properties.format)", "\(display.width)", "\(display.height)", "\(properties.frameCount)",
                ByteText.text(file.bytes), pixels, traits.joined(separator: ", "),
            ],
            damage: damage)
    }

    /// Returns the properties that not every image has.
    private static func traits(_ properties: ImageProperties) -> [String] {
        [
            properties.hasAlpha ? "alpha" : nil, properties.isProgressive ? "progressive" : nil,
            properties.orientation != .up ? "orientation \(properties.orientation.rawValue)" : nil,
            properties.colorProfile != nil ? "color profile" : nil, properties.hasGainMap ? "gain map" : nil,
        ].compactMap(\.self)
    }

    /// The fields of a file; without `file`, those of a page.
    private static func fields(
        _ properties: ImageProperties, of file: ImageFile? = nil, _ exif: ExifFields? = nil, _ damage: String? = nil
    ) -> JSONValue.Fields {
        let (isFile, size, display) = (file != nil, properties.size, properties.displaySize)
        let durations = properties.frameDurations?.map(\.wholeMilliseconds)
        var pages: [JSONValue] = []
        if let file, durations == nil, properties.frameCount > 1 {
            // A damaged page has the properties of the file.
            pages = (0..<properties.frameCount).map {
                .object(fields((try? file.properties(ofPage: $0)) ?? properties))
            }
        }
        func rounded(_ pixels: Double) -> Double { (pixels * 100).rounded() / 100 }
        let resolution = properties.resolution.map {
            ["x": rounded($0.horizontal), "y": rounded($0.vertical)] as JSONValue
        }
        return JSONValue.fields([
            "format": isFile ? properties.format.rawValue : nil, "width": size.width, "height": size.height,
            "displayWidth": display.width, "displayHeight": display.height,
            "orientation": properties.orientation.rawValue, "frames": isFile ? properties.frameCount : nil,
            "durationsMs": isFile ? JSONValue(durations) : nil,
            "loopCount": isFile ? JSONValue(properties.loopCount) : nil, "alpha": properties.hasAlpha,
            "bitDepth": properties.bitDepth, "colorSpace": properties.colorSpace,
            "progressive": isFile ? properties.isProgressive : nil, "bytes": file?.bytes,
            "colorProfile": properties.colorProfile == nil ? nil : true, "exif": exif, "damage": damage,
            "resolution": resolution, "gainMap": isFile && properties.hasGainMap ? true : nil,
            "pages": pages.isEmpty ? nil : pages,
        ])
    }
}
