import FirnImage
import FirnSync
import FirnSystem

/// A value that tasks can wait on until it satisfies a condition.
final class Watched<Value: Sendable>: Sendable {
    private struct Waiter {
        let isReached: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Value, Never>
    }

    private struct State {
        var value: Value
        var waiters: [Int: Waiter] = [:]
        var lastNumber = 0
    }

    private let state: Locked<State>

    init(_ value: Value) { state = Locked(State(value: value)) }

    var value: Value { state.withLock { $0.value } }

    /// Changes the value, then resumes the tasks whose condition it satisfies.
    func update<Result>(_ change: (inout Value) -> Result) -> Result {
        let (result, reached) = state.withLock { state in
            let result = change(&state.value)
            // Order: conditions run on the value of this very change, so none of its states is missed.
            let value = state.value
            let reached = state.waiters.filter { $0.value.isReached(value) }.sorted { $0.key < $1.key }
            for (number, _) in reached { state.waiters[number] = nil }
            return (result, reached.map { ($0.value.continuation, value) })
        }
        for (continuation, value) in reached { continuation.resume(returning: value) }
        return result
    }

    /// Waits until the value satisfies a condition, and returns that value.
    ///
    /// The condition runs under a lock: it must be quick and must not use this object. A cancelled task, such as that
    /// of a test over its time limit, gets the current value.
    func wait(until isReached: @escaping @Sendable (Value) -> Bool) async -> Value {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let reached: Value? = state.withLock { state in
                    // Order: an earlier cancel found no waiter to resume, so cancellation is checked under the lock.
                    if Task.isCancelled || isReached(state.value) { return state.value }
                    state.waiters[number] = Waiter(isReached: isReached, continuation: continuation)
                    return nil
                }
                if let reached { continuation.resume(returning: reached) }
            }
        } onCancel: {
            let (waiter, value) = state.withLock { ($0.waiters.removeValue(forKey: number), $0.value) }
            waiter?.continuation.resume(returning: value)
        }
    }
}

/// A record of calls that the test can keep from ending.
struct HeldCalls<Record: Sendable>: Sendable {
    var record: Record
    var isHeld = false
}

extension Watched {
    /// Waits while calls are held and this one is not cancelled, and returns whether it was cancelled.
    func endsCancelled<Record>(
        _ cancellation: CancellationFlag, counting cancelled: WritableKeyPath<Record, Int>
    ) -> Bool where Value == HeldCalls<Record> {
        while value.isHeld, !cancellation.isCancelled { sched_yield() }
        guard cancellation.isCancelled else { return false }
        update { $0.record[keyPath: cancelled] += 1 }
        return true
    }
}
