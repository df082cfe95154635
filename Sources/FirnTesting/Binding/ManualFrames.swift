public import FirnPipeline

/// A drawing thread that comes to its calls, and ends its frames, when the test says.
public final class ManualFrames: FrameScheduling {
    private struct State {
        var calls: [@MainActor @Sendable () -> Void] = []
        var ends: [@MainActor @Sendable () -> Void] = []
        var called = 0
    }

    private let state = Watched(State())

    /// Frames in which nothing happens by itself.
    public init() {}

    /// How often the drawing thread has been called so far.
    public var callCount: Int { state.value.called }

    /// Keeps a call for ``turn()``.
    public func soon(_ body: @escaping @MainActor @Sendable () -> Void) {
        state.update { state in
            state.calls.append(body)
            state.called += 1
        }
    }

    /// Keeps a call for ``endFrame()``.
    @MainActor public func afterFrame(_ body: @escaping @MainActor @Sendable () -> Void) {
        state.update { $0.ends.append(body) }
    }

    /// Waits for a call, unless there is one, and makes all there are.
    ///
    /// Give the test a time limit: a call that never comes is waited for until the task is cancelled.
    @MainActor public func turn() async {
        _ = await state.wait { !$0.calls.isEmpty }
        turnNow()
    }

    /// Makes the calls there are.
    @MainActor public func turnNow() {
        let calls = state.update { state in
            defer { state.calls = [] }
            return state.calls
        }
        for call in calls { call() }
    }

    /// The frame has been drawn.
    @MainActor public func endFrame() {
        let ends = state.update { state in
            defer { state.ends = [] }
            return state.ends
        }
        for end in ends { end() }
    }
}
