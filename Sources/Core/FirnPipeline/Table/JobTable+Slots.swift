// The slots of jobs and tasks.
extension JobTable {
    struct Job {
        enum Phase: UInt8 {
            case free
            /// Can start, or is resting because all its tasks are paused.
            case queued
            case running
            /// A paused transfer.
            case held
            /// A decode that waits for memory.
            case parked
            /// An early decode that waits for bytes.
            case starved
            case finished
            /// Stopped while it ran; its end has not been reported yet.
            case abandoned
        }

        var generation: UInt32 = 0
        var phase = Phase.free
        var stage = JobStage.read
        var level = Int8(JobLevel.unsubscribed)
        var traits: Traits = []
        /// The number of steps that are done once this job has finished: 0 for bytes, 1 for the decoded image, and so
        /// on.
        var depth: Int32 = 0
        /// The position in the order in which jobs were queued.
        var sequence: UInt32 = 0
        var parent: Int32 = -1
        var firstChild: Int32 = -1
        var nextSibling: Int32 = -1
        var previousSibling: Int32 = -1
        var firstTask: Int32 = -1
        var lastTask: Int32 = -1
        /// The number of tasks that have joined the job so far.
        var joins: UInt32 = 0
        /// The levels of the tasks that count for the job.
        var waiting = PriorityCount()
        /// The number of tasks on the parent that need this early decode, including paused ones.
        var wanters: Int32 = 0
        var host: Int32 = -1
        /// The bytes that its body holds or may come to hold, as counted; see `JobTable+Pauses`.
        var claim = 0
        /// The index of its entry in `transfers`; -1 for none.
        var transfer: Int32 = -1
        var key: Key?
        /// The root that its tasks may move to.
        var leadsTo: Key?
        var step: Step?
        var work: Work?

        /// Resets the slot. Field by field: replacing the whole value costs several times as much.
        @inline(__always)
        mutating func clear() {
            generation = 0
            phase = .free
            level = Int8(JobLevel.unsubscribed)
            traits = []
            parent = -1
            firstChild = -1
            nextSibling = -1
            previousSibling = -1
            firstTask = -1
            lastTask = -1
            joins = 0
            waiting = PriorityCount()
            wanters = 0
            host = -1
            transfer = -1
            key = nil
            step = nil
            work = nil
        }
    }

    struct Traits: OptionSet {
        let rawValue: UInt8

        /// Its bytes can be stored, even if no task waits for them.
        static var mayKeep: Traits { Traits(rawValue: 1) }
        /// It decodes while its bytes arrive.
        static var isEarly: Traits { Traits(rawValue: 2) }
        /// Bytes have arrived since it was started.
        static var hasUpdate: Traits { Traits(rawValue: 4) }
        /// It has requested memory.
        static var hasMemory: Traits { Traits(rawValue: 8) }
        /// A task of this transfer might start an early decode.
        static var wantsEarly: Traits { Traits(rawValue: 16) }
        /// An early decode of this transfer has failed.
        static var refusesEarly: Traits { Traits(rawValue: 32) }
    }

    struct Waiting {
        var generation: UInt32 = 0
        /// The job; -1 for a free slot.
        var job: Int32 = -1
        /// The next task in the job's list, or in the list of free slots.
        var next: Int32 = -1
        var previous: Int32 = -1
        var level = Int8(JobLevel.unsubscribed)
        var isPaused = false
        /// Its number among the tasks that have joined the job.
        var joined: UInt32 = 0
        var steps: Steps?
        var client: Client?
    }

    mutating func makeJob(_ stage: JobStage, depth: Int32, work: consuming Work) -> Int32 {
        generation &+= 1
        jobCount += 1
        let index = freeJob
        guard index >= 0 else {
            _ = links.append(JobList.Link())
            return jobs.append(Job(generation: generation, stage: stage, depth: depth, work: work))
        }
        freeJob = jobs[index].nextSibling
        jobs[index].nextSibling = -1
        jobs[index].generation = generation
        jobs[index].stage = stage
        jobs[index].depth = depth
        jobs[index].work = work
        return index
    }

    mutating func free(job index: Int32) {
        if jobs[index].claim > 0 {
            claim(0, for: index)
            balanceHeld()
        }
        if jobs[index].host >= 0 { hosts.leave(jobs[index].host) }
        if jobs[index].traits.contains(.isEarly) { endSession(index) }
        jobs[index].clear()
        jobs[index].nextSibling = freeJob
        freeJob = index
        jobCount -= 1
    }

    mutating func makeTask(_ client: consuming Client, steps: consuming Steps, level: Int, isPaused: Bool) -> Int32 {
        generation &+= 1
        taskCount += 1
        let level = Int8(truncatingIfNeeded: min(max(level, 0), JobQueues.levels - 1))
        let index = freeTask
        guard index >= 0 else {
            return tasks.append(
                Waiting(generation: generation, level: level, isPaused: isPaused, steps: steps, client: client))
        }
        freeTask = tasks[index].next
        tasks[index].generation = generation
        tasks[index].level = level
        tasks[index].isPaused = isPaused
        tasks[index].steps = steps
        tasks[index].client = client
        return index
    }

    /// Frees a task's slot.
    ///
    /// - Returns: its client.
    @discardableResult
    mutating func free(task index: Int32) -> Client? {
        let client = tasks[index].client.take()
        tasks[index].steps = nil
        tasks[index].generation = 0
        tasks[index].job = -1
        tasks[index].next = freeTask
        freeTask = index
        taskCount -= 1
        return client
    }

    /// The job of a ticket; `nil` if it has ended.
    @inline(__always) mutating func job(_ ticket: JobTicket) -> Int32? {
        guard ticket.index >= 0, ticket.index < jobs.count, jobs[ticket.index].generation == ticket.generation,
            jobs[ticket.index].phase != .free
        else { return nil }
        return ticket.index
    }

    /// The task of a ticket; `nil` if it no longer waits.
    @inline(__always) mutating func task(_ ticket: JobTicket) -> Int32? {
        guard ticket.index >= 0, ticket.index < tasks.count, tasks[ticket.index].generation == ticket.generation,
            tasks[ticket.index].job >= 0
        else { return nil }
        return ticket.index
    }

    mutating func ticket(ofJob index: Int32) -> JobTicket {
        JobTicket(index: index, generation: jobs[index].generation)
    }
}

/// The number of tasks that wait for a job at each of the five levels, so that the highest is known at once.
struct PriorityCount {
    private var counts = InlineArray<5, Int32>(repeating: 0)

    mutating func add(_ level: Int) { change(level, by: 1) }
    mutating func remove(_ level: Int) { change(level, by: -1) }
    mutating func change(_ level: Int, by amount: Int32) { counts[level] += amount }

    /// The highest level of a waiting task; `nil` if no task waits.
    var highest: Int? { (0..<JobQueues.levels).last { counts[$0] > 0 } }
}
