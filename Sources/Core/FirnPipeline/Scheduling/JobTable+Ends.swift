// Ends of jobs.
extension JobTable {
    /// Ends a started job.
    ///
    /// - Parameter ended: receives the clients for which this was the last step, or, after a failure, all that waited
    ///   for the job.
    @discardableResult
    mutating func finish(
        _ ticket: JobTicket, _ outcome: Outcome, now: Moment, ended: inout [Client], makeChild: MakeChild
    ) -> Aftermath {
        own()
        advance(to: now)
        guard let job = job(ticket) else { return .none }
        let phase = jobs[job].phase
        guard phase == .running || phase == .held || phase == .abandoned else { return .none }
        if jobs[job].transfer >= 0 {
            unlist(job)
            endTransfer(job, isCancelled: phase == .abandoned)
        } else {
            running[Int(jobs[job].stage.rawValue)] -= 1
        }
        if phase == .abandoned || jobs[job].stage.isDetached {
            releaseMemory(job)
            free(job: job)
            trim()
            return .none
        }
        if jobs[job].traits.contains(.isEarly) {
            finishEarly(job, outcome, &ended, makeChild)
            return .none
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
            return succeed(job, &ended, makeChild)
        }
        return .none
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

    private mutating func succeed(_ job: Int32, _ ended: inout [Client], _ makeChild: MakeChild) -> Aftermath {
        let isUnwanted = jobs[job].firstTask < 0 && jobs[job].traits.contains(.mayKeep)
        jobs[job].phase = .finished
        if jobs[job].firstChild >= 0 { endEarlyStates(of: job) }
        while jobs[job].firstTask >= 0 { pass(jobs[job].firstTask, beyond: job, &ended, makeChild) }
        if jobs[job].firstChild >= 0 { wakeWaitingDecode(of: job) }
        releaseUnneeded(job)
        trim()
        return isUnwanted ? .keep : .none
    }

    /// Ends a task if the finished job was its last step; otherwise moves it to the next job.
    mutating func pass(_ task: Int32, beyond job: Int32, _ ended: inout [Client], _ makeChild: MakeChild) {
        _ = detach(task)
        if stepCount(task) <= Int(jobs[job].depth) {
            if let client = free(task: task) { ended.append(client) }
        } else {
            descend(task, from: job, makeChild)
        }
    }
}
