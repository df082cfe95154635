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

    // The bytes that bodies hold until they are decoded.
    //
    // A transfer claims the bytes that its body may come to hold; a stalled one claims only what has arrived. A body
    // claims its bytes until the last job that uses it has ended. If all claims exceed `StageLimits.heldBytes`,
    // transfers stall: those of the lowest level first, then of the host with the largest claims, then the one that was
    // started last. A stalled transfer keeps its slot and its connection, and its sender gets back-pressure. They
    // proceed in the opposite order, each as soon as its claim fits.
    //
    // Invariant: of the transfers whose source has responded, at least one is not stalled. So a body that alone exceeds
    // the limit arrives, too, and no transfer waits for another one that waits.

    /// Updates the claim of a running or paused transfer.
    mutating func claim(of job: Int32) {
        guard limits.heldBytes < .max else { return }
        let index = Int(jobs[job].transfer)
        let entry = transfers[index]
        claim(entry.isStalled ? entry.received : entry.claim, for: job)
        if entry.isStalled { leastGrowth = min(leastGrowth, growth(of: index)) }
        balanceHeld()
    }

    /// Sets the bytes that a job claims.
    mutating func claim(_ bytes: Int, for job: Int32) {
        // A single body beyond the limit counts as the limit. Sums cannot overflow.
        let bytes = min(max(0, bytes), limits.heldBytes, 1 << 40)
        let change = bytes - jobs[job].claim
        jobs[job].claim = bytes
        claimed += change
        if jobs[job].host >= 0 { hosts[jobs[job].host].claimed += change }
    }

    /// Stalls transfers until the claims fit, or lets stalled ones proceed. Visits the transfers only if one may
    /// change.
    mutating func balanceHeld() {
        while claimed > limits.heldBytes, transfers.reading > 1, let index = next(isStalled: false) {
            setStalled(index, true)
        }
        while transfers.stalled > 0, transfers.reading == 0 || leastGrowth <= limits.heldBytes - claimed {
            guard let index = next(isStalled: true) else { return }
            guard transfers.reading == 0 || growth(of: index) <= limits.heldBytes - claimed else {
                // Until more is free, or a transfer needs less.
                leastGrowth = growth(of: index)
                for other in 0..<transfers.count where transfers[other].isReading && transfers[other].isStalled {
                    leastGrowth = min(leastGrowth, growth(of: other))
                }
                return
            }
            setStalled(index, false)
        }
    }

    /// The bytes that a stalled transfer claims in addition if it proceeds.
    mutating func growth(of index: Int) -> Int {
        min(transfers[index].claim, limits.heldBytes) - jobs[transfers[index].job].claim
    }

    /// The transfer to stall next or, if `isStalled`, the one to proceed next.
    private func next(isStalled: Bool) -> Int? {
        var next: Int?
        for index in 0..<transfers.count
        where transfers[index].isReading && transfers[index].isStalled == isStalled {
            if let best = next, proceeds(index, before: best) != isStalled { continue }
            next = index
        }
        return next
    }

    func proceeds(_ index: Int, before other: Int) -> Bool {
        let (a, b) = (transfers[index], transfers[other])
        return (-a.level, claims(of: a.host), a.number) < (-b.level, claims(of: b.host), b.number)
    }

    private func claims(of host: Int32) -> Int { host >= 0 ? hosts[host].claimed : 0 }

    private mutating func setStalled(_ index: Int, _ isStalled: Bool) {
        let job = transfers[index].job
        transfers[index].isStalled = isStalled
        claim(isStalled ? transfers[index].received : transfers[index].claim, for: job)
        if isStalled { leastGrowth = min(leastGrowth, growth(of: index)) }
        guard let work = jobs[job].work else { return }
        orderNumber += 1
        orders.append(isStalled ? .stall(work, number: orderNumber) : .proceed(work, number: orderNumber))
    }
}
