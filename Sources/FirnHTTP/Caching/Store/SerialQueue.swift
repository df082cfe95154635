import FirnSync

/// Work that is done one after the other, each by whichever thread came when the line was empty.
final class SerialQueue: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isWorking = false
    }

    private let state = Locked(State())

    /// Does `work` on this thread, with what others add meanwhile; or leaves it to the thread that is at it.
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
