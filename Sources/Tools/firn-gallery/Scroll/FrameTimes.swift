#if GTK
import CGTK4
import FirnGTK
import FirnSync

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
