#if GTK
import CGTK4
import FirnGTK

/// Waits for frames of a window.
@MainActor
enum FrameTurn {
    private final class Waiter {
        let continuation: CheckedContinuation<Void, Never>
        init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = continuation }
    }

    /// Returns after an iteration of the loop.
    static func next() async { try? await Task.sleep(for: .milliseconds(2)) }

    private final class Repeater {
        let body: @MainActor () -> Bool
        let continuation: CheckedContinuation<Void, Never>

        init(_ body: @escaping @MainActor () -> Bool, _ continuation: CheckedContinuation<Void, Never>) {
            self.body = body
            self.continuation = continuation
        }
    }

    /// Calls `body` in the update phase of each frame until it returns `false`. No other thread is involved.
    static func frames(of widget: UnsafeMutablePointer<GtkWidget>, _ body: @escaping @MainActor () -> Bool) async {
        await withCheckedContinuation { continuation in
            let call:
                @MainActor @convention(c) (UnsafeMutablePointer<GtkWidget>?, OpaquePointer?, gpointer?) -> gboolean =
                    { _, _, context in
                        guard let context else { return 0 }
                        let repeater = Unmanaged<Repeater>.fromOpaque(context).takeUnretainedValue()
                        if repeater.body() { return 1 }
                        repeater.continuation.resume()
                        return 0
                    }
            gtk_widget_add_tick_callback(
                widget, unsafeBitCast(call, to: GtkTickCallback.self),
                Unmanaged.passRetained(Repeater(body, continuation)).toOpaque(),
                { context in if let context { Unmanaged<Repeater>.fromOpaque(context).release() } })
        }
    }

    /// Returns in the update phase of the next frame, before its layout.
    static func frame(of widget: UnsafeMutablePointer<GtkWidget>) async {
        await withCheckedContinuation { continuation in
            let waiter = Unmanaged.passRetained(Waiter(continuation)).toOpaque()
            gtk_widget_add_tick_callback(
                widget,
                { _, _, waiter in
                    if let waiter { Unmanaged<Waiter>.fromOpaque(waiter).takeRetainedValue().continuation.resume() }
                    return 0
                }, waiter, nil)
        }
    }
}
#endif
