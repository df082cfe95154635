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

/// The times and durations of a window's frames.
@MainActor
final class FrameTimes {
    /// Nanoseconds between the ends of consecutive frames.
    private(set) var gaps: [Int64] = []
    /// Nanoseconds of layout and painting for each frame.
    private(set) var paints: [Int64] = []
    private var start: Int64 = 0
    private var last: Int64 = 0
    private let clock: OpaquePointer
    private var handlers: [gulong] = []

    init(_ clock: OpaquePointer) {
        self.clock = clock
        g_object_ref(UnsafeMutableRawPointer(clock))
        let object = UnsafeMutableRawPointer(clock)
        handlers.append(SignalClosure.connect(object, "before-paint") { [weak self] in self?.began() })
        handlers.append(SignalClosure.connect(object, "after-paint") { [weak self] in self?.ended() })
    }

    isolated deinit {
        for handler in handlers { g_signal_handler_disconnect(UnsafeMutableRawPointer(clock), handler) }
        g_object_unref(UnsafeMutableRawPointer(clock))
    }

    private func began() { start = MonotonicClock.now() }

    private func ended() {
        let now = MonotonicClock.now()
        if start > 0 { paints.append(now - start) }
        if last > 0 { gaps.append(now - last) }
        last = now
    }
}
#endif
