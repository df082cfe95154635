// Starts and ends jobs when a script says so, without threads and network.
extension SimulatedEngine {
    /// Starts the next job, as a worker does.
    ///
    /// - Returns: whether there was a job.
    @discardableResult
    func startByHand() -> Bool {
        guard let start = table.next(now: now) else { return false }
        tally.starts += 1
        pausedLately = 0
        takeOrders()
        noteStart(start)
        if start.stage == .transfer {
            if start.isResumption { resume(start.work, start.number) } else { start.work.transfer.hasBegun = true }
        }
        if start.stage == .decode, let parent = start.work.parent, parent.state != .over { tally.earlySlices += 1 }
        settle()
        return true
    }

    func reserveByHand(_ work: Work, _ bytes: Int) {
        work.hasAskedMemory = true
        work.memory = bytes
        if !table.reserve(bytes, for: work.ticket) {
            tally.parked += 1
            work.state = .parked
            running.removeAll { $0 === work }
        }
        settle()
    }

    /// Delivers the response of the source, or the next bytes.
    func arriveByHand(_ work: Work) {
        if !work.transfer.hasResponded {
            work.transfer.hasResponded = true
            table.transferResponded(work.ticket, at: now)
        }
        work.transfer.received += 70_000
        table.transferProgressed(
            work.ticket, received: work.transfer.received, expected: work.transfer.expected, now: now,
            makeChild: makeChild)
        settle()
    }
}
