#if GTK
import CGTK4

/// Iterations of GLib's loop, in which the window continues to work.
@MainActor
enum Turn {
    private final class Waiter {
        let continuation: CheckedContinuation<Void, Never>
        init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = continuation }
    }

    /// Returns when the loop has finished an iteration; painting and deliveries precede that.
    static func next() async {
        await withCheckedContinuation { continuation in
            let waiter = Unmanaged.passRetained(Waiter(continuation)).toOpaque()
            g_timeout_add_full(
                200, 2,
                { waiter in
                    if let waiter { Unmanaged<Waiter>.fromOpaque(waiter).takeRetainedValue().continuation.resume() }
                    return gboolean(0)
                }, waiter, nil)
        }
    }

    /// Returns after some frames of a window's clock.
    static func frames(_ count: Int, of window: SceneWindow) async {
        let target = window.frameCounter + Int64(count)
        while window.frameCounter < target {
            gtk_widget_queue_draw(window.widget)
            await next()
        }
    }
}
#endif
