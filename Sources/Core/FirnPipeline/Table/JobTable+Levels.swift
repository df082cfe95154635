// The levels of jobs, and the lists that they wait in.
extension JobTable {
    /// Adds a task to the counts of its job and its early decode, or removes it.
    mutating func count(_ task: Int32, _ sign: Int32) {
        guard !tasks[task].isPaused else { return }
        let level = Int(tasks[task].level)
        jobs[tasks[task].job].waiting.change(level, by: sign)
        if let early = early(for: task) { jobs[early].waiting.change(level, by: sign) }
    }

    /// Updates the levels of a task's job and its early decode.
    mutating func refreshLevels(for task: Int32) {
        refreshLevel(tasks[task].job)
        if let early = early(for: task) { refreshLevel(early) }
    }

    /// Updates a job's level and its place in the queues.
    mutating func refreshLevel(_ job: Int32) {
        let old = Int(jobs[job].level)
        let new = jobs[job].waiting.highest ?? JobLevel.resting
        guard old != new else { return }
        jobs[job].level = Int8(truncatingIfNeeded: new)
        switch jobs[job].phase {
        case .queued:
            unlist(job)
            list(job)
            if jobs[job].stage == .transfer { holdForUrgent() }
        case .parked: if old == JobLevel.resting { grantMemory() }
        case .running, .held: if jobs[job].transfer >= 0 { refreshTransfer(job) }
        case .starved, .free, .finished, .abandoned: break
        }
    }

    /// Appends a job to the queue of its stage.
    mutating func enqueue(_ job: Int32) {
        sequence &+= 1
        jobs[job].sequence = sequence
        jobs[job].phase = .queued
        list(job)
        if jobs[job].stage == .transfer { holdForUrgent() }
    }

    /// Inserts a queued or paused job into its list, unless its tasks are all paused.
    mutating func list(_ job: Int32) {
        let level = Int(jobs[job].level)
        guard level >= 0 else { return }
        if waitsForTurn(job) { return joinRing(job) }
        let kind = kind(of: job)
        if jobs[job].traits.contains(.isEarly) { queuedSessions += 1 }
        var last = queues.tail(JobQueues.list(kind, level))
        if kind == .resuming {
            // A paused transfer keeps its place.
            while last >= 0, isOlder(job, last) { last = links[last].previous }
        }
        queues.insert(job, kind, level, behind: last, links)
    }

    /// Removes a job from its list, if it is in one.
    ///
    /// - Parameter passesTurn: whether the next job of its host takes its turn. Default: it does.
    @inline(__always)
    mutating func unlist(_ job: Int32, passesTurn: Bool = true) {
        let list = links[job].list
        guard list >= 0 else { return }
        if list >= JobTable.blockedLists {
            hosts.unblock(job, on: jobs[job].host, JobTable.blockedLists, links)
            return
        }
        if jobs[job].traits.contains(.isEarly) { queuedSessions -= 1 }
        queues.remove(job, links)
        let (host, level) = (jobs[job].host, JobQueues.level(Int(list)))
        guard host >= 0, hosts[host].turns[level] == job else { return }
        hosts[host].turns[level] = -1
        if passesTurn { passTurn(of: host, level) }
    }

    /// The numbers of lists from here on are those of blocked transfers, by level.
    static var blockedLists: Int32 { 64 }

    mutating func kind(of job: Int32) -> QueueKind {
        switch jobs[job].stage {
        case .process: .process
        case .decode: .decode
        case .read: .read
        case .transfer: jobs[job].phase == .held ? .resuming : jobs[job].host >= 0 ? .network : .local
        case .preview: .preview
        case .store: .store
        }
    }

    @inline(__always) mutating func isOlder(_ a: Int32, _ b: Int32) -> Bool {
        Int32(bitPattern: jobs[a].sequence &- jobs[b].sequence) < 0
    }
}

/// The priority of jobs, from 0 to 4, as in `ImageRequest.Priority`.
enum JobLevel {
    /// Jobs that only paused tasks wait for. They do not start.
    static let resting = -1
    /// Jobs without waiting tasks.
    static let unsubscribed = 0
    /// The highest of the levels that yield to others: prefetching.
    static let lastLow = 1
    /// The lowest of the levels that others yield to.
    static let firstHigh = 2
}
