// Transfers: which ones get a slot, which ones are paused for others, and timed changes.
//
// Rules (the limits are in `StageLimits`):
// - There are limits for all transfers and for those of one host. Levels 0 and 1 leave some slots free.
// - While a transfer of a higher level runs or waits, running ones of levels 0 and 1 are paused, because they share
//   the bandwidth.
// - A transfer without a slot pauses the running one of the lowest level below its own; of equals, the one that was
//   started last. A transfer whose rest takes less time than its host's time to first byte is not paused.
// - A paused transfer keeps its place, precedes new ones of its level, and loses its connection if the pause lasts.
// - A failed transfer that is to be retried waits without a slot, and then resumes like a paused one.
// - A transfer without waiting tasks may finish if that takes less time than a new response of its host.
extension JobTable {
    /// Records that a transfer begins with bytes of an earlier one. They do not count for its host or its rate.
    mutating func transferBegan(
        _ ticket: JobTicket, with received: Int, expected: Int?, now: Moment, makeChild: MakeChild
    ) {
        tick(now: now)
        guard let job = job(ticket), jobs[job].transfer >= 0, jobs[job].phase != .abandoned else { return }
        transfers[Int(jobs[job].transfer)].began(with: received, expected: expected)
        claim(of: job)
        feedEarly(of: job, received: received, expected: expected, makeChild)
    }

    /// Records that the source has responded at a moment, which may be past; the body follows.
    mutating func transferResponded(_ ticket: JobTicket, at moment: Moment) {
        own()
        guard let job = job(ticket), jobs[job].transfer >= 0 else { return }
        note(responseOf: Int(jobs[job].transfer), at: moment)
    }

    /// Records that the connection of a paused transfer could not be released.
    mutating func transferKept(_ ticket: JobTicket) {
        own()
        guard let job = job(ticket), jobs[job].transfer >= 0 else { return }
        transfers[Int(jobs[job].transfer)].isReleased = false
    }

    private mutating func note(responseOf index: Int, at moment: Moment) {
        guard let time = transfers[index].responded(now: moment) else { return }
        balanceHeld()
        let host = transfers[index].host
        guard host >= 0 else { return }
        hosts[host].responded(in: time)
        adjustPlaces(of: host, isInTime: true)
    }

    /// Records that the source of a transfer refused its request, or that the transfer has timed out. A time-out after
    /// the first byte says nothing about the places of the host.
    mutating func transferFailed(_ ticket: JobTicket, hasTimedOut: Bool) {
        own()
        guard let job = job(ticket), jobs[job].transfer >= 0, jobs[job].host >= 0,
            !transfers[Int(jobs[job].transfer)].hasResponded
        else { return }
        adjustPlaces(of: jobs[job].host, isInTime: !hasTimedOut)
    }

    private mutating func adjustPlaces(of host: Int32, isInTime: Bool) {
        guard limits.sharesByHost else { return }
        hosts[host].adjustPlaces(isInTime, limit: limits.transferringPerHost)
        if isInTime { unblock(host) }
    }

    /// Records received bytes.
    ///
    /// - Parameters:
    ///   - received: the bytes so far.
    ///   - expected: the length of the body, if the source stated it.
    ///   - isQuiet: whether the bytes that follow are not reported. Default: they are.
    mutating func transferProgressed(
        _ ticket: JobTicket, received: Int, expected: Int?, isQuiet: Bool = false, now: Moment, makeChild: MakeChild
    ) {
        tick(now: now)
        guard let job = job(ticket), jobs[job].transfer >= 0, jobs[job].phase != .abandoned else { return }
        let index = Int(jobs[job].transfer)
        note(responseOf: index, at: clock)
        let host = jobs[job].host
        if host >= 0 { hosts[host].deficit -= max(0, received - transfers[index].received) }
        transfers[index].progressed(received: received, expected: expected, isQuiet: isQuiet, now: clock)
        claim(of: job)
        feedEarly(of: job, received: received, expected: expected, makeChild)
    }

    // MARK: Slots

    enum Room {
        case free
        /// By pausing the transfer of the entry at this index.
        case byPausing(Int)
        case hostIsFull
        case none
    }

