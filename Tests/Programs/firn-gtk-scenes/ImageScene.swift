#if GTK
import CGTK4
import FirnBinding
import FirnData
import FirnGTK
import FirnImage
import FirnPipeline
import FirnTesting

/// Checks one image in a window: placeholder, image, another image, failure and retry, another size, the window's end.
@MainActor
enum ImageScene {
    static func play(_ checks: Checks) async {
        var options = ImageLoadingOptions(
            placeholder: .color(SRGBColor(red: 200, green: 10, blue: 20)),
            failureImage: .color(SRGBColor(red: 10, green: 20, blue: 200)))
        options.isProgressiveRenderingEnabled = false
        let loading = SceneLoading(options: options)
        let image = FirnPicture(context: loading.context)
        let window = SceneWindow(width: 200, height: 200, image.widget)
        let center = { window.shot()?.color(50, 100) ?? .zero }

        loading.loader.hold(SceneLoading.url(7))
        loading.serve(7)
        image.alternativeText = "seven"
        image.request = loading.request(7)
        await window.present(checks)
        await checks.wait("it loads") { image.binding.phase.isLoading }
        await Turn.frames(1, of: window)
        checks.expect(center() == SIMD4(200, 10, 20, 255), "the placeholder is shown: \(center())")
        isBusy(true, image, checks)
        checks.expect(
            gtk_test_accessible_has_state(OpaquePointer(image.widget), GTK_ACCESSIBLE_STATE_BUSY) != 0,
            "GTK knows of the state")
        checks.expect(
            gtk_test_accessible_has_property(OpaquePointer(image.widget), GTK_ACCESSIBLE_PROPERTY_LABEL) != 0,
            "and of the label")
        loading.loader.release(SceneLoading.url(7))
        await checks.wait("image 7 is shown") { window.shot()?.number(of: image.widget, in: window) == 7 }
        isBusy(false, image, checks)
        let shown = image.binding.phase.response?.image
        checks.expect(
            shown?.size == PixelSize(width: 200, height: 200),
            "decoded at the widget's size: \(String(describing: shown?.size))")
        checks.expect(shown?.format == .rgb8, "in the layout that is painted fastest")

        await rebinds(image, loading, window, checks)
        await fails(image, loading, window, checks, failure: { center() == SIMD4(10, 20, 200, 255) })
        await resizes(image, loading, window, checks)
        if let path = checks.shot { window.shot()?.save(path) }
        await closesWhileLoading(image, loading, window, checks)
    }

    private static func isBusy(_ isBusy: Bool, _ image: FirnPicture, _ checks: Checks) {
        // GTK reports whether a state was ever set; only variadic functions return its value.
        let isTold = image.announcesBusy
        checks.expect(isTold == isBusy, "assistive technology hears busy: \(isBusy)")
    }

    /// Checks that a late result for a former request is not shown, and that an image in memory is shown at once.
    private static func rebinds(
        _ image: FirnPicture, _ loading: SceneLoading, _ window: SceneWindow, _ checks: Checks
    ) async {
        loading.context.policy = .finish
        loading.loader.hold(SceneLoading.url(8))
        loading.serve(8)
        loading.serve(9)
        image.request = loading.request(8)
        image.request = loading.request(9)
        await checks.wait("image 9 is shown") { window.shot()?.number(of: image.widget, in: window) == 9 }
        loading.loader.release(SceneLoading.url(8))
        await checks.wait("image 8 has come late") { loading.context.unwantedCount == 1 }
        checks.expect(window.shot()?.number(of: image.widget, in: window) == 9, "and is not shown")
        image.request = loading.request(7)
        checks.expect(image.binding.phase.response?.cacheType == .memory, "an image in memory is there at once")
        await Turn.frames(1, of: window)
        checks.expect(window.shot()?.number(of: image.widget, in: window) == 7, "and shown in the next frame")
        loading.context.policy = .cancel
    }

    private static func fails(
        _ image: FirnPicture, _ loading: SceneLoading, _ window: SceneWindow, _ checks: Checks, failure: () -> Bool
    ) async {
        loading.loader.fail(SceneLoading.url(11), with: DataLoadingError(.status(500), "broken"))
        image.request = loading.request(11)
        await checks.wait("it fails") { image.binding.phase.error != nil }
        await Turn.frames(1, of: window)
        checks.expect(failure(), "the failure image is shown")
        isBusy(false, image, checks)
        loading.serve(11)
        image.retry()
        await checks.wait("image 11 is shown") { window.shot()?.number(of: image.widget, in: window) == 11 }
    }

    private static func resizes(
        _ image: FirnPicture, _ loading: SceneLoading, _ window: SceneWindow, _ checks: Checks
    ) async {
        let starts = loading.context.statistics.starts
        window.resize(width: 210, height: 210)
        await checks.wait("the window grows") { gtk_widget_get_width(image.widget) == 210 }
        checks.expect(loading.context.statistics.starts == starts, "a little more size asks for nothing")
        window.resize(width: 360, height: 360)
        await checks.wait("a larger image is there") {
            image.binding.phase.response?.image.size == PixelSize(width: 360, height: 360)
        }
        await Turn.frames(1, of: window)
        checks.expect(window.shot()?.number(of: image.widget, in: window) == 11, "and shown")
    }

    private static func closesWhileLoading(
        _ image: FirnPicture, _ loading: SceneLoading, _ window: SceneWindow, _ checks: Checks
    ) async {
        loading.loader.hold(SceneLoading.url(12))
        loading.serve(12)
        image.request = loading.request(12)
        // Order: a request that has not reached the loader would be cancelled without the loader's notice.
        await checks.wait("the loader is asked") { loading.loader.transfers(SceneLoading.url(12)).count == 1 }
        checks.expect(image.binding.phase.isLoading, "it loads when the window closes")
        window.close()
        await checks.wait("the request is cancelled") {
            loading.loader.requests.record.cancelled.contains { $0.url == SceneLoading.url(12) }
        }
    }
}
#endif
