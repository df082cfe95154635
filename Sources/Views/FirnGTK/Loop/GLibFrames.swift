#if GTK
import CGTK4
public import FirnBinding

/// Schedules deliveries to views on GLib's loop: after painting, and in order.
///
/// Works with and without ``GLibMainExecutor``.
public struct GLibFrames: FrameScheduling {
    /// The longest frame that a screen needs, 60 a second, in milliseconds.
    static let frameMilliseconds: guint = 17

    /// Creates a scheduler on GLib's default loop.
    public init() {}

    /// Runs `body` when the loop has nothing more urgent to do, such as painting.
    public func soon(_ body: @escaping @MainActor @Sendable () -> Void) {
        LoopSignal.shared.call(body)
    }

    /// Runs `body` one frame later, and then after painting.
    public func afterFrame(_ body: @escaping @MainActor @Sendable () -> Void) {
        let call = Unmanaged.passRetained(LoopCall(body)).toOpaque()
        g_timeout_add_full(LoopCall.priority, GLibFrames.frameMilliseconds, LoopCall.perform, call, LoopCall.release)
    }
}

/// A closure that GLib's loop calls once.
private final class LoopCall: Sendable {
    /// The main actor's priority: after GTK's redrawing.
    static let priority = GLibMainExecutor.defaultPriority

    let body: @MainActor @Sendable () -> Void

    init(_ body: @escaping @MainActor @Sendable () -> Void) { self.body = body }

    static let perform: GSourceFunc = { call in
        guard let call else { return gboolean(0) }
        let body = Unmanaged<LoopCall>.fromOpaque(call).takeUnretainedValue().body
        // The default loop runs on the main thread, which is the main actor's.
        MainActor.assumeIsolated { body() }
        return gboolean(0)
    }

    static let release: GDestroyNotify = { call in
        if let call { Unmanaged<LoopCall>.fromOpaque(call).release() }
    }
}
#endif
