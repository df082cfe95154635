import Dispatch

/// Calls the drawing thread. A toolkit supplies an implementation for its loop and frame clock; the default uses the
/// main queue.
public protocol FrameScheduling: Sendable {
    /// Calls `body` on the main actor soon. May be called on any thread.
    func soon(_ body: @escaping @MainActor @Sendable () -> Void)

    /// Calls `body` on the main actor after the current frame has been drawn.
    @MainActor func afterFrame(_ body: @escaping @MainActor @Sendable () -> Void)
}

/// Frames for programs without a frame clock: the main queue, at 60 frames a second.
struct MainQueueFrames: FrameScheduling {
    /// Calls `body` on the main queue.
    func soon(_ body: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.async { MainActor.assumeIsolated { body() } }
    }

    /// Calls `body` on the main queue a sixtieth of a second later.
    func afterFrame(_ body: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.asyncAfter(deadline: .now() + .microseconds(16_667)) { MainActor.assumeIsolated { body() } }
    }
}
