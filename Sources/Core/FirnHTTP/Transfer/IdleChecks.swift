import FirnSync

/// Ends transfers that receive too little for too long. All transfers of a loader share one timer: nearly all end long
/// before their deadlines, and a timer each would cost more than the rest of a small transfer's bookkeeping.
///
/// Invariant: the timer fires no later than the earliest deadline of the watched transfers.
///
/// Safety: used on the network thread only.
final class IdleChecks: @unchecked Sendable {
    private let thread: NetworkThread
    private var watched: [ObjectIdentifier: HTTPTransfer] = [:]
    private var timer: (deadline: Int64, ticket: TimerQueue.Ticket)?

    init(_ thread: NetworkThread) { self.thread = thread }

    /// Starts checking a transfer's deadline.
    func watch(_ transfer: HTTPTransfer) {
        watched[ObjectIdentifier(transfer)] = transfer
        if let deadline = transfer.deadline { check(by: deadline) }
    }

    func leave(_ transfer: HTTPTransfer) { watched[ObjectIdentifier(transfer)] = nil }

    private func check(by deadline: Int64) {
        if let timer {
            guard deadline < timer.deadline else { return }
            thread.cancel(timer.ticket)
        }
        // Weak: the timer outlives the last transfer and must not keep connections open.
        timer = (deadline, thread.schedule(at: deadline) { [weak self] in self?.checkAll() })
    }

    private func checkAll() {
        timer = nil
        let now = MonotonicClock.now()
        // A copy, since a transfer past its deadline removes itself.
        for transfer in Array(watched.values) {
            guard let deadline = transfer.deadline else { continue }
            if deadline <= now { transfer.endForTimeout(now) } else { check(by: deadline) }
        }
    }
}
