// Tasks come, change their mind, and go.
extension JobTable {
    /// Adds a task that wants `steps` done to the bytes of `key`.
    ///
    /// Joins the furthest job that leads there, or starts a new root. If all steps are done already, for another who
    /// wants still more, the task ends at once.
    /// - Parameters:
    ///   - makeRoot: the work of a new root, and the stage it starts in.
    ///   - makeChild: the work of a step whose input is finished already, and its stage.
    mutating func add(
        _ client: Client, key: Key, steps: Steps, level: Int, isPaused: Bool = false, now: Moment,
        makeRoot: () -> Root, makeChild: (Work?, Step) -> (Work, JobStage)
    ) -> Admission {
        let task = makeTask(client, steps: steps, level: level, isPaused: isPaused)
        if let root = roots[key] {
            coalesced += 1
            if let finished = descend(task, from: root, makeChild) {
                freeTask(task)
                return .finished(jobs[Int(finished)].work)
            }
        } else {
            let new = makeRoot()
            let root = makeJob(new.stage, depth: 0, work: new.work)
            jobs[Int(root)].key = key
            roots[key] = root
            attach(task, to: root)
            enqueue(root)
        }
        return .waits(JobTicket(index: task, generation: tasks[Int(task)].generation))
    }

    /// Adds work that nobody waits for; it has the lowest priority.
    mutating func addDetached(_ work: Work, stage: JobStage) {
        let job = makeJob(stage, depth: 0, work: work)
        enqueue(job)
    }

    /// Changes how urgent a task is; counts for the job it waits for and all that job waits for.
    mutating func setLevel(_ ticket: JobTicket, to level: Int) {
        guard let task = task(ticket), tasks[Int(task)].level != level else { return }
        let job = tasks[Int(task)].job
        let old = tasks[Int(task)].level
        tasks[Int(task)].level = level
        // Order: add before remove, so that the job is never without anybody.
        jobs[Int(job)].waiting.add(level)
        jobs[Int(job)].waiting.remove(old)
        refreshLevel(job)
    }

    /// Lets a task rest, or go on: while it is paused it counts for nothing.
    mutating func setPaused(_ ticket: JobTicket, _ isPaused: Bool) {
        guard let task = task(ticket) else { return }
        tasks[Int(task)].isPaused = isPaused
    }

    /// Takes a task away.
    ///
    /// Work that runs and that nobody needs any more gets the order to stop: its `finish` is still to come.
    mutating func cancel(_ ticket: JobTicket, now: Moment) {
        guard let task = task(ticket) else { return }
        let job = detach(task)
        freeTask(task)
        if let work = release(job) { orders.append(.stop(work)) }
    }

    /// Who would like to see an early state of what a job makes.
    func audience(of ticket: JobTicket) -> [Client] { endings(ticket) }

    /// The work that a task waits for.
    func work(for ticket: JobTicket) -> Work? {
        task(ticket).flatMap { jobs[Int(tasks[Int($0)].job)].work }
    }

    /// The clients that wait for a job itself, not for its children.
    func clients(of ticket: JobTicket, where condition: (Client) -> Bool = { _ in true }) -> [Client] {
        guard let job = job(ticket) else { return [] }
        var clients: [Client] = []
        var task = jobs[Int(job)].firstTask
        while task >= 0 {
            if let client = tasks[Int(task)].client, condition(client) { clients.append(client) }
            task = tasks[Int(task)].next
        }
        return clients
    }

    /// The clients whose last step a job is.
    func endings(_ ticket: JobTicket) -> [Client] {
        guard let job = job(ticket) else { return [] }
        var clients: [Client] = []
        var task = jobs[Int(job)].firstTask
        while task >= 0 {
            if stepCount(task) <= Int(jobs[Int(job)].depth), let client = tasks[Int(task)].client {
                clients.append(client)
            }
            task = tasks[Int(task)].next
        }
        return clients
    }

    func stepCount(_ task: Int32) -> Int { tasks[Int(task)].steps?.count ?? 0 }

    // MARK: Moving along the tree

    /// Hangs a task on the first unfinished job of its way, from `start` down.
    ///
    /// - Returns: the finished job that the task's way ends with, if it does; the task then hangs on nothing.
    @discardableResult
    mutating func descend(
        _ task: Int32, from start: Int32, _ makeChild: (Work?, Step) -> (Work, JobStage)
    ) -> Int32? {
        var job = start
        while jobs[Int(job)].phase == .finished {
            let depth = Int(jobs[Int(job)].depth)
            guard let steps = tasks[Int(task)].steps, depth < steps.count else { return job }
            job = child(of: job, for: steps[depth], makeChild)
        }
        attach(task, to: job)
        return nil
    }

    /// The child of a finished job that does `step`; made and queued if there is none.
    private mutating func child(
        of parent: Int32, for step: Step, _ makeChild: (Work?, Step) -> (Work, JobStage)
    ) -> Int32 {
        var child = jobs[Int(parent)].firstChild
        while child >= 0 {
            if jobs[Int(child)].step == step { return child }
            child = jobs[Int(child)].nextSibling
        }
        let (work, stage) = makeChild(jobs[Int(parent)].work, step)
        child = makeJob(stage, depth: jobs[Int(parent)].depth + 1, work: work)
        jobs[Int(child)].step = step
        jobs[Int(child)].parent = parent
        let sibling = jobs[Int(parent)].firstChild
        jobs[Int(child)].nextSibling = sibling
        if sibling >= 0 { jobs[Int(sibling)].previousSibling = child }
        jobs[Int(parent)].firstChild = child
        jobs[Int(parent)].waiting.add(0)
        enqueue(child)
        return child
    }

    private mutating func attach(_ task: Int32, to job: Int32) {
        let last = jobs[Int(job)].lastTask
        tasks[Int(task)].job = job
        tasks[Int(task)].next = -1
        tasks[Int(task)].previous = last
        if last >= 0 { tasks[Int(last)].next = task } else { jobs[Int(job)].firstTask = task }
        jobs[Int(job)].lastTask = task
        jobs[Int(job)].waiting.add(tasks[Int(task)].level)
        refreshLevel(job)
    }

    /// Takes a task off its job; the task's slot stays.
    mutating func detach(_ task: Int32) -> Int32 {
        let job = tasks[Int(task)].job
        let next = tasks[Int(task)].next
        let previous = tasks[Int(task)].previous
        if previous >= 0 { tasks[Int(previous)].next = next } else { jobs[Int(job)].firstTask = next }
        if next >= 0 { tasks[Int(next)].previous = previous } else { jobs[Int(job)].lastTask = previous }
        tasks[Int(task)].job = -1
        jobs[Int(job)].waiting.remove(tasks[Int(task)].level)
        refreshLevel(job)
        return job
    }

    /// Brings a job's level, its place in the queue and its ancestors' levels up to date.
    mutating func refreshLevel(_ start: Int32) {
        var job = start
        while job >= 0 {
            let old = jobs[Int(job)].level
            let new = jobs[Int(job)].waiting.highest ?? 0
            guard old != new else { return }
            jobs[Int(job)].level = new
            if jobs[Int(job)].phase == .queued {
                queues.remove(job, &links)
                queues.append(job, jobs[Int(job)].stage, new, &links)
            }
            let parent = jobs[Int(job)].parent
            if parent >= 0 {
                jobs[Int(parent)].waiting.add(new)
                jobs[Int(parent)].waiting.remove(old)
            }
            job = parent
        }
    }
}
