import CGTK4
public import FirnPipeline

/// Deliveries to views on GLib's loop: behind painting, and in order.
///
/// For programs with ``GLibMainExecutor`` and for those without.
public struct GLibFrames: FrameScheduling {
    /// How long a frame is, at the most that a screen needs: 60 a second.
    static let frameMilliseconds: guint = 17

    /// Frames of GLib's default loop.
    public init() {}

    /// When the loop has nothing more urgent to do, such as painting.
    public func soon(_ body: @escaping @MainActor @Sendable () -> Void) {
        LoopDoorbell.shared.call(body)
    }

    /// A frame later, and then behind painting.
    public func afterFrame(_ body: @escaping @MainActor @Sendable () -> Void) {
        let call = Unmanaged.passRetained(LoopCall(body)).toOpaque()
        g_timeout_add_full(LoopCall.priority, GLibFrames.frameMilliseconds, LoopCall.perform, call, LoopCall.release)
    }
}

/// A closure that GLib's loop calls once.
private final class LoopCall: Sendable {
    /// With the main actor: behind GTK's redrawing.
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
