import FirnSync

/// Runs work one item at a time, on the thread that finds the queue empty.
final class SerialQueue: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isWorking = false
    }

    private let state = Locked(State())

    /// Runs `work`, and everything that is added during it, on this thread; or queues it for the thread that is already
    /// running work.
    func add(_ work: @escaping @Sendable () -> Void) {
        let begins = state.withLock { state in
            state.waiting.append(work)
            guard !state.isWorking else { return false }
            state.isWorking = true
            return true
        }
        guard begins else { return }
        while let next = state.withLock({ state in
            if state.waiting.isEmpty {
                state.isWorking = false
                return nil
            }
            return state.waiting.removeFirst()
        }) as (@Sendable () -> Void)? { next() }
    }
}
