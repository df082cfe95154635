#if GTK
import CGTK4
import FirnCache
import FirnGTK
import FirnImage
import FirnPipeline
import FirnTesting
import FirnSystem

/// Checks that hiding or minimizing a window empties most of the memory cache, except for the shown images.
@MainActor
enum BackgroundScene {
    private static let count = 20

    static func play(_ checks: Checks) async {
        // Room for all images: 100 × 100 pixels of three bytes, in rows of 320.
        let loading = SceneLoading(limits: ImageCacheLimits(bytes: 32_000 * count, entryBytes: 32_000))
        let image = FirnPicture(context: loading.context)
        let window = SceneWindow(width: 100, height: 100, image.widget)
        await window.present(checks)
        await fill(loading, checks)
        image.request = loading.request(0)
        await checks.wait("the image is shown") { window.shot()?.number(of: image.widget, in: window) == 0 }

        gtk_widget_set_visible(window.widget, 0)
        await isTrimmed("hidden", loading, checks)
        gtk_widget_set_visible(window.widget, 1)
        await checks.wait("the window is back") { gtk_widget_get_mapped(window.widget) != 0 }
        await checks.wait("it shows its image") { window.shot()?.number(of: image.widget, in: window) == 0 }
        checks.expect(loading.loader.transfers(SceneLoading.url(0)).count == 1, "which was not loaded again")

        await fill(loading, checks)
        checks.expect(minimize(window), "the X server takes the window off the screen")
        await checks.wait("GDK knows that it is minimized") {
            let state = gdk_toplevel_get_state(gtk_native_get_surface(OpaquePointer(window.widget)))
            return state.rawValue & GDK_TOPLEVEL_STATE_MINIMIZED.rawValue != 0
        }
        checks.expect(gtk_widget_get_mapped(window.widget) != 0, "to GTK it is mapped")
        await isTrimmed("minimized", loading, checks)
        window.close()
    }

    /// Fills the memory cache with all images.
    private static func fill(_ loading: SceneLoading, _ checks: Checks) async {
        for number in 0..<count {
            loading.serve(number, size: PixelSize(width: 100, height: 100))
            var request = loading.request(number)
            request.pixelFormat = .rgb8
            request.targetSize = TargetSize(100, mode: .fill)
            _ = try? await loading.pipeline.image(for: request)
        }
        checks.expect(loading.cache.statistics.count == count, "the cache is full: \(loading.cache.statistics)")
    }

    private static func isTrimmed(_ how: String, _ loading: SceneLoading, _ checks: Checks) async {
        await checks.wait("a tenth is left when the window is \(how)") {
            loading.cache.statistics.bytes <= 32_000 * count / 10
        }
        checks.expect(loading.cache.statistics.count > 0, "what is shown stays")
    }

    /// Unmaps the window without GTK's knowledge. Without a window manager this is what minimizing does, and GDK takes
    /// it for that.
    static func minimize(_ window: SceneWindow) -> Bool {
        let own = dlopen(nil, RTLD_NOW)
        guard let surface = gtk_native_get_surface(OpaquePointer(window.widget)),
            let display = gdk_surface_get_display(surface),
            let windowOf = dlsym(own, "gdk_x11_surface_get_xid"),
            let displayOf = dlsym(own, "gdk_x11_display_get_xdisplay"),
            let unmap = dlsym(dlopen("libX11.so.6", RTLD_NOW), "XUnmapWindow")
        else { return false }
        typealias WindowOf = @convention(c) (OpaquePointer) -> UInt
        typealias DisplayOf = @convention(c) (OpaquePointer) -> OpaquePointer?
        typealias Unmap = @convention(c) (OpaquePointer?, UInt) -> Int32
        let number = unsafeBitCast(windowOf, to: WindowOf.self)(surface)
        _ = unsafeBitCast(unmap, to: Unmap.self)(unsafeBitCast(displayOf, to: DisplayOf.self)(display), number)
        gdk_display_flush(display)
        return true
    }
}
#endif
