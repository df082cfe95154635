import NIOCore

/// Looks after transfers from which too little may come for too long: one timer for all of a loader's, since nearly all end long
/// before their time is over, and setting and cancelling one for each costs more than the rest of a small transfer's bookkeeping.
///
/// Invariant: there is a timer no later than the earliest moment at which one of those that are watched may be over.
///
/// Safety: touched on the loader's event loop only.
final class IdleChecks: @unchecked Sendable {
    private let eventLoop: any EventLoop
    private var watched: [ObjectIdentifier: HTTPTransfer] = [:]
    private var timer: (deadline: NIODeadline, task: Scheduled<Void>)?

    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// Asks a transfer from time to time whether it has waited too long.
    func watch(_ transfer: HTTPTransfer) {
        watched[ObjectIdentifier(transfer)] = transfer
        if let deadline = transfer.deadline { check(by: deadline) }
    }

    func leave(_ transfer: HTTPTransfer) { watched[ObjectIdentifier(transfer)] = nil }

    private func check(by deadline: NIODeadline) {
        if let timer {
            guard deadline < timer.deadline else { return }
            timer.task.cancel()
        }
        // Weakly: the timer stays when the last transfer has ended, and must not keep the connections open.
        timer = (deadline, eventLoop.scheduleTask(deadline: deadline) { [weak self] in self?.checkAll() })
    }

    private func checkAll() {
        timer = nil
        let now = NIODeadline.now()
        // A copy: who has waited too long ends, and leaves.
        for transfer in Array(watched.values) {
            guard let deadline = transfer.deadline else { continue }
            if deadline <= now { transfer.waitedTooLong(now) } else { check(by: deadline) }
        }
    }
}
