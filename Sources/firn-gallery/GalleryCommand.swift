import ArgumentParser
import CGTK4
import Firn
import FirnGTK
import FirnReport
import Glibc

/// The gallery: pictures of folders, lists and addresses in a grid that scrolls without a stutter.
@main
struct GalleryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "firn-gallery", abstract: "Shows pictures in a window.",
        discussion: """
            KEYS
              Enter, double click   show the picture large    Escape   back to the grid
              Left, Right           the one before, the next  + - 0    larger, smaller, whole
              Ctrl+F                search by name            Ctrl+O   open a folder
              Ctrl+D                light or dark             Ctrl+P   cancel, finish or pause what scrolls away
            """)

    @Argument(help: "Pictures, folders, addresses, or @LIST: a text file with one of these a line.")
    var sources: [String] = []

    @Option(help: "Width and height of a cell.")
    var cell = 180

    @Option(help: "What becomes of requests of pictures that have scrolled away: cancel, finish or pause.")
    var policy = "pause"

    @Option(help: "Folder that keeps what was loaded from the network.")
    var cache: String?

    @Option(help: "Scroll by itself for so many seconds, print what was measured, and end.")
    var headlessScroll: Double?

    @Option(help: "Where the measurements go, as JSON; by default they are printed.")
    var json: String?

    @Option(help: "Where a picture of the window goes, once the scroll has ended.")
    var screenshot: String?

    @Option(help: "How many cells there are in a scroll by itself; the pictures are repeated.")
    var items = 10_000

    @Option(help: "Screens a second in a scroll by itself.")
    var speed = 5.0

    @Flag(help: "Plain colours in place of pictures: what the same scroll costs without them.")
    var solid = false

    @Flag(help: "Some pictures that are loaded before, in all cells: what the same scroll costs without loading.")
    var textures = false

    mutating func validate() throws {
        guard ReusePolicy(rawValue: policy) != nil else { throw ValidationError("there is no policy \(policy)") }
        guard cell >= 16, cell <= 2_000 else { throw ValidationError("cells are of 16 to 2000 pixels") }
        if let headlessScroll, headlessScroll <= 0 || headlessScroll > 3_600 {
            throw ValidationError("a scroll takes up to 3600 seconds")
        }
        guard items > 0, items <= 1_000_000 else { throw ValidationError("between 1 and 1 000 000 items") }
    }

    mutating func run() throws {
        // The main thread runs GLib's loop, so all of this is on the main actor.
        let command = self
        let status = MainActor.assumeIsolated { command.show() }
        if status != 0 { throw ExitCode(status) }
    }

    @MainActor
    private func show() -> Int32 {
        guard gtk_init_check() != 0 else {
            fputs("firn-gallery: there is no display (is DISPLAY or WAYLAND_DISPLAY set?)\n", stderrStream())
            return 1
        }
        GLibMainExecutor.install()
        let pipeline = ImagePipeline(configuration: .standard(cacheDirectory: cache))
        var pictures = GalleryPicture.list(of: sources)
        let sources = pictures
        let isStill = solid || (textures && headlessScroll != nil)
        if headlessScroll != nil { pictures = GalleryPicture.repeated(pictures, count: items, solid: isStill) }
        let window = GalleryWindow(
            pipeline: pipeline, pictures: pictures, cell: cell, policy: ReusePolicy(rawValue: policy) ?? .pause,
            solid: isStill)
        let loop = g_main_loop_new(nil, 0)
        defer { g_main_loop_unref(loop) }
        window.onClose = { g_main_loop_quit(loop) }
        var status: Int32 = 0
        if let seconds = headlessScroll {
            let scroll = ScriptedScroll(window: window, seconds: seconds, screensPerSecond: speed)
            Task { @MainActor in
                if textures {
                    guard await LoadedCells.fill(window.grid, with: sources) else {
                        fputs("firn-gallery: none of the pictures could be loaded\n", stderrStream())
                        status = 1
                        return g_main_loop_quit(loop)
                    }
                }
                window.present()
                let report = await scroll.run()
                status = report.write(to: json) ? 0 : 1
                if let screenshot, await !GalleryCommand.save(window, to: screenshot) { status = 1 }
                g_main_loop_quit(loop)
            }
        } else {
            window.present()
        }
        g_main_loop_run(loop)
        return status
    }

    /// Saves what the window looks like, between two frames, which may take some: while a frame is due there is nothing.
    @MainActor
    private static func save(_ window: GalleryWindow, to path: String) async -> Bool {
        for _ in 0..<1_000 {
            if window.saveScreenshot(path) { return true }
            await FrameTurn.next()
        }
        return false
    }
}

/// The stream of errors: the C library's variable is one that Swift takes for shared and changing.
private func stderrStream() -> UnsafeMutablePointer<FILE>? { fdopen(2, "w") }
