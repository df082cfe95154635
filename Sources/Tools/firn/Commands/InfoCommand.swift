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

    @Flag(help: "Print the fields of EXIF data, XMP and IPTC records. --json prints them anyway.")
    var exif = false

    @OptionGroup(title: "Sources")
    var options: SourceOptions

    @OptionGroup
    var report: ReportOptions

    @Argument(help: SourceOptions.sourcesHelp, completion: .file())
    var sources: [String]

    func run() async throws {
        let list = SourceList(sources, headers: options.headers)
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
        let pixels = "\(properties.bitDepth)-bit \(properties.colorSpace)"
        let traits = InfoCommand.traits(properties) + (damage == nil ? [] : ["damaged"])
        let frames = properties.frameCount > 1 ? ["\(properties.frameCount) frames"] : []
        let parts = ["\(display)", pixels] + traits + frames + [ByteText.text(file.bytes)]
        return Finding(
            fields: report.json ? InfoCommand.fields(properties, of: file, damage) : [],
            lines: ["\(name): \(properties.format) \(parts.joined(separator: ", "))"]
                + (exif ? InfoCommand.lines(properties.metadata) : []),
            cells: [
                name, "\(properties.format)", "\(display.width)", "\(display.height)", "\(properties.frameCount)",
                ByteText.text(file.bytes), pixels, traits.joined(separator: ", "),
            ],
            damage: damage)
    }

    /// Returns the fields that people read most, then all fields by their names in ExifTool.
    private static func lines(_ metadata: ImageMetadata) -> [String] {
        let first = metadata.fields.map { "\($0.name): \(TerminalText.escaped($0.text))" }
        return (first + metadata.lines.filter { !first.contains($0) }).map { "  \($0)" }
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
        _ properties: ImageProperties, of file: ImageFile? = nil, _ damage: String? = nil
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
            "colorProfile": properties.colorProfile == nil ? nil : true, "damage": damage,
            "resolution": resolution, "gainMap": isFile ? properties.gainMap.map(json) : nil,
            "pages": pages.isEmpty ? nil : pages, "schema": isFile ? schema : nil,
            "profile": properties.colorProfile.map(json), "light": json(properties.light),
            "packets": isFile ? packets(properties) : nil, "texts": isFile ? texts(properties) : nil,
            "metadata": isFile ? present(properties.metadata.json) : nil,
        ])
    }

    /// The version of the fields: incremented when the meaning of one changes.
    private static let schema = 1

    private static func json(_ map: ImageGainMap) -> JSONValue {
        [
            "kind": map.kind, "headroom": map.headroom, "width": map.size?.width, "height": map.size?.height,
            "channels": map.channels,
        ]
    }

    private static func json(_ profile: ColorProfile) -> JSONValue {
        let model = profile.model.rawValue.lowercased().filter { $0 != " " }
        return ["name": profile.name, "model": model, "bytes": profile.icc.count]
    }

    private static func json(_ light: ImageLight) -> JSONValue? {
        present([
            "primaries": light.primaries, "transfer": light.transfer, "matrix": light.matrix,
            "fullRange": light.isFullRange, "dynamicRange": light.dynamicRange, "peak": light.peak,
            "masteringPeak": light.masteringPeak, "masteringBlack": light.masteringBlack,
            "maximumContentLight": light.maximumContentLight, "maximumAverageLight": light.maximumAverageLight,
        ])
    }

    /// The lengths of the packets of metadata.
    private static func packets(_ properties: ImageProperties) -> JSONValue? {
        present([
            "exif": properties.exif?.count, "xmp": properties.xmp?.count,
            "extendedXmp": properties.extendedXMP?.count, "iptc": properties.iptc?.count,
        ])
    }

    private static func texts(_ properties: ImageProperties) -> JSONValue? {
        present(.object(properties.texts.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
    }

    /// Returns an object; `nil` for an empty one.
    private static func present(_ object: JSONValue) -> JSONValue? {
        if case .object(let fields) = object, fields.isEmpty { nil } else { object }
    }
}
