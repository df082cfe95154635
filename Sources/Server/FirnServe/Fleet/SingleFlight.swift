import FirnSync

/// Runs equal work once: overlapping calls for a key share the result or the error of one run.
///
/// The run is cancelled when the task of its last waiter is; a later waiter for the key then starts a new run.
final class SingleFlight<Key: Hashable & Sendable, Value: Sendable, Failure: Error>: Sendable {
    private typealias Outcome = Result<Value, Failure>

    private struct Run {
        /// The number of the waiter that started it. Distinguishes runs of one key.
        let number: UInt64
        let task: Task<Void, Never>
        var waiters: [UInt64: CheckedContinuation<Outcome, Never>]
    }

    private struct State {
        var runs: [Key: Run] = [:]
        var last: UInt64 = 0
    }

    private let state = Locked(State())
    private let cancelled: Failure

    /// - Parameter cancelled: the error of a waiter whose task is cancelled.
    init(cancelled: Failure) { self.cancelled = cancelled }

    var waiting: Int { state.withLock { $0.runs.values.reduce(0) { $0 + $1.waiters.count } } }

    /// Waits for the value of a key, and makes it if there is no run.
    ///
    /// - Parameter work: makes the value; runs in a task of its own.
    func value(
        for key: Key, _ work: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let waiter = state.withLock { state in
            state.last &+= 1
            return state.last
        }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait(continuation, for: key, as: waiter, work)
                // Order: a cancellation before the waiter was in the table had no effect.
                if Task.isCancelled { leave(key, waiter) }
            }
        } onCancel: {
            leave(key, waiter)
        }
        return try outcome.get()
    }

    private func wait(
        _ continuation: CheckedContinuation<Outcome, Never>, for key: Key, as waiter: UInt64,
        _ work: @escaping @Sendable () async throws(Failure) -> Value
    ) {
        state.withLock { state in
            if state.runs[key] != nil {
                state.runs[key]?.waiters[waiter] = continuation
                return
            }
            let task = Task { [weak self] in
                let outcome: Outcome
                do throws(Failure) { outcome = .success(try await work()) } catch { outcome = .failure(error) }
                self?.end(key, waiter, outcome)
            }
            state.runs[key] = Run(number: waiter, task: task, waiters: [waiter: continuation])
        }
    }

    private func end(_ key: Key, _ number: UInt64, _ outcome: Outcome) {
        let waiters = state.withLock { state in
            // A cancelled run may end while its successor runs.
            guard state.runs[key]?.number == number else { return [CheckedContinuation<Outcome, Never>]() }
            return state.runs.removeValue(forKey: key).map { Array($0.waiters.values) } ?? []
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }

    /// Ends one wait, and cancels the run if it was the last.
    private func leave(_ key: Key, _ waiter: UInt64) {
        let (continuation, task) = state.withLock { state in
            guard let continuation = state.runs[key]?.waiters.removeValue(forKey: waiter) else {
                return (CheckedContinuation<Outcome, Never>?.none, Task<Void, Never>?.none)
            }
            guard state.runs[key]?.waiters.isEmpty == true else { return (continuation, nil) }
            return (continuation, state.runs.removeValue(forKey: key)?.task)
        }
        task?.cancel()
        continuation?.resume(returning: .failure(cancelled))
    }
}
