// Jobs start, pause for memory, and finish.
extension JobTable {
    /// How a started job came out.
    enum Outcome {
        /// Its work holds the product; what waited for it goes on from there.
        case finished
        /// It goes on in another stage.
        case moves(JobStage)
        /// It has no product; all who wait for it are told so.
        case failed
        /// A decode has used up the bytes there are, and goes on when there are more.
        case starved
    }

    /// The best job to start now, if limits let one start; it counts as running until `finish`.
    ///
    /// Order: by priority; among equals what is nearest to a picture; among those first in, first out.
    mutating func next(now: Moment) -> Start? {
        guard let index = queues.first(in: openLists), let work = jobs[Int(index)].work else { return nil }
        queues.remove(index, &links)
        jobs[Int(index)].phase = .running
        let stage = jobs[Int(index)].stage
        running[Int(stage.rawValue)] += 1
        return Start(ticket: ticket(ofJob: index), work: work, stage: stage)
    }

    /// Whether `next` would return a job.
    var hasRunnable: Bool { queues.first(in: openLists) != nil }

    /// Whether somebody waits for a started job.
    func isWanted(_ ticket: JobTicket) -> Bool {
        job(ticket).map { jobs[Int($0)].phase != .abandoned } ?? false
    }

    /// Whether no store is waiting or at work.
    var hasStored: Bool { count(.store) == 0 && running[Int(JobStage.store.rawValue)] == 0 }

    /// Ends a started job.
    ///
    /// - Parameter ended: gets the clients whose last step this was, or, after a failure, all who waited for it.
    @discardableResult
    mutating func finish(
        _ ticket: JobTicket, _ outcome: Outcome, now: Moment, ended: inout [Client],
        makeChild: (Work?, Step) -> (Work, JobStage)
    ) -> Aftermath {
        guard let job = job(ticket) else { return .none }
        running[Int(jobs[Int(job)].stage.rawValue)] -= 1
        giveBack(job)
        if jobs[Int(job)].phase == .abandoned || jobs[Int(job)].stage == .store {
            freeJob(job)
            return .none
        }
        switch outcome {
        case .starved: enqueue(job)
        case .moves(let stage):
            jobs[Int(job)].stage = stage
            enqueue(job)
        case .failed:
            // Out of the table first, so that whoever asks again starts anew.
            while let task = firstTask(of: job) {
                _ = detach(task)
                if let client = tasks[Int(task)].client { ended.append(client) }
                freeTask(task)
            }
            unlinkAndFree(job)
        case .finished:
            jobs[Int(job)].phase = .finished
            while let task = firstTask(of: job) {
                _ = detach(task)
                if stepCount(task) <= Int(jobs[Int(job)].depth) {
                    if let client = tasks[Int(task)].client { ended.append(client) }
                    freeTask(task)
                } else {
                    descend(task, from: job, makeChild)
                }
            }
            _ = release(job)
        }
        return .none
    }

    // MARK: Transfers under way

    /// The source has answered: the body follows.
    mutating func transferAnswered(_ ticket: JobTicket, now: Moment) {}

    /// More has arrived.
    ///
    /// - Parameters:
    ///   - received: bytes there are now.
    ///   - expected: bytes there will be, if the source said so.
    mutating func transferProgressed(
        _ ticket: JobTicket, received: Int, expected: Int?, now: Moment,
        makeChild: (Work?, Step) -> (Work, JobStage)
    ) {}

    /// Asks for `bytes` of memory for a running decode.
    ///
    /// - Returns: `false` if the decode has to wait: it is then no longer running, and starts again once the memory is there.
    mutating func reserve(_ bytes: Int, for ticket: JobTicket) -> Bool {
        guard let job = job(ticket), jobs[Int(job)].phase == .running, jobs[Int(job)].reserved == 0 else { return true }
        jobs[Int(job)].reserved = bytes
        if fits(bytes) {
            reservedBytes += bytes
            return true
        }
        running[Int(jobs[Int(job)].stage.rawValue)] -= 1
        jobs[Int(job)].phase = .parked
        parked.append(job)
        return false
    }

    // MARK: Leaving the table

