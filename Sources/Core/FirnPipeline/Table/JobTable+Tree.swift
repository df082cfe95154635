// Moving tasks along the tree, and removing jobs.
extension JobTable {
    /// Attaches a task to the first unfinished job for its steps, from `start` down.
    ///
    /// - Returns: the finished job of the task's last step, if all its jobs have finished; the task is then attached
    ///   to no job.
    @discardableResult
    mutating func descend(_ task: Int32, from start: Int32, _ makeChild: MakeChild) -> Int32? {
        var job = start
        while true {
            let depth = Int(jobs[job].depth)
            if jobs[job].phase == .finished {
                guard let steps = tasks[task].steps, depth < steps.count else { return job }
                let step = steps[depth]
                job = child(of: job, for: step) ?? addChild(of: job, for: step, makeChild)
            } else if jobs[job].transfer >= 0, jobs[job].firstChild >= 0, let step = firstStep(task),
                let child = child(of: job, for: step), jobs[child].phase == .finished
            {
                // An early decode has already made the result of this task.
                job = child
            } else {
                attach(task, to: job)
                return nil
            }
        }
    }

    mutating func child(of parent: Int32, for step: Step) -> Int32? {
        // Without an iterator, which reads the sibling of a child before the child is compared.
        var child = jobs[parent].firstChild
        while child >= 0 {
            if jobs[child].step == step { return child }
            child = jobs[child].nextSibling
        }
        return nil
    }

    /// The children of a job. A child that was returned may be removed, later ones must not.
    struct ChildList: Sequence, IteratorProtocol {
        fileprivate var at: Int32
        fileprivate let jobs: Slots<Job>

        @inline(__always)
        mutating func next() -> Int32? {
            guard at >= 0 else { return nil }
            defer { at = jobs[at].nextSibling }
            return at
        }
    }

    @inline(__always)
    mutating func children(of job: Int32) -> ChildList { ChildList(at: jobs[job].firstChild, jobs: jobs) }

    /// Creates and queues the child of a finished job for `step`.
    private mutating func addChild(of parent: Int32, for step: Step, _ makeChild: MakeChild) -> Int32 {
        let (work, stage) = makeChild(jobs[parent].work, step)
        let child = makeJob(stage, depth: jobs[parent].depth + 1, work: work)
        link(child, to: parent, step)
        enqueue(child)
        return child
    }

    mutating func link(_ child: Int32, to parent: Int32, _ step: Step) {
        jobs[child].step = step
        jobs[child].parent = parent
        let sibling = jobs[parent].firstChild
        jobs[child].nextSibling = sibling
        if sibling >= 0 { jobs[sibling].previousSibling = child }
        jobs[parent].firstChild = child
    }

    mutating func attach(_ task: Int32, to job: Int32) {
        hang(task, on: job)
        let isUnderWay = jobs[job].transfer >= 0
        if isUnderWay { joinTransfer(task, job) }
        refreshLevel(job)
        // A lingering transfer could not be paused before.
        if isUnderWay { holdForUrgent() }
    }

    /// Appends a task to a job's list, and counts it.
    mutating func hang(_ task: Int32, on job: Int32) {
        let last = jobs[job].lastTask
        tasks[task].job = job
        tasks[task].next = -1
        tasks[task].previous = last
        if last >= 0 { tasks[last].next = task } else { jobs[job].firstTask = task }
        jobs[job].lastTask = task
        jobs[job].joins &+= 1
        tasks[task].joined = jobs[job].joins
        if !tasks[task].isPaused { jobs[job].waiting.add(Int(tasks[task].level)) }
    }

    /// Removes a task from its job. Keeps the task's slot, and does not update the job's level.
    mutating func detach(_ task: Int32) -> Int32 {
        let job = tasks[task].job
        let next = tasks[task].next
        let previous = tasks[task].previous
        if let early = early(for: task) { leaveEarly(early, task) }
        if previous >= 0 { tasks[previous].next = next } else { jobs[job].firstTask = next }
        if next >= 0 { tasks[next].previous = previous } else { jobs[job].lastTask = previous }
        tasks[task].job = -1
        if !tasks[task].isPaused { jobs[job].waiting.remove(Int(tasks[task].level)) }
        return job
    }

    /// Updates a job after a task was removed: lowers its level, or ends it.
    mutating func left(_ job: Int32) {
        if jobs[job].firstTask < 0 { releaseUnneeded(job) } else { refreshLevel(job) }
    }

    /// Ends a job without waiting tasks, and the jobs that only it needed.
    mutating func releaseUnneeded(_ job: Int32) {
        switch jobs[job].phase {
        case .queued, .parked, .starved:
            unlist(job)
            if jobs[job].traits.contains(.hasMemory) {
                // It holds decoded data, which the shell releases outside of the lock.
                stopWork(of: job)
                releaseMemory(job)
            }
            unlinkAndFree(job)
        case .running, .held:
            if linger(job) { return }
            unlist(job)
            abandon(job)
        case .finished: if jobs[job].firstChild < 0, !isAwaited(job) { unlinkAndFree(job) }
        case .free, .abandoned: break
        }
    }

    mutating func stopWork(of job: Int32) {
        if let work = jobs[job].work { orders.append(.stop(work)) }
    }

    /// Stops a running or paused job, and closes it to new tasks. Its end is reported later.
    mutating func abandon(_ job: Int32) {
        stopWork(of: job)
        jobs[job].phase = .abandoned
        if jobs[job].transfer >= 0 {
            transfers[Int(jobs[job].transfer)].isStopped = true
            balanceHeld()
        }
        unlink(job)
    }

    mutating func unlinkAndFree(_ job: Int32) {
        unlink(job)
        free(job: job)
    }

    /// Removes a job from its parent's children, or from the roots, so that no task joins it.
    mutating func unlink(_ job: Int32) {
        removeRoot(job)
        if jobs[job].leadsTo != nil { endLookup(job) }
        orphanChildren(of: job)
        let parent = jobs[job].parent
        guard parent >= 0 else { return }
        let next = jobs[job].nextSibling
        let previous = jobs[job].previousSibling
        if previous >= 0 { jobs[previous].nextSibling = next } else { jobs[parent].firstChild = next }
        if next >= 0 { jobs[next].previousSibling = previous }
        jobs[job].parent = -1
        jobs[job].nextSibling = -1
        jobs[job].previousSibling = -1
        if jobs[parent].phase == .finished { releaseUnneeded(parent) }
    }

    /// Detaches the children of a removed job; they continue without it.
    private mutating func orphanChildren(of job: Int32) {
        for child in children(of: job) {
            jobs[child].parent = -1
            jobs[child].nextSibling = -1
            jobs[child].previousSibling = -1
        }
        jobs[job].firstChild = -1
    }
}
