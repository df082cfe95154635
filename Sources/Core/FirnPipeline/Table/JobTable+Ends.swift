// Ends of jobs.
extension JobTable {
    /// Ends a started job.
    ///
    /// - Parameters:
    ///   - ended: receives the clients for which this was the last step, or, after a failure, all that waited for the
    ///     job.
    ///   - isNeedless: returns whether a step would change nothing of the job's product. A client whose last step is
    ///     such a one ends with this job. Default: no step is.
    /// - Returns: whether the bytes of the job can be stored, although no task waits for them.
    @discardableResult
    mutating func finish(
        _ ticket: JobTicket, _ outcome: Outcome, now: Moment, ended: inout [Client], makeChild: MakeChild,
        isNeedless: (Step) -> Bool = { _ in false }
    ) -> Bool {
        tick(now: now)
        guard let job = job(ticket) else { return false }
        let phase = jobs[job].phase
        guard phase == .running || phase == .held || phase == .abandoned else { return false }
        if jobs[job].transfer >= 0 {
            unlist(job)
            endTransfer(job, isCancelled: phase == .abandoned)
        } else {
            running[Int(jobs[job].stage.rawValue)] -= 1
            let host = jobs[job].host
            if jobs[job].stage == .read, host >= 0, hosts[host].key.isFileSystem {
                hosts[host].running -= 1
                unblock(host)
            }
        }
        if phase == .abandoned || jobs[job].stage.isDetached {
            releaseMemory(job)
            free(job: job)
            trim()
            return false
        }
        if jobs[job].traits.contains(.isEarly) {
            finishEarly(job, outcome, &ended, makeChild)
            return false
        }
        switch outcome {
        // A transfer that lingers has no tasks.
        case .moves(let stage) where jobs[job].firstTask >= 0:
            releaseMemory(job)
            dropEarlyChildren(of: job)
            jobs[job].stage = stage
            enqueue(job)
        case .starved where jobs[job].traits.contains(.hasUpdate): enqueue(job)
        case .failed, .starved, .moves:
            releaseMemory(job)
            fail(job, &ended)
        case .finished:
            releaseMemory(job)
            return succeed(job, &ended, makeChild, isNeedless)
        }
        return false
    }

    /// Returns whether a task waits for a started job.
    mutating func isWanted(_ ticket: JobTicket) -> Bool {
        guard let job = job(ticket) else { return false }
        return jobs[job].phase != .abandoned
    }

    private mutating func fail(_ job: Int32, _ ended: inout [Client]) {
        // Order: removed from the table first, so that a new request starts a new job.
        jobs[job].phase = .abandoned
        dropEarlyChildren(of: job)
        while jobs[job].firstTask >= 0 {
            let task = jobs[job].firstTask
            _ = detach(task)
            if let client = free(task: task) { ended.append(client) }
        }
        unlinkAndFree(job)
        trim()
    }

    private mutating func succeed(
        _ job: Int32, _ ended: inout [Client], _ makeChild: MakeChild, _ isNeedless: (Step) -> Bool
    ) -> Bool {
        let isUnwanted = jobs[job].firstTask < 0 && jobs[job].traits.contains(.mayKeep)
        jobs[job].phase = .finished
        if jobs[job].firstChild >= 0 { endEarlyStates(of: job) }
        while jobs[job].firstTask >= 0 { pass(jobs[job].firstTask, beyond: job, &ended, makeChild, isNeedless) }
        // Starved decodes run for their last slice.
        for child in children(of: job) where jobs[child].phase == .starved { enqueue(child) }
        releaseUnneeded(job)
        trim()
        return isUnwanted
    }

    /// Returns whether a task needs no step beyond a job.
    mutating func ends(_ task: Int32, with job: Int32, _ isNeedless: (Step) -> Bool) -> Bool {
        let (depth, count) = (Int(jobs[job].depth), stepCount(task))
        return count <= depth || count == depth + 1 && tasks[task].steps.map { isNeedless($0[depth]) } ?? false
    }

    /// Ends a task if the finished job was its last step; otherwise moves it to the next job.
    mutating func pass(
        _ task: Int32, beyond job: Int32, _ ended: inout [Client], _ makeChild: MakeChild,
        _ isNeedless: (Step) -> Bool = { _ in false }
    ) {
        _ = detach(task)
        if ends(task, with: job, isNeedless) {
            if let client = free(task: task) { ended.append(client) }
        } else {
            descend(task, from: job, makeChild)
        }
    }
}
