// Pausing transfers for others, and finishing transfers without tasks. `JobTable+Transfers.swift` has the rules.
extension JobTable {
    /// True if transfers of levels 0 and 1 yield their bandwidth.
    ///
    /// Order: new transfers count only while they could start. Otherwise a paused transfer might wait for one that
    /// waits for memory, which the paused transfer's early decode holds.
    var isLineTaken: Bool {
        mutating get {
            guard limits.pausesTransfers else { return false }
            let paused = JobQueues.mask(.resuming, from: JobLevel.firstHigh)
            if transfers.highOnLine > 0 || queues.filled & paused != 0 { return true }
            let new = JobQueues.mask(.network, from: JobLevel.firstHigh)
            guard hosts.blockedUrgent > 0 || queues.filled & new != 0 else { return false }
            return isFed && limiter.hasToken
        }
    }

    static var transferLists: UInt64 {
        JobQueues.mask(.network) | JobQueues.mask(.resuming) | JobQueues.mask(.local)
    }

    /// Pauses the running transfers of levels 0 and 1 if they share the bandwidth with more urgent ones.
    @inline(__always)
    mutating func holdForUrgent() {
        if transfers.lowOnLine > 0, isLineTaken { holdLow() }
    }

    private mutating func holdLow() {
        guard !limits.isSuspended, !limits.suspended.contains(StageSet(.transfer)) else { return }
        for index in 0..<transfers.count {
            let entry = transfers[index]
            if entry.isPausable, entry.level <= JobLevel.lastLow {
                hold(index)
            }
        }
    }

    /// Pauses a running transfer and frees its slot.
    mutating func hold(_ index: Int) {
        let job = transfers[index].job
        takeSlot(index, until: later(limits.holdTime))
        if transfers[index].host >= 0, !transfers[index].isCharged {
            transfers[index].isCharged = true
            // Order: refilled up to now before a token is taken; `add` only sets the clock.
            limiter.fill(now: clock)
            limiter.take()
        }
        if let work = jobs[job].work {
            orderNumber += 1
            orders.append(.pause(work, number: orderNumber))
        }
        list(job)
        made(roomOf: index)
    }

    private mutating func takeSlot(_ index: Int, until moment: Moment) {
        transfers[index].isStalled = false
        transfers.hold(index, until: moment)
        timer = min(timer, moment)
        leaveSlot(transfers[index].host)
        jobs[transfers[index].job].phase = .held
    }

    private mutating func made(roomOf index: Int) {
        unblock(transfers[index].host)
        balanceHeld()
        // Jobs may wait for the memory of its early decode.
        if !memory.waiting.isEmpty { dropEarlyDecodes() }
    }

    /// Makes a failed transfer wait for its retry. Until then it has neither a connection nor a slot; then it resumes
    /// like a paused one.
    ///
    /// - Returns: the number of the latest order; orders with lower numbers no longer count.
    mutating func transferWaits(_ ticket: JobTicket, for time: Moment, now: Moment) -> UInt64 {
        tick(now: now)
        guard let job = job(ticket), jobs[job].transfer >= 0 else { return .max }
        let index = Int(jobs[job].transfer)
        switch jobs[job].phase {
        case .running where transfers[index].isLingering:
            abandon(job)
            return .max
        case .running: takeSlot(index, until: later(time))
        case .held:
            unlist(job)
            transfers[index].until = later(time)
            timer = min(timer, transfers[index].until)
        default: return .max
        }
        transfers[index].isWaiting = true
        transfers[index].isReleased = true
        made(roomOf: index)
        return orderNumber
    }

    /// Lets a transfer without waiting tasks finish, if its end is near and its bytes can be stored.
    ///
    /// - Returns: whether it continues.
    mutating func linger(_ job: Int32) -> Bool {
        guard jobs[job].phase == .running, jobs[job].transfer >= 0, limits.finishesNearlyDone,
            jobs[job].traits.contains(.mayKeep)
        else { return false }
        let index = Int(jobs[job].transfer)
        guard transfers[index].isNearlyDone(hosts, now: clock) else { return false }
        jobs[job].level = Int8(JobLevel.unsubscribed)
        transfers.setLevel(index, JobLevel.unsubscribed)
        transfers[index].isLingering = true
        // It is stopped after twice the host's time to first byte.
        transfers[index].until = later(hosts[transfers[index].host].timeToFirstByte &* 2)
        timer = min(timer, transfers[index].until)
        balanceHeld()
        return true
    }

    mutating func later(_ time: Moment) -> Moment {
        let (moment, isTooLate) = clock.addingReportingOverflow(time)
        return isTooLate ? .max : moment
    }
}