    /// Lets go of a job that nobody waits for any more, and of what only it kept.
    ///
    /// - Returns: its work if it is running and has to be stopped.
    mutating func release(_ start: Int32) -> Work? {
        guard jobs[Int(start)].firstTask < 0, jobs[Int(start)].firstChild < 0 else { return nil }
        switch jobs[Int(start)].phase {
        case .running:
            let work = jobs[Int(start)].work
            unlink(start)
            jobs[Int(start)].phase = .abandoned
            return work
        case .queued:
            queues.remove(start, &links)
            giveBack(start)
        case .parked:
            parked.removeAll { $0 == start }
            jobs[Int(start)].reserved = 0
        case .finished: break
        case .free, .abandoned: return nil
        }
        unlinkAndFree(start)
        return nil
    }

    private mutating func unlinkAndFree(_ job: Int32) {
        unlink(job)
        freeJob(job)
    }

    /// Takes a job out of its parent's children, or out of the roots, so that nobody joins it.
    private mutating func unlink(_ job: Int32) {
        if let key = jobs[Int(job)].key {
            // Invariant: a job that has a key is the root that the key leads to.
            roots[key] = nil
            jobs[Int(job)].key = nil
        }
        let parent = jobs[Int(job)].parent
        guard parent >= 0 else { return }
        let next = jobs[Int(job)].nextSibling
        let previous = jobs[Int(job)].previousSibling
        if previous >= 0 { jobs[Int(previous)].nextSibling = next } else { jobs[Int(parent)].firstChild = next }
        if next >= 0 { jobs[Int(next)].previousSibling = previous }
        jobs[Int(job)].parent = -1
        jobs[Int(job)].nextSibling = -1
        jobs[Int(job)].previousSibling = -1
        jobs[Int(parent)].waiting.remove(jobs[Int(job)].level)
        refreshLevel(parent)
        _ = release(parent)
    }

    private func firstTask(of job: Int32) -> Int32? {
        let task = jobs[Int(job)].firstTask
        return task < 0 ? nil : task
    }

    // MARK: Limits

    mutating func enqueue(_ job: Int32) {
        jobs[Int(job)].phase = .queued
        queues.append(job, jobs[Int(job)].stage, jobs[Int(job)].level, &links)
    }

    private func count(_ stage: JobStage) -> Int { queues.counts[Int(stage.rawValue)] }

    /// The lists that jobs may be started from now.
    private var openLists: UInt32 {
        func bit(_ stage: JobStage) -> UInt32 { 1 << UInt32(stage.rawValue) }
        func runs(_ stage: JobStage) -> Int { running[Int(stage.rawValue)] }
        var stages: UInt32 = 0
        if runs(.process) + runs(.decode) < limits.computing { stages |= bit(.process) | bit(.decode) }
        if runs(.store) < limits.storing { stages |= bit(.store) }
        if count(.decode) + parked.count < limits.backlog {
            if runs(.read) < limits.reading { stages |= bit(.read) }
            if runs(.transfer) < limits.transferring, count(.store) < limits.storeBacklog { stages |= bit(.transfer) }
        }
        return JobQueues.mask(stages)
    }

    private func fits(_ bytes: Int) -> Bool {
        reservedBytes == 0 || bytes <= min(limits.decodingBytes, decodingRoom) - reservedBytes
    }

    /// Gives a job's memory to those who wait for it: the most urgent first, among equals the oldest that fits.
    ///
    /// Nobody overtakes a more urgent one, and nobody is overtaken by equals more than eight times.
    private mutating func giveBack(_ job: Int32) {
        reservedBytes -= jobs[Int(job)].reserved
        jobs[Int(job)].reserved = 0
        while let most = parked.max(by: { level($0) < level($1) }), grant(at: level(most)) {}
    }

    /// Grants memory to parked jobs of one level.
    ///
    /// - Returns: whether all of them got it, so that those of the next level may.
    private mutating func grant(at most: Int) -> Bool {
        var passed: [Int32] = []
        for next in parked where level(next) == most {
            if fits(jobs[Int(next)].reserved) {
                parked.removeAll { $0 == next }
                reservedBytes += jobs[Int(next)].reserved
                for other in passed { jobs[Int(other)].overtaken += 1 }
                enqueue(next)
            } else {
                passed.append(next)
                if jobs[Int(next)].overtaken >= 8 { break }
            }
        }
        return passed.isEmpty
    }

    private func level(_ job: Int32) -> Int { jobs[Int(job)].level }
}
