import FirnSync

/// Runs equal work once: all who wait for a key get the result or the error of one run.
///
/// Each waiter has a deadline of its own. The run is cancelled when its last waiter leaves, by cancellation or at its
/// deadline; a later waiter for the key then starts a new run.
package final class WorkTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private typealias Outcome = Result<Value, ServeError>

    private struct Entry {
        /// Tells runs of one key apart.
        let run: UInt64
        var task: Task<Void, Never>?
        var waiters: [UInt64: CheckedContinuation<Outcome, Never>] = [:]
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var last: UInt64 = 0
        var started = 0
        var shared = 0

        mutating func number() -> UInt64 {
            last &+= 1
            return last
        }
    }

    private let state = Locked(State())

    package init() {}

    /// The runs that were started.
    package var started: Int { state.withLock { $0.started } }
    /// The waiters that joined a run of another one.
    package var shared: Int { state.withLock { $0.shared } }
    /// The runs that have not ended and have waiters.
    package var running: Int { state.withLock { $0.entries.count } }

    /// The requests that wait.
    package var waiting: Int { state.withLock { $0.entries.values.reduce(0) { $0 + $1.waiters.count } } }

    /// Waits for the value of a key, and makes it if no run does.
    ///
    /// - Parameters:
    ///   - limit: how long this caller waits at most.
    ///   - work: makes the value; runs in a task of its own, which is cancelled when its last waiter leaves.
    /// - Throws: the error of the run, ``ServeError/timeout``, or ``ServeError/clientClosed`` if the task of the caller
    ///   is cancelled.
    package func value(
        for key: Key, within limit: Duration, _ work: @escaping @Sendable () async throws(ServeError) -> Value
    ) async throws(ServeError) -> Value {
        let waiter = state.withLock { $0.number() }
        let timer = Task { [weak self] in
            do { try await Task.sleep(for: limit) } catch { return }
            self?.leave(key, waiter, .timeout)
        }
        defer { timer.cancel() }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait(continuation, for: key, as: waiter, work)
                // Order: a cancellation before the waiter was in the table had no effect.
                if Task.isCancelled { leave(key, waiter, .clientClosed) }
            }
        } onCancel: {
            leave(key, waiter, .clientClosed)
        }
        return try outcome.get()
    }

    private func wait(
        _ continuation: CheckedContinuation<Outcome, Never>, for key: Key, as waiter: UInt64,
        _ work: @escaping @Sendable () async throws(ServeError) -> Value
    ) {
        state.withLock { state in
            if state.entries[key] != nil {
                state.entries[key]?.waiters[waiter] = continuation
                state.shared += 1
                return
            }
            var entry = Entry(run: state.number())
            entry.waiters[waiter] = continuation
            state.started += 1
            entry.task = Task { [weak self, run = entry.run] in
                let outcome: Outcome
                do throws(ServeError) { outcome = .success(try await work()) } catch { outcome = .failure(error) }
                self?.end(key, run, outcome)
            }
            state.entries[key] = entry
        }
    }

    /// Gives the outcome of a run to all who wait.
    private func end(_ key: Key, _ run: UInt64, _ outcome: Outcome) {
        let waiters = state.withLock { state in
            // A run that was cancelled may end beside its successor.
            guard state.entries[key]?.run == run else { return [CheckedContinuation<Outcome, Never>]() }
            return state.entries.removeValue(forKey: key).map { Array($0.waiters.values) } ?? []
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }

    /// Ends one wait, and the run if it was the last.
    private func leave(_ key: Key, _ waiter: UInt64, _ error: ServeError) {
        let (continuation, task) = state.withLock { state in
            guard let continuation = state.entries[key]?.waiters.removeValue(forKey: waiter) else {
                return (CheckedContinuation<Outcome, Never>?.none, Task<Void, Never>?.none)
            }
            guard state.entries[key]?.waiters.isEmpty == true else { return (continuation, nil) }
            return (continuation, state.entries.removeValue(forKey: key)?.task)
        }
        task?.cancel()
        continuation?.resume(returning: .failure(error))
    }
}
