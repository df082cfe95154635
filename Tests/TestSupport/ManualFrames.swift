import FirnBinding
import FirnSync
import FirnTesting

/// A drawing thread that runs its calls, and ends its frames, only when the test tells it to.
package final class ManualFrames: FrameScheduling {
    private let calls = Recorder<@MainActor @Sendable () -> Void>()
    /// The number of calls that have run.
    private let turned = Locked(0)
    private let ends = Locked<[@MainActor @Sendable () -> Void]>([])

    package init() {}

    /// The number of calls of the drawing thread so far.
    package var callCount: Int { calls.count }

    /// Queues a call for ``turn()``.
    package func soon(_ body: @escaping @MainActor @Sendable () -> Void) { calls.add(body) }

    /// Queues a call for ``endFrame()``.
    @MainActor package func afterFrame(_ body: @escaping @MainActor @Sendable () -> Void) {
        ends.withLock { $0.append(body) }
    }

    /// Waits until a call is queued, and runs all queued calls.
    ///
    /// Give the test a time limit: the wait for a call that never comes ends only when the task is cancelled.
    @MainActor package func turn() async {
        await calls.wait { [turned] record in record.calls.count > turned.withLock { $0 } }
        turnNow()
    }

    /// Runs all queued calls.
    @MainActor package func turnNow() {
        let all = calls.calls
        let first = turned.withLock { turned in
            defer { turned = all.count }
            return turned
        }
        for call in all.dropFirst(first) { call() }
    }

    /// The frame has been drawn.
    @MainActor package func endFrame() {
        let due = ends.withLock { ends in
            defer { ends = [] }
            return ends
        }
        for end in due { end() }
    }
}
