#if GTK
import CGTK4
import FirnBinding
import FirnCache
import FirnData
import FirnGTK
import FirnHTTP
import FirnImage
import FirnPipeline
import FirnTesting
import TestSupport

/// Checks that a source's refusal leaves the image that a widget shows, also of an earlier run of the program and in a
/// widget that comes while the refusal is remembered, and that the failure image is shown if there is none.
@MainActor
enum RefusedScene {
    private static let blue = SIMD4<UInt8>(10, 20, 200, 255)

    static func play(_ checks: Checks) async {
        let (disk, clock) = (InMemoryFileSystem(), ManualClock(elapsed: .seconds(1_000_000)))
        await keep(loading(disk, clock), checks)
        clock.advance(by: .seconds(86_400))

        // A later run of the program: nothing is in memory.
        let loading = loading(disk, clock)
        for number in [7, 8] {
            loading.loader.fail(SceneLoading.url(number), with: DataLoadingError(.status(403), "refused"))
        }
        guard let row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0) else { fatalError("GTK made no row") }
        let box = UnsafeMutableRawPointer(row).assumingMemoryBound(to: GtkBox.self)
        let views = (0..<3).map { _ in FirnPicture(context: loading.context) }
        for view in views {
            gtk_widget_set_hexpand(view.widget, 1)
            gtk_box_append(box, view.widget)
        }
        let window = SceneWindow(width: 360, height: 120, row)
        await window.present(checks)
        views[0].request = loading.request(7)
        await checks.wait("the source refuses") { views[0].binding.phase.error?.statusCode == 403 }
        await Turn.frames(1, of: window)
        shows(7, views[0], window, checks, "the image on disk stays")

        views[1].request = loading.request(7)
        checks.expect(views[1].binding.phase.error?.statusCode == 403, "a remembered refusal is told in the call")
        await Turn.frames(1, of: window)
        shows(7, views[1], window, checks, "and the image is there in the next frame")

        views[2].request = loading.request(8)
        await checks.wait("the source refuses") { views[2].binding.phase.error?.statusCode == 403 }
        await Turn.frames(1, of: window)
        let corner = window.shot()?.color(300, 60)
        checks.expect(corner == blue, "an image that was never there is a failure: \(String(describing: corner))")
        if let path = checks.shot { window.shot()?.save(path) }
        window.close()
    }

    private static func loading(_ disk: InMemoryFileSystem, _ clock: ManualClock) -> SceneLoading {
        let failure = SRGBColor(red: blue.x, green: blue.y, blue: blue.z)
        return SceneLoading(options: ImageLoadingOptions(failureImage: .color(failure))) {
            $0.dataCache = DataCache(directory: "/c", fileSystem: disk)
            $0.httpCachePolicy = HTTPCachePolicy.images
            $0.remembersFailures = true
            $0.now = { [clock] in clock.elapsed }
        }
    }

    /// Loads image 7 and keeps it on disk.
    private static func keep(_ loading: SceneLoading, _ checks: Checks) async {
        loading.serve(7)
        let response = try? await loading.pipeline.image(for: loading.request(7))
        checks.expect(response != nil, "the image is loaded once")
        await loading.pipeline.flush()
    }

    private static func shows(
        _ number: Int, _ view: FirnPicture, _ window: SceneWindow, _ checks: Checks, _ text: String
    ) {
        let shown = window.shot()?.number(of: view.widget, in: window)
        checks.expect(shown == number, "\(text): \(String(describing: shown))")
    }
}
#endif
