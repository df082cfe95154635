import FirnSync
import Synchronization

/// The stripes of one image.
///
/// Safety: `body` is called only by the caller and by helpers that have joined and not yet left. `close` releases it
/// after all helpers have left. A later helper finds the job closed.
final class StripeJob: @unchecked Sendable {
    let count: Int
    private var body: (@Sendable (Int) -> Void)?
    private let next = Atomic<Int>(0)
    private let done = ThreadSemaphore()
    private let state: Locked<(isClosed: Bool, helpers: Int)> = Locked((false, 0))

    init(count: Int, body: @escaping @Sendable (Int) -> Void) {
        self.count = count
        self.body = body
    }

    /// Processes stripes until none is left.
    func work() {
        guard let body else { return }
        while true {
            let index = next.add(1, ordering: .relaxed).oldValue
            if index >= count { return }
            body(index)
        }
    }

    /// Processes stripes on a helper's thread, unless the job is closed.
    func help() {
        let isOpen = state.withLock { state in
            if !state.isClosed { state.helpers += 1 }
            return !state.isClosed
        }
        guard isOpen else { return }
        work()
        let isLast = state.withLock { state in
            state.helpers -= 1
            return state.isClosed && state.helpers == 0
        }
        if isLast { done.post() }
    }

    /// Closes the job for further helpers and waits for those that have joined.
    func close() {
        let waits = state.withLock { state in
            state.isClosed = true
            return state.helpers > 0
        }
        if waits { done.wait() }
        body = nil
    }
}