    mutating func room(for job: Int32) -> Room {
        let level = Int(jobs[job].level)
        let host = jobs[job].host
        let isHostFull = isFull(host)
        let isFull =
            transfers.taken >= limits.transferring
            || level <= JobLevel.lastLow && transfers.low >= limits.lowTransfers
        if !isHostFull, !isFull { return .free }
        if let victim = victim(below: level, host: isHostFull ? host : -1) { return .byPausing(victim) }
        return isHostFull ? .hostIsFull : .none
    }

    /// The lowest level at which a transfer gets a slot, regardless of its host.
    mutating func lowestOpenLevel() -> Int {
        let isFree = transfers.taken < limits.transferring
        if isFree, transfers.low < limits.lowTransfers { return 0 }
        // Only transfers below the level of the most urgent waiting one could be paused for it.
        let waiting = queues.filled & JobTable.transferLists
        let highest = waiting == 0 ? 0 : JobQueues.level(waiting.trailingZeroBitCount)
        let lowest = victim(below: highest, host: -1).map { max(0, transfers[$0].level) + 1 }
        return min(lowest ?? JobQueues.levels, isFree ? JobLevel.firstHigh : JobQueues.levels)
    }

    private mutating func victim(below level: Int, host: Int32) -> Int? {
        guard limits.pausesTransfers else { return nil }
        guard transfers.lowestOnLine < level else { return nil }
        return transfers.victim(below: level, host: host, hosts, now: clock)
    }

    mutating func startTransfer(_ job: Int32, isProtected: Bool) -> Start? {
        guard jobs[job].work != nil else { return nil }
        let level = Int(jobs[job].level)
        let host = jobs[job].host
        if !isProtected, case .byPausing(let victim) = room(for: job) {
            hold(victim)
            // The memory of the paused transfer may have allowed a more urgent transfer to start, which would pause
            // this one at once.
            if level <= JobLevel.lastLow, host >= 0, isLineTaken {
                putBack(job)
                return next(now: clock)
            }
        }
        let isResumption = jobs[job].phase == .held
        var number: UInt64 = 0
        if isResumption {
            transfers.resume(Int(jobs[job].transfer), isProtected: isProtected, now: clock)
            orderNumber += 1
            number = orderNumber
        } else {
            jobs[job].transfer = transfers.begin(
                job: job, host: host, level: level, isProtected: isProtected, now: clock)
            jobs[job].traits.insert(.wantsEarly)
        }
        jobs[job].phase = .running
        claim(of: job)
        running[Int(JobStage.transfer.rawValue)] += 1
        if host >= 0 {
            hosts[host].running += 1
            unblock(host)
        }
        holdForUrgent()
        return jobs[job].work.map { work in
            Start(
                ticket: ticket(ofJob: job), work: work, stage: .transfer, level: level, isResumption: isResumption,
                number: number)
        }
    }

    mutating func endTransfer(_ job: Int32, isCancelled: Bool) {
        let index = Int(jobs[job].transfer)
        jobs[job].transfer = -1
        let host = transfers[index].host
        let isCharged = transfers[index].isCharged
        if !transfers[index].isHeld { leaveSlot(host) }
        if let moved = transfers.end(index) { jobs[moved].transfer = Int32(index) }
        if host >= 0, isCancelled != isCharged { if isCancelled { limiter.take() } else { limiter.giveBack() } }
        balanceHeld()
        unblock(host)
    }

    mutating func leaveSlot(_ host: Int32) {
        running[Int(JobStage.transfer.rawValue)] -= 1
        if host >= 0 { hosts[host].running -= 1 }
    }

    /// Records a new level of a transfer.
    mutating func refreshTransfer(_ job: Int32) {
        let index = Int(jobs[job].transfer)
        let level = Int(jobs[job].level)
        unlist(job)
        transfers.setLevel(index, level)
        let host = transfers[index].host
        if level >= 0, let work = jobs[job].work {
            orderNumber += 1
            orders.append(.prioritise(work, level, number: orderNumber))
        }
        if jobs[job].phase == .held {
            if !transfers[index].isWaiting { list(job) }
        } else if level == JobLevel.resting, host >= 0 {
            hold(index)
        }
        unblock(host, isForced: true)
        holdForUrgent()
        balanceHeld()
    }
}
