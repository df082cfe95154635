// Transfers whose hosts are at their limit are blocked: kept in lists of their host, so that they are not examined
// repeatedly.
//
// Order: blocked transfers keep their order, paused ones first. They are tried before another transfer of their host
// starts, because a running transfer may have dropped to a lower level since then, so that it can be paused.
extension JobTable {
    /// Blocks a transfer until fewer run from its host.
    mutating func block(_ job: Int32) {
        unlist(job)
        let host = jobs[job].host
        let level = Int(jobs[job].level)
        let last = lastBefore(job, hosts[host].blocked[level])
        hosts.block(job, on: host, level, behind: last, JobTable.blockedLists, links)
    }

    /// Returns blocked transfers of a host to the queues: of each level the paused ones, and the first of the others.
    mutating func unblock(_ host: Int32, isForced: Bool = false) {
        guard host >= 0, hosts[host].blockedCount > 0 else { return }
        guard isForced || hosts[host].running < limits.transferringPerHost else { return }
        for level in 0..<JobQueues.levels {
            while hosts[host].blocked[level].head >= 0 {
                let job = hosts[host].blocked[level].head
                unlist(job)
                putBack(job)
                if jobs[job].phase != .held { break }
            }
        }
    }

    /// Returns a transfer of a host to its place in the queues.
    mutating func putBack(_ job: Int32) {
        let level = Int(jobs[job].level)
        guard jobs[job].phase != .held, level >= 0 else { return list(job) }
        queues.insert(job, .network, level, behind: lastBefore(job, inListOf: level), links)
    }

    /// The transfer behind which a formerly blocked one is inserted in the queue of its level: at the end from which
    /// jobs are taken, but after those of its host that were inserted there earlier.
    private mutating func lastBefore(_ job: Int32, inListOf level: Int) -> Int32 {
        let list = JobQueues.list(.network, level)
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
