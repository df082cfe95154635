// Root jobs by key.
extension JobTable {
    @inline(__always) mutating func root(_ key: Key, _ hash: UInt) -> Int32? {
        let jobs = jobs
        return keys.find(hash) { jobs[$0].key == key }
    }

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
            removeRoot(root)
        }
        return closed
    }

    /// Removes a root from the index, so that no task joins it.
    mutating func removeRoot(_ job: Int32) {
        guard let hash = jobs[job].key?.keyHash else { return }
        jobs[job].key = nil
        keys.remove(job, hash)
    }
}
