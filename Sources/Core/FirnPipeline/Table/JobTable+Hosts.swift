// Transfers whose hosts are at their limit are blocked: kept in lists of their host, so that they are not examined
// repeatedly. If hosts take turns, so are all transfers of a host behind its first one; see ``HostRegistry``.
//
// Order: blocked transfers keep their order, paused ones first. They are tried before another transfer of their host
// starts, because a running transfer may have dropped to a lower level since then, so that it can be paused.
extension JobTable {
    /// Inserts a new job behind those of its host, and its host at the end of the ring.
    mutating func joinRing(_ job: Int32) {
        let blocked = hosts[jobs[job].host].blocked[Int(jobs[job].level)]
        if blocked.isEmpty { takeTurn(job, isFirst: false) } else { putAside(job) }
    }

    /// Blocks a transfer until fewer run from its host.
    mutating func block(_ job: Int32) {
        unlist(job, passesTurn: false)
        putAside(job)
    }

    private mutating func putAside(_ job: Int32) {
        let host = jobs[job].host
        let level = Int(jobs[job].level)
        let last = lastBefore(job, hosts[host].blocked[level])
        hosts.block(job, on: host, level, behind: last, JobTable.blockedLists, links)
    }

    /// The number of transfers of a host, or of reads of a file system, that may run at once.
    func places(of host: Int32) -> Int {
        hosts[host].key.isFileSystem ? limits.readingPerHost : min(hosts[host].places, limits.transferringPerHost)
    }

    /// The number of transfers of a host that may run at once.
    func places(of key: HostKey) -> Int { hosts.place(of: key).map { places(of: $0) } ?? limits.transferringPerHost }

    mutating func isFull(_ host: Int32) -> Bool { host >= 0 && hosts[host].running >= places(of: host) }

    /// Returns blocked transfers of a host to the queues: of each level the paused ones, and the first of the others.
    mutating func unblock(_ host: Int32, isForced: Bool = false) {
        guard host >= 0, hosts[host].blockedCount > 0 else { return }
        guard isForced || !isFull(host) else { return }
        for level in 0..<JobQueues.levels { passTurn(of: host, level) }
    }

    /// Returns blocked transfers of a level to the queues: the paused ones, and the first of the others if it is the
    /// turn of none.
    mutating func passTurn(of host: Int32, _ level: Int) {
        while hosts[host].blocked[level].head >= 0 {
            let job = hosts[host].blocked[level].head
            guard jobs[job].phase == .held || hosts[host].turns[level] < 0 else { return }
            unlist(job)
            putBack(job)
            if jobs[job].phase != .held { return }
        }
    }

    /// The number of tasks that compute or wait for a core. The others wait for a source: their transfers or reads run,
    /// or could start but for other sources. Visits every job.
    mutating func tasksComputing() -> Int {
        let isFed = isFed
        return (0..<jobs.count).reduce(taskCount) { count, job in
            let (phase, stage) = (jobs[job].phase, jobs[job].stage)
            guard stage == .transfer || stage == .read, phase != .finished else { return count }
            guard isFed || phase != .queued || isFull(jobs[job].host) else { return count }
            return count - tasks(on: job).reduce(0) { sum, _ in sum + 1 }
        }
    }

    // MARK: Turns

    /// Returns whether a queued job waits for the turn of its host.
    mutating func waitsForTurn(_ job: Int32) -> Bool {
        guard limits.sharesByHost, jobs[job].host >= 0, jobs[job].phase != .held else { return false }
        return jobs[job].stage == .transfer || jobs[job].stage == .read && hosts[jobs[job].host].key.isFileSystem
    }

    /// Inserts a job into the ring of its level, unless its host already has another one there.
    mutating func takeTurn(_ job: Int32, isFirst: Bool) {
        let (host, level) = (jobs[job].host, Int(jobs[job].level))
        guard hosts[host].turns[level] < 0 else { return putAside(job) }
        hosts[host].turns[level] = job
        let kind = kind(of: job)
        queues.insert(job, kind, level, behind: isFirst ? -1 : queues.tail(JobQueues.list(kind, level)), links)
    }

    /// Returns the first job of a list. Hosts without bytes left in their turn move to its end before.
    mutating func firstInTurn(_ list: Int) -> Int32 {
        var job = candidate(list)
        let level = JobQueues.level(list)
        while limits.sharesByHost, jobs[job].host >= 0, hosts[jobs[job].host].turns[level] == job,
            hosts[jobs[job].host].deficit <= 0
        {
            hosts[jobs[job].host].beginTurn()
            queues.remove(job, links)
            queues.insert(job, JobQueues.kind(list), level, behind: queues.tail(list), links)
            job = candidate(list)
        }
        return job
    }

    /// Returns a transfer of a host to its place in the queues.
    mutating func putBack(_ job: Int32) {
        let level = Int(jobs[job].level)
        guard jobs[job].phase != .held, level >= 0 else { return list(job) }
        if waitsForTurn(job) { return takeTurn(job, isFirst: hosts[jobs[job].host].deficit > 0) }
        let kind = kind(of: job)
        queues.insert(job, kind, level, behind: lastBefore(job, inListOf: kind, level), links)
    }

    /// The transfer behind which a formerly blocked one is inserted in the queue of its level: at the end from which
    /// jobs are taken, but after those of its host that were inserted there earlier.
    private mutating func lastBefore(_ job: Int32, inListOf kind: QueueKind, _ level: Int) -> Int32 {
        let list = JobQueues.list(kind, level)
        let host = jobs[job].host
        guard limits.order == .firstInFirstOut else {
            var last = queues.tail(list)
            while last >= 0, jobs[last].host == host, goes(last, before: job) { last = links[last].previous }
            return last
        }
        var last: Int32 = -1
        var next = queues.head(list)
        while next >= 0, jobs[next].host == host, goes(next, before: job) {
            last = next
            next = links[next].next
        }
        return last
    }

    /// Returns whether a blocked transfer of the same host precedes a transfer.
    mutating func isOutdone(_ job: Int32) -> Bool {
        let host = jobs[job].host
        guard host >= 0, hosts[host].blockedCount > 0 else { return false }
        let level = Int(jobs[job].level)
        for higher in stride(from: JobQueues.levels - 1, to: level, by: -1) where !hosts[host].blocked[higher].isEmpty {
            return true
        }
        let equal = hosts[host].blocked[level].head
        return equal >= 0 && goes(equal, before: job)
    }

    /// The order of two transfers of one level: paused ones first, by age; the others by age or, for last in first
    /// out, the latest first.
    private mutating func goes(_ a: Int32, before b: Int32) -> Bool {
        let isHeld = jobs[a].phase == .held
        guard isHeld == (jobs[b].phase == .held) else { return isHeld }
        return isOlder(a, b) == (isHeld || limits.order == .firstInFirstOut)
    }

    /// The last transfer in a list that precedes a transfer; -1 for none. Usually it is one of the first, or the last
    /// of all.
    private mutating func lastBefore(_ job: Int32, _ list: JobList) -> Int32 {
        var last: Int32 = -1
        var next = list.head
        while next >= 0, jobs[next].phase == .held, goes(next, before: job) {
            last = next
            next = links[next].next
        }
        guard next >= 0, goes(next, before: job) else { return last }
        last = list.tail
        while last >= 0, !goes(last, before: job) { last = links[last].previous }
        return last
    }
}
