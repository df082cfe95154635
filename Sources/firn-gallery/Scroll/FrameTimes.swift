import CGTK4
import FirnGTK

/// When a window's frames were painted, and how long that took.
@MainActor
final class FrameTimes {
    /// Nanoseconds from the end of one frame to the end of the next.
    private(set) var gaps: [Int64] = []
    /// Nanoseconds of each frame: layout and painting.
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

    private func began() { start = MonotonicTime.nanoseconds }

    private func ended() {
        let now = MonotonicTime.nanoseconds
        if start > 0 { paints.append(now - start) }
        if last > 0 { gaps.append(now - last) }
        last = now
    }
}
