// The memory budget of decodes.
extension JobTable {
    /// Requests `bytes` of memory for a running decode.
    ///
    /// - Returns: `false` if the decode has to wait. It then no longer runs, and starts again once the memory is
    ///   free.
    mutating func reserve(_ bytes: Int, for ticket: JobTicket) -> Bool {
        own()
        guard let job = job(ticket), jobs[job].phase == .running, !jobs[job].traits.contains(.hasMemory) else {
            return true
        }
        jobs[job].traits.insert(.hasMemory)
        let jobs = jobs
        if memory.ask(max(0, bytes), for: job, limit: decodingLimit, level: { Int(jobs[$0].level) }) {
            return true
        }
        running[Int(jobs[job].stage.rawValue)] -= 1
        jobs[job].phase = .parked
        dropEarlyDecodes()
        return false
    }

    /// Frees the memory of a job, and removes its request for memory.
    mutating func releaseMemory(_ job: Int32) {
        guard jobs[job].traits.contains(.hasMemory) else { return }
        jobs[job].traits.remove(.hasMemory)
        memory.giveBack(job)
        grantMemory()
    }

    /// Reserves memory for an image outside of any job, if enough is free.
    mutating func lend(_ bytes: Int) -> Bool {
        own()
        return memory.lend(max(0, bytes), limit: decodingLimit)
    }

    /// Frees reserved memory.
    mutating func takeBack(_ bytes: Int) {
        own()
        memory.takeBack(max(0, bytes))
        grantMemory()
    }

    /// Sets the memory that is available for all decodes, in addition to their own limit.
    mutating func setDecodingRoom(_ bytes: Int) {
        own()
        decodingRoom = bytes
        grantMemory()
    }

    mutating func grantMemory() {
        guard !memory.waiting.isEmpty else { return }
        let jobs = jobs
        while let job = memory.grantNext(limit: decodingLimit, level: { Int(jobs[$0].level) }) { enqueue(job) }
    }

    /// Drops early decodes that hold memory and wait for bytes, if a job of at least their level then gets its
    /// memory.
    ///
    /// An early decode takes memory only from early decodes of lower levels, and a dropped one does not start again:
    /// its image is decoded at once when the body is complete. So two early decodes never take memory from each other
    /// in turns. An early decode whose transfer is paused yields to every job, because that transfer resumes only
    /// after the jobs that wait for the memory.
    mutating func dropEarlyDecodes() {
        while let needy = memory.waiting.max(by: { jobs[$0.job].level < jobs[$1.job].level }) {
            let level = jobs[needy.job].level - (jobs[needy.job].traits.contains(.isEarly) ? 1 : 0)
            let idle = sessions.filter {
                jobs[$0].phase == .starved && jobs[$0].traits.contains(.hasMemory)
                    && (jobs[$0].level <= level || jobs[$0].parent >= 0 && jobs[jobs[$0].parent].phase == .held)
            }
            guard jobs[needy.job].level >= 0, let first = idle.min(by: { jobs[$0].level < jobs[$1].level }) else {
                return
            }
            let freed = idle.reduce(0) { $0 + memory.held(by: $1) }
            let others = memory.promised - freed
            guard others == 0 || needy.bytes <= decodingLimit - others else { return }
            let transfer = jobs[first].parent
            if transfer >= 0 { jobs[transfer].traits.insert(.refusesEarly) }
            dropEarly(first)
        }
    }
}
