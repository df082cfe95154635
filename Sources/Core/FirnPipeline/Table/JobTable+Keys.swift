// Root jobs by key.
extension JobTable {
    /// Closes jobs to tasks that are added later, with all jobs of the same root. Visits every job.
    ///
    /// - Parameters:
    ///   - isMeant: whether a job is meant.
    ///   - isWaiting: whether the job that a client waits for is meant.
    /// - Returns: the work of the jobs that were meant.
    mutating func close(where isMeant: (Work) -> Bool, orWith isWaiting: (Client) -> Bool) -> [Work] {
        own()
        var closed: [Work] = []
        for job in 0..<Int32(jobs.count) where jobs[job].phase != .free {
            guard let work = jobs[job].work,
                isMeant(work) || tasks(on: job).contains(where: { tasks[$0].client.map(isWaiting) ?? false })
            else { continue }
            closed.append(work)
            var root = job
            while jobs[root].parent >= 0 { root = jobs[root].parent }
            close(root)
        }
        return closed
    }

    /// Closes the root of a key to tasks that are added later, with all its jobs.
    mutating func closeRoot(of key: Key) {
        own()
        if let root = keys[key] { close(root) }
    }

    /// Closes the root of a job to tasks that are added later, with all its jobs.
    mutating func closeRoot(of ticket: JobTicket) {
        own()
        guard var root = job(ticket) else { return }
        while jobs[root].parent >= 0 { root = jobs[root].parent }
        close(root)
    }

    private mutating func close(_ root: Int32) {
        removeRoot(root)
        if jobs[root].phase == .finished { releaseUnneeded(root) }
    }

    /// Removes a root from the index, so that no task joins it.
    mutating func removeRoot(_ job: Int32) {
        if let key = jobs[job].key.take() { keys[key] = nil }
    }

    /// Returns whether a look-up may lead to a root.
    mutating func isAwaited(_ job: Int32) -> Bool {
        if lookups.isEmpty { return false }
        return jobs[job].key.map { lookups[$0] != nil } ?? false
    }

    /// Records that a look-up has ended, and frees the finished root that waited for it.
    mutating func endLookup(_ job: Int32) {
        guard let key = jobs[job].leadsTo.take(), let count = lookups[key] else { return }
        lookups[key] = count > 1 ? count - 1 : nil
        if count == 1, let root = keys[key], jobs[root].phase == .finished { releaseUnneeded(root) }
    }
}
