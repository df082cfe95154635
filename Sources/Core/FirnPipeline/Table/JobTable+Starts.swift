// The choice of the next job.
extension JobTable {
    /// Returns the best job that the limits allow to start. It counts as running until `finish`.
    ///
    /// Order: by level; then by closeness to the image; then paused transfers; then by age, in the order of
    /// `StageLimits.order`.
    ///
    /// Bound: every 64th start that passes an older job of its group (computing, reading, transferring, previews,
    /// storing) takes the oldest job at the heads of the group's lists instead. So a job whose level does not change
    /// waits for a bounded number of starts. A transfer that was started this way is not paused for others.
    mutating func next(now: Moment) -> Start? {
        tick(now: now)
        return startBest()
    }

    /// Starts the job that `next` would return, if `isWanted` returns true for its work. Returns `nil`, too, if an
    /// older job may have to be started in its place.
    mutating func startBest(where isWanted: (Work) -> Bool) -> Start? {
        own()
        guard let best = best(), passes[kind(of: best).group] + 1 < StageLimits.passes, let work = jobs[best].work,
            isWanted(work)
        else { return nil }
        return start(best)
    }

    private mutating func startBest() -> Start? { best().flatMap { start($0) } }

    private mutating func start(_ best: Int32) -> Start? {
        let (job, isProtected) = fairly(best)
        // Order: charged before the next job of its host takes its turn.
        let host = jobs[job].host
        if host >= 0 { hosts[host].deficit -= HostRegistry.startCost }
        unlist(job)
        if jobs[job].stage == .transfer { return startTransfer(job, isProtected: isProtected) }
        guard let work = jobs[job].work else { return nil }
        jobs[job].phase = .running
        jobs[job].traits.remove(.hasUpdate)
        let stage = jobs[job].stage
        running[Int(stage.rawValue)] += 1
        if stage == .read, host >= 0, hosts[host].key.isFileSystem { hosts[host].running += 1 }
        return Start(ticket: ticket(ofJob: job), work: work, stage: stage, level: Int(jobs[job].level))
    }

    /// True if `next` would return a job, at the latest time received.
    var hasRunnable: Bool {
        mutating get {
            own()
            return best() != nil
        }
    }

    /// Returns the best job that may start. Blocks transfers whose hosts are at their limit.
    private mutating func best() -> Int32? {
        guard !limits.isSuspended, !queues.isEmpty else { return nil }
        var open = openLists()
        var reconsidered: Int32 = -1
        while let list = queues.first(in: open) {
            let kind = JobQueues.kind(list)
            switch kind {
            case .process, .decode, .preview, .store: return candidate(list)
            case .read:
                let job = firstInTurn(list)
                guard isReadBlocked(job) else { return job }
                block(job)
            case .resuming, .network, .local:
                let job = kind == .network ? firstTransfer(list, open) : candidate(list)
                switch room(for: job) {
                case .free, .byPausing:
                    guard reconsidered != jobs[job].host, isOutdone(job) else { return job }
                    reconsidered = jobs[job].host
                    unblock(reconsidered, isForced: true)
                case .hostIsFull: block(job)
                case .none: open &= ~(1 << UInt64(list))
                }
            }
        }
        return nil
    }

    /// The job of a nonempty list that starts first.
    @inline(__always) mutating func candidate(_ list: Int) -> Int32 {
        limits.order == .firstInFirstOut || JobQueues.kind(list) == .resuming ? queues.head(list) : queues.tail(list)
    }

    /// Returns whether the file system of a read has no free place.
    private mutating func isReadBlocked(_ job: Int32) -> Bool {
        jobs[job].host >= 0 && hosts[jobs[job].host].key.isFileSystem && isFull(jobs[job].host)
    }

