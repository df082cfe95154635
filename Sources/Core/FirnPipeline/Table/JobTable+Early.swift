// Early decodes: decodes of arriving bytes.
//
// An early decode is a child of a running or paused transfer, one for each next step of the transfer's tasks. The
// tasks remain attached to the transfer and also count for the decode (`wanters`, `waiting`). The decode is queued
// when bytes arrive, and runs until it has read them all; then it is starved. When the transfer ends, the decode
// becomes an ordinary one, with its tasks.
extension JobTable {
    /// The unfinished early decode that a task counts for.
    @inline(__always) mutating func early(for task: Int32) -> Int32? {
        let job = tasks[task].job
        guard jobs[job].transfer >= 0, jobs[job].firstChild >= 0 else { return nil }
        guard let step = firstStep(task), let child = child(of: job, for: step) else { return nil }
        return jobs[child].traits.contains(.isEarly) ? child : nil
    }

    /// Adds a task of a transfer to its early decode.
    mutating func joinTransfer(_ task: Int32, _ job: Int32) {
        let index = Int(jobs[job].transfer)
        if transfers[index].isLingering {
            transfers[index].isLingering = false
            transfers[index].until = .max
        }
        guard let early = early(for: task) else {
            jobs[job].traits.insert(.wantsEarly)
            return
        }
        jobs[early].wanters += 1
        if !tasks[task].isPaused { jobs[early].waiting.add(Int(tasks[task].level)) }
        refreshLevel(early)
    }

    /// Removes a task of a transfer from its early decode.
    mutating func leaveEarly(_ early: Int32, _ task: Int32) {
        jobs[early].wanters -= 1
        if !tasks[task].isPaused { jobs[early].waiting.remove(Int(tasks[task].level)) }
        if jobs[early].wanters == 0 { dropEarly(early) } else { refreshLevel(early) }
    }

    /// Queues or starts early decodes after bytes have arrived.
    mutating func feedEarly(of job: Int32, received: Int, expected: Int?, _ makeChild: MakeChild) {
        wakeEarly(of: job)
        guard mayBeginEarly(of: job) else { return }
        // If the length is unknown, the rest is expected to be as long as the first part.
        let rest = expected.map { $0 - received } ?? received
        guard rest > 0 else { return }
        if rest >= limits.minimumEarlyBytes || isSlow(job) { beginEarly(of: job, makeChild) }
    }

    /// Looks at a transfer without an early decode again if no bytes arrive for as long as makes a preview worth it.
    mutating func awaitSilence(_ ticket: JobTicket) {
        own()
        guard let job = job(ticket), mayBeginEarly(of: job), limits.previewTime > 0 else { return }
        let moment = later(limits.previewTime)
        let transfer = Int(jobs[job].transfer)
        transfers[transfer].lookAt = min(transfers[transfer].lookAt, moment)
        timer = min(timer, moment)
    }

    /// Queues or starts the early decodes of a transfer that has fallen silent.
    mutating func decodeEarly(_ ticket: JobTicket, now: Moment, makeChild: MakeChild) {
        tick(now: now)
        guard let job = job(ticket), mayBeginEarly(of: job), isSlow(job) else { return }
        beginEarly(of: job, makeChild)
    }

    /// Returns whether a job is a running transfer whose tasks want an early decode.
    private mutating func mayBeginEarly(of job: Int32) -> Bool {
        jobs[job].transfer >= 0 && jobs[job].phase == .running && limits.sessions > 0
            && jobs[job].traits.contains(.wantsEarly) && !jobs[job].traits.contains(.refusesEarly)
    }

    /// Runs the early decodes of a transfer again.
    mutating func wakeEarly(of job: Int32) {
        for child in children(of: job) where jobs[child].traits.contains(.isEarly) {
            if jobs[child].phase == .starved { enqueue(child) } else { jobs[child].traits.insert(.hasUpdate) }
        }
    }

    /// Returns whether the rest of a transfer takes long enough for a preview.
    private mutating func isSlow(_ job: Int32) -> Bool {
        guard limits.previewTime > 0, let left = transfers[Int(jobs[job].transfer)].timeLeft(now: clock) else {
            return false
        }
        return left >= limits.previewTime
    }

