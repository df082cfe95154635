#if GTK
import ArgumentParser
import CFirnAdwaita
import FirnGTK
import FirnReport
import FirnDemoServer

/// The gallery: shows images of folders, lists and addresses in a smoothly scrolling grid.
@main
struct GalleryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "firn-gallery", abstract: "Shows images in a window.",
        discussion: """
            One file opens large, with its folder; folders, lists and several files open as a grid. Ctrl+? in the \
            window lists the keys.
            """)

    @Argument(
        help:
            """
            Images, folders, addresses, or @LIST: a text file with one of these a line; @- is such a list on the \
            standard input.
            """
    )
    var sources: [String] = []

    @Option(help: "Width and height of a cell.")
    var cell = 180

    @Option(help: "Width and height of the window, such as 360x640. Default: the former size.")
    var size: String?

    @Option(help: "File for the settings. Default: one in the user's configuration folder; none for a scripted run.")
    var settings: String?

    @Option(help: "Order: found, name, date or size. Default: by name for a folder, as found for a list.")
    var sort: GalleryOrder?

    @Option(help: "Requests of images that were scrolled away: cancel, finish or pause.")
    var policy = "pause"

    @Option(help: "Cache folder for the network. Default: one in the user's cache folder.")
    var cache: String?

    @Flag(help: "Use the cache's folder although other users can write to it.")
    var sharedCache = false

    @Option(help: "MiB of decoded images to keep in addition to the visible ones.")
    var memory = 64

    @Option(
        help:
            "Decode in confined processes: all, complex or none. Default: complex, if firn-decoder is installed.")
    var isolation: DecoderIsolation.Name?

    @Flag(help: "Demonstration: photographs and small images from a server in this program.")
    var demo = false

    @Option(help: "Folder of the demonstration's photographs. Default: those that Scripts/setup demo installs.")
    var photographs: String?

    @Option(help: "First collection of the demonstration: small, large or thousand.")
    var collection = "small"

    @Option(help: "Simulated network: full, phone or weak.")
    var network = "full"

    @Flag(help: "Show statistics of caches and network, as the demonstration does.")
    var statistics = false

    @Flag(help: "Open, print the times as JSON once the sources are read and the first screen is shown, and end.")
    var headlessOpen = false

    @Option(help: "With --headless-open: end as soon as this is shown: window, screen, or all.")
    var endAt = StartReport.Moment.all

    @Flag(help: "With --headless-open: also show the first image large.")
    var view = false

    @Option(
        help: "With --headless-open: also press these keys: GDK's names, separated by commas.")
    var keys = ""

    @Option(help: "Scroll for this many seconds, print the measurements, and end.")
    var headlessScroll: Double?

    @Option(help: "Jump over this many cells, print how long the visible cells took to show their images, and end.")
    var headlessJump: Int?

    @Option(help: "Duration of the jump in seconds: as if the user dragged the scrollbar.")
    var jumpSeconds = 0.0

    @Option(help: "File for the measurements, as JSON. Default: print them.")
    var json: String?

    @Option(help: "File for a screenshot at the end: .png or .jpg.")
    var screenshot: String?

    @Option(help: "Number of cells in a scripted scroll; the images are repeated.")
    var items = 10_000

    @Option(help: "Screens a second in a scripted scroll.")
    var speed = 5.0

    @Flag(help: "Show plain colors instead of images: the cost of the same scroll without images.")
    var solid = false

    @Flag(help: "Show images that are loaded in advance: the cost of the same scroll without loading.")
    var textures = false

    private var windowSize: PixelSize? {
        guard let size else { return nil }
        let parts = size.split(separator: "x").compactMap { Int($0) }
        guard parts.count == 2, parts.allSatisfy({ (1...32_000).contains($0) }) else { return nil }
        return PixelSize(width: parts[0], height: parts[1])
    }

    /// True for a scripted scroll or jump.
    private var isScripted: Bool { headlessScroll != nil || headlessJump != nil }

    static func main() {
        do {
            var command = try parseAsRoot(SystemArguments.all)
            try command.run()
        } catch {
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            UsageFault.exit(fullMessage(for: error), SystemArguments.all, dump: _dumpHelp())
        }
    }

    mutating func validate() throws {
        guard ImageReusePolicy(rawValue: policy) != nil else { throw ValidationError("there is no policy \(policy)") }
        if let size, windowSize == nil {
            throw ValidationError("\(size) is no width and height, such as 360x640")
        }
        guard cell >= 16, cell <= 2_000 else { throw ValidationError("cells are of 16 to 2000 pixels") }
        guard GalleryCommand.networks[network] != nil else { throw ValidationError("there is no network \(network)") }
        guard GalleryCommand.collections[collection] != nil else {
            throw ValidationError("there is no collection \(collection)")
        }
        if demo, isScripted { throw ValidationError("a scripted scroll takes images, not --demo") }
        if let headlessScroll, headlessScroll <= 0 || headlessScroll > 3_600 {
            throw ValidationError("a scroll takes up to 3600 seconds")
        }
        if let headlessJump, headlessJump < 0 || headlessJump > items {
            throw ValidationError("a jump passes no more cells than there are")
        }
        guard memory >= 0, memory <= 1 << 20 else { throw ValidationError("between 0 and 1048576 MiB") }
        guard items > 0, items <= 1_000_000 else { throw ValidationError("between 1 and 1 000 000 items") }
    }

    mutating func run() throws {
        if let cache, !sharedCache {
            do throws(DataCachingError) {
                try DataCache.check(directory: cache)
            } catch {
                throw GalleryCommand.failure("\(error.message); name a folder of your own, or pass --shared-cache")
            }
        }
        if let isolation = isolation.map(DecoderIsolation.init) {
            try isolation.check()
            DecoderIsolation.standard = isolation
        }
        // Safety: the program is on its main thread, which runs GLib's loop.
        let command = self
        if try !MainActor.assumeIsolated({ try command.show() }) { throw ExitCode(1) }
    }

    /// Reports an error, and returns the status of the program.
    private static func failure(_ words: String) -> ExitCode {
        StandardError.line("firn-gallery: \(words)")
        return ExitCode(1)
    }

    /// Shows the window until it is closed, or runs the script.
    ///
    /// - Returns: whether the script succeeded.
    @MainActor
    private func show() throws -> Bool {
        GalleryCommand.disableGL()
        guard gtk_init_check() != 0 else {
            throw GalleryCommand.failure("there is no display (is DISPLAY or WAYLAND_DISPLAY set?)")
        }
        g_set_prgname("firn-gallery")
        Translation.start()
        adw_init()
        gtk_window_set_default_icon_name("firn-gallery")
        GLibMainExecutor.install()
        let source: DemoSource?
        do {
            source = demo ? try DemoSource(source: photographs) : nil
        } catch {
            throw GalleryCommand.failure("\(error)")
        }
        var configuration = ImagePipeline.Configuration.ephemeral
        configuration.imageCache = .memory(limit: memory << 20)
        if cache == nil, let source {
            configuration.dataCache = source.cache
        } else if let user = g_get_user_cache_dir() {
            let folder = cache ?? PathText.join(String(cString: user), "firn-gallery")
            configuration.dataCache = .disk(path: folder, isShared: sharedCache)
        }
        // Large images are decoded in parts, or smaller. The loader keeps its own limit of bytes.
        configuration.limits.maximumPixels = 4_000_000_000
        configuration.limits.maximumBytes = 16 << 30
        // Whole images have at most 500 megapixels.
        configuration.limits.maximumResultBytes = 500_000_000 * 4
        // A scripted scroll measures the decoding of files.
        let thumbnails = isScripted ? nil : (try? ThumbnailStore()).map { CellThumbnails(store: $0) }
        thumbnails?.attach(to: &configuration)
        let line = SlowLoader(configuration.dataLoader, GalleryCommand.networks[network] ?? .full)
        configuration.dataLoader = line
        let pipeline = ImagePipeline(configuration: configuration)
        let first = GalleryCommand.collections[collection] ?? .small
        // A scripted scroll needs the number of images before it starts.
        let own = !isScripted ? [] : SourceWalk.images(of: sources)
        let isStill = solid || (textures && headlessScroll != nil)
        let images = !isScripted ? [] : GalleryImage.repeated(own, count: items, solid: isStill)
        let settings = settings ?? (isScripted || headlessOpen ? nil : GallerySettings.path)
        let window = GalleryWindow(
            pipeline: pipeline, images: GalleryList(images), cell: cell,
            policy: ImageReusePolicy(rawValue: policy) ?? .pause,
            solid: isStill, network: line, collection: demo ? first : nil, thumbnails: thumbnails,
            settings: settings.map { GallerySettings(path: $0) } ?? GallerySettings())
        window.grid.fillsWidth = !isScripted
        if statistics || demo { window.showStatistics() }
        let windowSize = windowSize ?? window.settings.fittedSize
        gtk_window_set_default_size(window.window, gint(windowSize.width), gint(windowSize.height))
        let session = GallerySession(window: window, demo: source, order: isScripted ? .found : sort)
        defer { session.end() }
        defer { if let settings { window.settings.save(to: settings) } }
        return run(window, session, first, own)
    }

    /// Prevents GTK from loading GL if the user selected the cairo renderer. Otherwise GTK loads Mesa's software
    /// driver, which takes 45 MiB. Call before GTK is initialized.
    private static func disableGL() {
        guard let renderer = getenv("GSK_RENDERER"), String(cString: renderer) == "cairo" else { return }
        let former = getenv("GDK_DEBUG").map { String(cString: $0) + "," } ?? ""
        _ = setenv("GDK_DEBUG", former + "gl-disable", 1)
    }

    @MainActor
    private func run(
        _ window: GalleryWindow, _ session: GallerySession, _ first: DemoCollection, _ own: [GalleryImage]
    ) -> Bool {
        let start = ContinuousClock.now
        let loop = g_main_loop_new(nil, 0)
        defer { g_main_loop_unref(loop) }
        window.onClose = { g_main_loop_quit(loop) }
        // Ends the loop, so that the demonstration removes its folder.
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            g_unix_signal_add(
                signal,
                { loop in
                    g_main_loop_quit(loop.map { OpaquePointer($0) })
                    return 0
                }, UnsafeMutableRawPointer(loop))
        }
        var isComplete = true
        if isScripted || headlessOpen {
            Task { @MainActor in
                do {
                    isComplete = try await measure(window, session, from: start, own)
                } catch {
                    isComplete = false
                    StandardError.line("firn-gallery: \(error)")
                }
                // Destroying is the same as the user closing the window.
                if isScripted { g_main_loop_quit(loop) } else { gtk_window_destroy(window.window) }
            }
        }
        if !isScripted {
            window.present()
            if demo { session.show(first) }
            if !sources.isEmpty { session.add(sources) }
        }
        g_main_loop_run(loop)
        window.noteSettings()
        return isComplete
    }

    /// Runs the script and writes the report and the screenshot.
    ///
    /// - Returns: whether all images were shown in time.
    @MainActor
    private func measure(
        _ window: GalleryWindow, _ session: GallerySession, from start: ContinuousClock.Instant, _ own: [GalleryImage]
    ) async throws -> Bool {
        var (report, isComplete) = (JSONValue.null, true)
        if isScripted {
            if textures, headlessScroll != nil, await !LoadedCells.fill(window.grid, with: own) {
                throw DemoFault(message: "none of the images could be loaded")
            }
            window.present()
            let course: ScriptedScroll.Course =
                headlessScroll.map { .scroll(seconds: $0, screensPerSecond: speed) }
                ?? .jump(cells: headlessJump ?? 0, seconds: max(0, jumpSeconds))
            (report, isComplete) = await ScriptedScroll(window: window, course: course).run()
        } else {
            report = await StartReport.watch(session, from: start, until: endAt, viewing: view, pressing: keys)
        }
        if let json {
            try OutputFile.write(Data((report.text + "\n").utf8), to: json)
        } else {
            print(report.text)
        }
        if let screenshot { try await Screenshot.save(window.widget, to: screenshot) }
        return isComplete
    }

    private static let networks: [String: LineCondition] = ["full": .full, "phone": .phone, "weak": .weak]
    private static let collections: [String: DemoCollection] = [
        "small": .small, "large": .large, "thousand": .thousand,
    ]
}

extension DecoderIsolation.Name: ExpressibleByArgument {}
extension GalleryOrder: ExpressibleByArgument {}
#else
import FirnReport
import FirnSystem

@main
enum GalleryCommand {
    static func main() {
        StandardError.line("firn-gallery: this build has no windows; build it with the package trait GTK")
        exit(1)
    }
}
#endif
