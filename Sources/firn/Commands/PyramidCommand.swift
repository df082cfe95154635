import ArgumentParser
import Firn
import FirnReport
import FirnSync

/// `firn pyramid`: builds tiles of large images ahead.
struct PyramidCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pyramid",
        abstract: "Build tiles of large images, from which regions are loaded.",
        discussion: """
            Each image is decoded once and kept as tiles of 256 x 256 pixels, at full size
            and at each half of it, in the cache. 'firn load --region' then reads the tiles
            that meet the region. Tiles are not compressed: they take 5.4 bytes for each
            pixel of the image. A file that changes has to be built again. 'firn cache'
            lists and removes tiles.

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
        if options.noCache {
            throw ValidationError("Tiles are kept in the cache; --no-cache leaves no place for them.")
        }
    }

    func run() async throws {
        let setting = try LoadEnvironment(options, usesTiles: true)
        var hasFailed = false
        let list = SourceList(sources)
        for item in list.items {
            switch item {
            case .failure(let name, let reason):
                hasFailed = true
                report(name: QuotedText.of(name), fault: "source", message: reason)
            case .source(let source):
                if await !build(source, setting.pipeline) { hasFailed = true }
            }
        }
        setting.cache?.flush()
        if !quiet { list.reportLeftOut() }
        if hasFailed { throw ExitCode.someFailed }
    }

    /// Builds one pyramid, and returns whether that succeeded.
    private func build(_ source: LoadSource, _ pipeline: ImagePipeline) async -> Bool {
        let name = source.shownName(options.redaction)
        let start = ContinuousClock.now
        let bar = ProgressBar("Tiles of \(source.label)", total: 1000, isShown: quiet ? false : nil)
        let interruption = InterruptGuard { bar.finish() }
        defer { withExtendedLifetime(interruption) {} }
        do throws(ImageLoadingError) {
            let task = try pipeline.pyramidTask(for: source.request)
            var drawn = 0
            for await progress in task.progressUpdates {
                let done = Int(saturating: progress.fraction * 1000)
                if done > drawn { bar.advance(by: done - drawn) }
                drawn = max(done, drawn)
            }
            let pyramid = try await task.pyramid
            bar.finish()
            say(pyramid, name: name, jsonName: source.jsonName(options.redaction), start.duration(to: .now))
            return true
        } catch {
            bar.finish()
            let message = options.redaction.text(LimitsArgument.naming(error.message))
            report(name: name, fault: error.fault.rawValue, message: message)
            return false
        }
    }

    private func say(_ pyramid: TilePyramid, name: String, jsonName: String, _ duration: Duration) {
        if json {
            let levels = pyramid.levels.map { level -> JSONValue in
                .object([
                    ("width", .int(level.size.width)), ("height", .int(level.size.height)),
                    ("tiles", .int(level.tileCount)), ("bytes", .int(level.byteCount)),
                ])
            }
            StandardOutput.line(
                JSONValue.object([
                    ("source", .string(jsonName)), ("width", .int(pyramid.displaySize.width)),
                    ("height", .int(pyramid.displaySize.height)), ("tileSide", .int(pyramid.tileSide)),
                    ("bytes", .int(pyramid.byteCount)), ("wasStored", .bool(pyramid.wasStored)),
                    ("levels", .array(levels)),
                ]).text)
        } else if !quiet {
            let tiles = pyramid.levels.reduce(0) { $0 + $1.tileCount }
            StandardOutput.line(
                "\(name): \(pyramid.displaySize), \(CountText.text(pyramid.levels.count, "level", "levels")), "
                    + "\(CountText.text(tiles, "tile", "tiles")), \(ByteText.text(pyramid.byteCount)), "
                    + (pyramid.wasStored ? "there before" : DurationText.text(duration)))
        }
    }

    private func report(name: String, fault: String, message: String) {
        if json {
            StandardOutput.line(
                JSONValue.object([
                    ("source", .string(name)),
                    ("error", .object([("fault", .string(fault)), ("message", .string(message))])),
                ]).text)
        } else {
            StandardError.line("firn: \(name): \(message)")
        }
    }
}