    private mutating func beginEarly(of job: Int32, _ makeChild: MakeChild) {
        jobs[job].traits.remove(.wantsEarly)
        var refused: [Step] = []
        for task in tasks(on: job) {
            guard let step = firstStep(task), child(of: job, for: step) == nil, !refused.contains(step) else {
                continue
            }
            var wanters: Int32 = 0
            var waiting = PriorityCount()
            for other in tasks(on: job) where firstStep(other) == step {
                wanters += 1
                if !tasks[other].isPaused { waiting.add(Int(tasks[other].level)) }
            }
            guard let level = waiting.highest, sessions.count < limits.sessions || dropSession(below: level) else {
                jobs[job].traits.insert(.wantsEarly)
                refused.append(step)
                if refused.count > limits.sessions { return }
                continue
            }
            let (work, stage) = makeChild(jobs[job].work, step)
            guard stage == .decode else {
                jobs[job].traits.insert(.refusesEarly)
                return
            }
            let child = makeJob(stage, depth: 1, work: work)
            link(child, to: job, step)
            jobs[child].traits.insert(.isEarly)
            jobs[child].wanters = wanters
            jobs[child].waiting = waiting
            jobs[child].level = Int8(truncatingIfNeeded: level)
            sessions.append(child)
            enqueue(child)
        }
    }

    // MARK: Sessions

    /// Drops the starved decode of the lowest level below `level`. It starts again when a session is free.
    mutating func dropSession(below level: Int) -> Bool {
        let starved = sessions.filter { jobs[$0].phase == .starved && Int(jobs[$0].level) < level }
        guard let lowest = starved.min(by: { jobs[$0].level < jobs[$1].level }) else { return false }
        let transfer = jobs[lowest].parent
        if transfer >= 0 { jobs[transfer].traits.insert(.wantsEarly) }
        dropEarly(lowest)
        return true
    }

    /// Frees the session of an early decode that has ended or has become ordinary.
    mutating func endSession(_ job: Int32) {
        sessions.removeAll { $0 == job }
        if links[job].list >= 0 { queuedSessions -= 1 }
        jobs[job].traits.remove(.isEarly)
    }

    /// Drops an early decode that no task needs, or whose memory another job needs.
    mutating func dropEarly(_ job: Int32) {
        let wasRunning = jobs[job].phase == .running
        // The shell releases its memory outside of the lock.
        stopWork(of: job)
        unlist(job)
        unlink(job)
        guard !wasRunning else {
            jobs[job].phase = .abandoned
            return
        }
        releaseMemory(job)
        free(job: job)
    }

    mutating func dropEarlyChildren(of job: Int32) {
        for child in children(of: job) where jobs[child].traits.contains(.isEarly) { dropEarly(child) }
    }

    // MARK: Ends

    /// Ends a slice of an early decode.
    mutating func finishEarly(
        _ job: Int32, _ outcome: Outcome, _ ended: inout [Client], _ makeChild: MakeChild
    ) {
        let transfer = jobs[job].parent
        switch outcome {
        case .starved:
            if jobs[job].traits.contains(.hasUpdate) {
                enqueue(job)
            } else {
                jobs[job].phase = .starved
                if !memory.waiting.isEmpty { dropEarlyDecodes() }
            }
        case .failed, .moves:
            if transfer >= 0 { jobs[transfer].traits.insert(.refusesEarly) }
            jobs[job].phase = .starved
            dropEarly(job)
        case .finished:
            releaseMemory(job)
            endSession(job)
            jobs[job].phase = .finished
            jobs[job].waiting = PriorityCount()
            jobs[job].wanters = 0
            guard transfer >= 0 else { return releaseUnneeded(job) }
            for task in tasks(on: transfer) where firstStep(task) == jobs[job].step {
                pass(task, beyond: job, &ended, makeChild)
            }
            releaseUnneeded(job)
            left(transfer)
        }
    }

    /// Turns the early decodes of an ended transfer into ordinary ones.
    mutating func endEarlyStates(of job: Int32) {
        for child in children(of: job) where jobs[child].traits.contains(.isEarly) {
            endSession(child)
            jobs[child].waiting = PriorityCount()
            jobs[child].wanters = 0
            if jobs[child].phase != .starved { jobs[child].traits.insert(.hasUpdate) }
        }
    }
}
