import FirnSync

struct PyramidCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pyramid",
        abstract: "Build tiles of large images for 'firn load --region'.",
        discussion: """
            Each image is decoded once and kept in the cache as tiles of 256 x 256 pixels, at full size and at each \
            half of it. 'firn load --region' then reads the tiles that meet the region. Tiles are not compressed: they \
            take 5.4 bytes per pixel of the image. The tiles of a sequential JPEG start at a quarter of the size and \
            take 0.34 bytes per pixel; larger regions are decoded from the file, with an index of its parts that is \
            kept with the tiles. After a file has changed, its tiles have to be built again. 'firn cache' lists and \
            removes tiles.

            EXAMPLES
              firn pyramid map.jpg
              firn pyramid --json scan.png --limits pixels=1G,time=600 | jq .bytes
              firn load map.jpg --region 30000,12000,1024x1024 -o part.png --format png
            """)

    @Flag(help: "Print one JSON object for each image, with its levels and their bytes.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print failures only.")
    var quiet = false

    @OptionGroup(title: "Sources")
    var options: SourceOptions

    @OptionGroup
    var isolation: IsolationOptions

    @Argument(help: SourceOptions.sourcesHelp, completion: .file())
    var sources: [String]

    func validate() throws {
        if options.noCache { throw ValidationError("Tiles are kept in the cache, which --no-cache excludes.") }
    }

    func run() async throws {
        let setting = try LoadEnvironment(options, usesTiles: true)
        let list = SourceList(sources, headers: options.headers)
        defer {
            setting.finish()
            if !quiet { list.reportLeftOut() }
        }
        try await SourceBatch(
            items: list.items, form: json ? .json : quiet ? .nothing : .lines, jobs: 1, redaction: options.redaction,
            sourceField: "source"
        ).run { source, name, _ in try await build(source, name, setting.pipeline) }
    }

    private func build(_ source: LoadSource, _ name: String, _ pipeline: ImagePipeline) async throws -> Finding {
        let start = ContinuousClock.now
        let bar = ProgressBar("Tiles of \(source.label)", total: 1000, isShown: quiet ? false : nil)
        defer { bar.finish() }
        let interruption = SignalHandler(cleanUp: { bar.finish() })
        defer { withExtendedLifetime(interruption) {} }
        let task = try pipeline.pyramidTask(for: source.request)
        var drawn = 0
        for await progress in task.progressUpdates {
            let done = Int(saturating: progress.fraction * 1000)
            if done > drawn { bar.advance(by: done - drawn) }
            drawn = max(done, drawn)
        }
        let pyramid = try await task.pyramid
        let duration = start.duration(to: .now)
        let (size, shape) = (pyramid.displaySize, pyramid.shape)
        let levels = shape.levels.enumerated().map { level, size -> JSONValue in
            let isStored = shape.stored.contains(level)
            return [
                "width": size.width, "height": size.height,
                "tiles": isStored ? shape.columns(level) * shape.rows(level) : 0,
                "bytes": isStored ? size.area * PyramidShape.bytesPerPixel : 0,
            ]
        }
        let parts = [
            "\(size)", CountText.text(shape.levels.count, "level", "levels"),
            CountText.text(shape.tileCount, "tile", "tiles"), ByteText.text(shape.byteCount),
            pyramid.wasStored ? "there before" : DurationText.text(duration),
        ]
        return Finding(
            fields: JSONValue.fields([
                "width": size.width, "height": size.height, "tileSide": PyramidShape.side, "bytes": shape.byteCount,
                "wasStored": pyramid.wasStored, "levels": levels,
            ]),
            lines: ["\(name): \(parts.joined(separator: ", "))"])
    }
}
