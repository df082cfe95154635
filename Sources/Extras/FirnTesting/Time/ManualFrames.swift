public import FirnBinding

/// A drawing thread that runs its calls, and ends its frames, only when the test tells it to.
public final class ManualFrames: FrameScheduling {
    private struct State {
        var calls: [@MainActor @Sendable () -> Void] = []
        var ends: [@MainActor @Sendable () -> Void] = []
        var called = 0
    }

    private let state = Watched(State())

    /// Creates frames that only the test drives.
    public init() {}

    /// The number of calls of the drawing thread so far.
    public var callCount: Int { state.value.called }

    /// Queues a call for ``turn()``.
    public func soon(_ body: @escaping @MainActor @Sendable () -> Void) {
        state.update { state in
            state.calls.append(body)
            state.called += 1
        }
    }

    /// Queues a call for ``endFrame()``.
    @MainActor public func afterFrame(_ body: @escaping @MainActor @Sendable () -> Void) {
        state.update { $0.ends.append(body) }
    }

    /// Waits until a call is queued, and runs all queued calls.
    ///
    /// Give the test a time limit: the wait for a call that never comes ends only when the task is cancelled.
    @MainActor public func turn() async {
        _ = await state.wait { !$0.calls.isEmpty }
        turnNow()
    }

    /// Runs all queued calls.
    @MainActor public func turnNow() { run(\.calls) }

    /// The frame has been drawn.
    @MainActor public func endFrame() { run(\.ends) }

    @MainActor private func run(_ queue: WritableKeyPath<State, [@MainActor @Sendable () -> Void]>) {
        let calls = state.update { state in
            defer { state[keyPath: queue] = [] }
            return state[keyPath: queue]
        }
        for call in calls { call() }
    }
}
