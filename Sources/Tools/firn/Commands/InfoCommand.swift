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
        let isTable = !exif && Terminal(descriptor: 1).isTerminal
        let batch = SourceBatch(
            items: list.items, form: report.form == .lines && isTable ? .table : report.form, jobs: report.jobs,
            redaction: options.redaction)
        let showsPages = report.json
        let isFine = await batch.run { [exif] source, _ in
            try await reader.read(source) { ImageDescription($0, showsEXIF: exif, showsPages: showsPages) }
        }
        reader.finish()
        if !report.quiet { list.reportLeftOut() }
        if !isFine { throw ExitCode.someFailed }
    }
}

/// The result of `firn info` for one file.
struct ImageDescription: ImageFinding {
    private let properties: ImageProperties
    private let bytes: Int
    /// The EXIF data; `nil` if it was not requested.
    private let exif: ExifFields?
    /// The pages of a file that holds several; empty for others, and for lines of text.
    private let pages: [ImageProperties]
    let damage: String?

    /// - Parameters:
    ///   - showsEXIF: whether EXIF data is included.
    ///   - showsPages: whether pages are described.
    init(_ file: ImageFile, showsEXIF: Bool, showsPages: Bool) {
        properties = file.properties
        bytes = file.bytes
        damage = file.damage
        exif = showsEXIF ? file.properties.exif.map { ExifFields($0) } : nil
        let hasPages = showsPages && properties.frameCount > 1 && properties.frameDurations == nil
        // A damaged page has the properties of the file.
        pages = (0..<(hasPages ? properties.frameCount : 0)).map {
            (try? file.properties(ofPage: $0)) ?? file.properties
        }
    }

    var fields: [(name: String, value: JSONValue)] {
        let image = ImageDescription.fields(properties)
        var fields: [(name: String, value: JSONValue)] = [("format", .string(properties.format.rawValue))]
        fields += image.size
        fields += [
            ("frames", .int(properties.frameCount)),
            (
                "durationsMs",
                properties.frameDurations.map { .array($0.map { .int($0.wholeMilliseconds) }) }
                    ?? .null
            ),
            ("loopCount", JSONValue(properties.loopCount)),
        ]
        fields += image.samples
        fields += [("progressive", .bool(properties.isProgressive)), ("bytes", .int(bytes))]
        fields += image.profile
        if let exif { fields.append(("exif", exif.json)) }
        if let damage { fields.append(("damage", .string(damage))) }
        fields += image.resolution
        if properties.hasGainMap { fields.append(("gainMap", true)) }
        if !pages.isEmpty {
            let pages = pages.map { ImageDescription.fields($0) }
            fields.append(("pages", .array(pages.map { .object($0.size + $0.samples + $0.profile + $0.resolution) })))
        }
        return fields
    }

    private typealias Fields = [(name: String, value: JSONValue)]

    /// The fields of a file and of a page.
    private static func fields(
        _ properties: ImageProperties
    ) -> (size: Fields, samples: Fields, profile: Fields, resolution: Fields) {
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
            profile: properties.colorProfile == nil ? [] : [("colorProfile", true)],
            resolution: resolution.map { [("resolution", $0)] } ?? []
        )
    }

    func lines(_ name: String) -> [String] {
        var parts = ["\(properties.displaySize)", "\(properties.bitDepth)-bit \(properties.colorSpace)"]
        parts += traits
        if properties.frameCount > 1 { parts.append("\(properties.frameCount) frames") }
        parts.append(ByteText.text(bytes))
        return ["\(name): \(properties.format) \(parts.joined(separator: ", "))"]
            + (exif?.fields ?? []).map { "  \($0.name): \($0.text)" }
    }

    /// Properties that not every image has.
    private var traits: [String] {
        var traits: [String] = []
        if properties.hasAlpha { traits.append("alpha") }
        if properties.isProgressive { traits.append("progressive") }
        if properties.orientation != .up { traits.append("orientation \(properties.orientation.rawValue)") }
        if properties.colorProfile != nil { traits.append("color profile") }
        if properties.hasGainMap { traits.append("gain map") }
        if damage != nil { traits.append("damaged") }
        return traits
    }

    static let columns = [
        TextTable.Column("name", alignment: .left), TextTable.Column("format", alignment: .left),
        TextTable.Column("width"), TextTable.Column("height"), TextTable.Column("frames"),
        TextTable.Column("bytes"), TextTable.Column("pixels", alignment: .left),
        TextTable.Column("besides", alignment: .left),
    ]

    func cells(_ name: String) -> [String] {
        let display = properties.displaySize
        return [
            name, "\(properties.format)", "\(display.width)", "\(display.height)", "\(properties.frameCount)",
            ByteText.text(bytes), "\(properties.bitDepth)-bit \(properties.colorSpace)",
            traits.joined(separator: ", "),
        ]
    }
}
