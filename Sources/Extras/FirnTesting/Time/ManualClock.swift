import FirnSync

/// A clock that moves only when the test moves it.
///
/// For code that takes a clock, pass it; for code that takes `now: () -> Duration`, pass `{ clock.elapsed }`.
public final class ManualClock: Clock {
    /// A time, counted from the creation of the clock.
    public struct Instant: InstantProtocol {
        /// The time since the clock was created.
        public var elapsed: Duration

        /// Creates a time at this distance from the creation of the clock.
        public init(elapsed: Duration) { self.elapsed = elapsed }

        /// Returns the time that is later by `duration`.
        public func advanced(by duration: Duration) -> Instant { Instant(elapsed: elapsed + duration) }

        /// Returns the duration from here to `other`.
        public func duration(to other: Instant) -> Duration { other.elapsed - elapsed }

        /// Returns whether `a` is earlier.
        public static func < (a: Instant, b: Instant) -> Bool { a.elapsed < b.elapsed }
    }

    private typealias Sleeper = (deadline: Instant, continuation: CheckedContinuation<Void, any Error>)

    private struct State {
        var now: Instant
        var nextNumber = 0
        var sleepers: [Int: Sleeper] = [:]
    }

    private let state: Locked<State>

    /// Creates a clock that shows `elapsed`. Default: zero.
    public init(elapsed: Duration = .zero) {
        state = Locked(State(now: Instant(elapsed: elapsed)))
    }

    /// The current time of the clock.
    public var now: Instant { state.withLock { $0.now } }

    /// The time since the clock was created.
    public var elapsed: Duration { now.elapsed }

    /// The resolution of the clock: one nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// The number of sleeping tasks.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Advances the clock and wakes the tasks whose deadline has passed, earliest first.
    public func advance(by duration: Duration) {
        let due = state.withLock { state -> [Sleeper] in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            let due = state.sleepers.filter { $0.value.deadline <= now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }.map(\.value)
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Sleeps until the clock reaches `deadline`.
    ///
    /// - Throws: `CancellationError` at once if the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Void, any Error>? in
                    // Order: an earlier cancel found no sleeper to resume, so cancellation is checked under the lock.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if deadline <= state.now { return .success(()) }
                    state.sleepers[number] = (deadline, continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }
}
