import CGTK4
import FirnGTK

/// Waiting for the window.
@MainActor
enum FrameTurn {
    private final class Waiter {
        let continuation: CheckedContinuation<Void, Never>
        init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = continuation }
    }

    /// Returns when the loop has come round.
    static func next() async { try? await Task.sleep(for: .milliseconds(2)) }

    /// Returns in the update phase of the next frame, before it is laid out.
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
