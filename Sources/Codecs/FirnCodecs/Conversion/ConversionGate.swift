import FirnSync

/// Limits the calls of a converter: all of them, and those that compute at the same time.
///
/// Invariant: a call waits for its turn only while `concurrency` others have theirs.
final class ConversionGate: Sendable {
    private struct State {
        var calls = 0
        var running = 0
        var nextNumber = 0
        /// The calls that wait for their turn, in order.
        var waiting: [(number: Int, call: CheckedContinuation<Bool, Never>)] = []
    }

    private let state = Locked(State())
    private let concurrency: Int
    /// The most calls at once; `nil` for any number.
    private let maximumCalls: Int?

    init(concurrency: Int, maximumWaiting: Int?) {
        self.concurrency = concurrency
        maximumCalls = maximumWaiting.map { concurrency.saturatingAdd(max(0, $0)) }
    }

    /// The number of calls that wait for their turn.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Runs a whole call.
    ///
    /// - Throws: ``/FirnImage/ImageError`` if there are too many calls; the errors of `call`.
    func admit<Value>(_ call: () async throws -> Value) async throws -> Value {
        let isAdmitted = state.withLock { state in
            if let maximumCalls, state.calls >= maximumCalls { return false }
            state.calls += 1
            return true
        }
        guard isAdmitted else { throw ImageError.busy }
        defer { state.withLock { $0.calls -= 1 } }
        return try await call()
    }

    /// Runs the part of a call that computes, after waiting for its turn.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it waits; the errors of `body`.
    func turn<Value>(_ body: () async throws -> Value) async throws -> Value {
        let number = state.withLock { state in
            defer { state.nextNumber &+= 1 }
            return state.nextNumber
        }
        let hasTurn = await withTaskCancellationHandler {
            await withCheckedContinuation { call in
                let hasTurn = state.withLock { state -> Bool? in
                    if Task.isCancelled { return false }
                    if state.running < concurrency {
                        state.running += 1
                        return true
                    }
                    state.waiting.append((number, call))
                    return nil
                }
                if let hasTurn { call.resume(returning: hasTurn) }
            }
        } onCancel: {
            let call = state.withLock { state -> CheckedContinuation<Bool, Never>? in
                guard let index = state.waiting.firstIndex(where: { $0.number == number }) else { return nil }
                return state.waiting.remove(at: index).call
            }
            call?.resume(returning: false)
        }
        guard hasTurn else { throw CancellationError() }
        defer { endTurn() }
        return try await body()
    }

    private func endTurn() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            if !state.waiting.isEmpty { return state.waiting.removeFirst().call }
            state.running -= 1
            return nil
        }
        next?.resume(returning: true)
    }
}