    /// The transfer of a level that starts first, with or without network.
    private mutating func firstTransfer(_ list: Int, _ open: UInt64) -> Int32 {
        let first = firstInTurn(list)
        let local = JobQueues.list(.local, JobQueues.level(list))
        guard queues.filled & open & (1 << UInt64(local)) != 0 else { return first }
        let other = candidate(local)
        return isOlder(other, first) == (limits.order == .firstInFirstOut) ? other : first
    }

    /// Returns the best job, or, every 64th time, an older one that it would pass.
    private mutating func fairly(_ best: Int32) -> (job: Int32, isProtected: Bool) {
        let group = kind(of: best).group
        guard let oldest = oldest(in: group), oldest != best, isOlder(oldest, best) else { return (best, false) }
        passes[group] += 1
        guard passes[group] >= StageLimits.passes, mayStartOutOfOrder(oldest) else { return (best, false) }
        passes[group] = 0
        return (oldest, true)
    }

    /// The oldest job at the heads of a group's lists.
    private mutating func oldest(in group: Int) -> Int32? {
        var lists = queues.filled & groupMasks[group]
        // If only one list is filled, its first job is the best and the oldest.
        if lists & (lists &- 1) == 0, limits.order == .firstInFirstOut { return nil }
        var oldest: Int32?
        while lists != 0 {
            let head = queues.head(lists.trailingZeroBitCount)
            if let found = oldest { if isOlder(head, found) { oldest = head } } else { oldest = head }
            lists &= lists - 1
        }
        return oldest
    }

    private mutating func mayStartOutOfOrder(_ job: Int32) -> Bool {
        guard !limits.suspended.contains(StageSet(jobs[job].stage)) else { return false }
        guard jobs[job].stage == .transfer else { return jobs[job].stage != .read || !isReadBlocked(job) }
        let hasRoom = transfers.taken < limits.transferring && !isFull(jobs[job].host)
        switch kind(of: job) {
        case .resuming: return hasRoom
        case .network: return hasRoom && isFed && limiter.hasToken
        default: return hasRoom && isFed
        }
    }

    // MARK: Limits

    /// The lists from which jobs may start now.
    private mutating func openLists() -> UInt64 {
        var open: UInt64 = 0
        let suspended = limits.suspended
        @inline(__always) func mayStart(_ stage: JobStage) -> Bool { !suspended.contains(StageSet(stage)) }
        let computing = running[Int(JobStage.process.rawValue)] + running[Int(JobStage.decode.rawValue)]
        if computing < limits.computing {
            if mayStart(.process) { open |= JobQueues.mask(.process) }
            if mayStart(.decode) { open |= JobQueues.mask(.decode) }
        }
        if running[Int(JobStage.store.rawValue)] < limits.storing, mayStart(.store) { open |= JobQueues.mask(.store) }
        if running[Int(JobStage.preview.rawValue)] < limits.previewing, mayStart(.preview) {
            open |= JobQueues.mask(.preview)
        }
        if running[Int(JobStage.read.rawValue)] < limits.reading, mayStart(.read), hasBacklogCapacity {
            open |= JobQueues.mask(.read)
        }
        if queues.filled & JobTable.transferLists != 0, mayStart(.transfer) { open |= openTransferLists() }
        return open
    }

    private mutating func openTransferLists() -> UInt64 {
        let lowest = lowestOpenLevel()
        let onLine = isLineTaken ? max(lowest, JobLevel.firstHigh) : lowest
        var open = JobQueues.mask(.resuming, from: onLine)
        if isFed {
            if limiter.hasToken { open |= JobQueues.mask(.network, from: onLine) }
            open |= JobQueues.mask(.local, from: lowest)
        }
        return open
    }

    /// True if few enough bodies wait for decodes.
    private var hasBacklogCapacity: Bool {
        mutating get { queues.count(.decode) - queuedSessions + memory.waiting.count < limits.backlog }
    }

    /// True if more bytes may be fetched.
    var isFed: Bool {
        mutating get { hasBacklogCapacity && queues.count(.store) < limits.storeBacklog }
    }
}
