// Jobs and tasks as entries.
extension JobTable {
    /// A piece of work.
    struct Job {
        enum Phase: UInt8 {
            case free
            /// Could start, or rests.
            case queued
            case running
            /// A paused transfer.
            case held
            /// A decode that waits for memory.
            case parked
            /// An early decode that waits for bytes.
            case starved
            case finished
            /// Given up while it ran; its end is still to come.
            case abandoned
        }

        var generation: UInt32 = 0
        var phase = Phase.free
        var stage = JobStage.read
        var level = Int8(JobLevel.unsubscribed)
        var traits: Traits = []
        /// Steps done once this job has finished: 0 for bytes, 1 for the decoded image …
        var depth: Int32 = 0
        /// Place in the order in which jobs of its stage were queued.
        var sequence: UInt32 = 0
        var parent: Int32 = -1
        var firstChild: Int32 = -1
        var nextSibling: Int32 = -1
        var previousSibling: Int32 = -1
        var firstTask: Int32 = -1
        var lastTask: Int32 = -1
        /// The levels of the tasks that count for it.
        var waiting = PriorityCount()
        /// Tasks on the parent that want an early decode, paused ones included.
        var wanters: Int32 = 0
        var host: Int32 = -1
        /// Its entry among the transfers.
        var transfer: Int32 = -1
        var key: Key?
        var step: Step?
        var work: Work?

        /// Makes the slot as it was. One by one: to replace the whole costs several times as much.
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
            waiting = PriorityCount()
            wanters = 0
            host = -1
            transfer = -1
            key = nil
            step = nil
            work = nil
        }
    }

    /// What is particular about a job.
    struct Traits: OptionSet {
        let rawValue: UInt8

        /// Its bytes could be stored, even if no task waits for them.
        static var mayKeep: Traits { Traits(rawValue: 1) }
        /// It decodes while its bytes arrive.
        static var isEarly: Traits { Traits(rawValue: 2) }
        /// Bytes have come since it was started.
        static var hasNews: Traits { Traits(rawValue: 4) }
        /// It has asked for memory.
        static var hasMemory: Traits { Traits(rawValue: 8) }
        /// Some task on this transfer might begin to decode early.
        static var wantsEarly: Traits { Traits(rawValue: 16) }
        /// An early decode of this transfer has failed.
        static var refusesEarly: Traits { Traits(rawValue: 32) }
    }

    /// A task that waits for a job.
    struct Waiting {
        var generation: UInt32 = 0
        /// The job; -1 for a free slot.
        var job: Int32 = -1
        /// In the job's list, or in that of the free slots.
        var next: Int32 = -1
        var previous: Int32 = -1
        var level = Int8(JobLevel.unsubscribed)
        var isPaused = false
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

    /// The job a ticket names, if it is still the same.
    @inline(__always) mutating func job(_ ticket: JobTicket) -> Int32? {
        guard ticket.index >= 0, ticket.index < jobs.count, jobs[ticket.index].generation == ticket.generation,
            jobs[ticket.index].phase != .free
        else { return nil }
        return ticket.index
    }

    /// The task a ticket names, if it still waits.
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
