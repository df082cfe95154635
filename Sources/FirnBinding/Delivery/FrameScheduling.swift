import Dispatch

/// Calls the drawing thread. A toolkit brings its own, on its loop and frame clock; the others use the main queue.
public protocol FrameScheduling: Sendable {
    /// Calls `body` on the main actor soon. May be called on any thread.
    func soon(_ body: @escaping @MainActor @Sendable () -> Void)

    /// Calls `body` on the main actor once the frame that is being made has been drawn.
    @MainActor func afterFrame(_ body: @escaping @MainActor @Sendable () -> Void)
}

/// Frames of a program without a frame clock: the main queue, and a sixtieth of a second.
package struct MainQueueFrames: FrameScheduling {
    /// Frames on the main queue.
    package init() {}

    /// As soon as the main queue comes to it.
    package func soon(_ body: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.async { MainActor.assumeIsolated { body() } }
    }

    /// A sixtieth of a second later.
    package func afterFrame(_ body: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.asyncAfter(deadline: .now() + .microseconds(16_667)) { MainActor.assumeIsolated { body() } }
    }
}
