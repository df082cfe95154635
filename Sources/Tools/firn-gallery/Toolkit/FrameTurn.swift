#if GTK
import CGTK4
import FirnGTK
import FirnSync

/// Waits for frames of a window.
@MainActor
enum FrameTurn {
    /// Returns after an iteration of the loop.
    static func next() async { try? await Task.sleep(for: .milliseconds(2)) }

    /// Calls `body` in the update phase of each frame until it returns `false`. No other thread is involved.
    static func frames(of widget: Widget, _ body: @escaping @MainActor () -> Bool) async {
        await withCheckedContinuation { continuation in
            LoopCall.eachFrame(of: widget) {
                if body() { return true }
                continuation.resume()
                return false
            }
        }
    }

    /// Returns in the update phase of the next frame, before its layout.
    static func frame(of widget: Widget) async { await frames(of: widget) { false } }

    /// Returns once a scrolled window is mapped and has a height.
    static func layout(of scrolled: Widget) async {
        let adjustment = gtk_scrolled_window_get_vadjustment(scrolled.opaque)
        while gtk_widget_get_mapped(scrolled) == 0 || gtk_adjustment_get_page_size(adjustment) < 1 { await next() }
    }
}
#endif
