// Adding, changing and cancelling tasks.
extension JobTable {
    /// Adds a task that needs `steps` applied to the bytes of `key`.
    ///
    /// Joins the furthest job that leads to its result, or starts a new root. If another task's jobs have already
    /// done all its steps, the task ends at once.
    /// - Parameters:
    ///   - makeRoot: creates the work of a new root, with its first stage.
    ///   - makeChild: creates the work of a step, with its stage. Its input is finished, or, for a decode, may still
    ///     be arriving.
    mutating func add(
        _ client: Client, key: Key, steps: Steps, level: Int, isPaused: Bool = false, now: Moment,
        makeRoot: () -> Root, makeChild: MakeChild
    ) -> Admission {
        own()
        clock = max(clock, now)
        let task = makeTask(client, steps: steps, level: level, isPaused: isPaused)
        return place(task, key, makeRoot, makeChild)
    }

    /// Attaches a task to the furthest job of a root, which is made if there is none.
    private mutating func place(_ task: Int32, _ key: Key, _ makeRoot: () -> Root, _ makeChild: MakeChild) -> Admission
    {
        if let root = keys[key] {
            coalesced += 1
            if let finished = descend(task, from: root, makeChild) {
                free(task: task)
                return .finished(jobs[finished].work)
            }
        } else {
            let new = makeRoot()
            let root = makeJob(new.stage, depth: 0, work: new.work)
            if let host = new.host { jobs[root].host = hosts.enter(host) }
            if new.mayKeep { jobs[root].traits.insert(.mayKeep) }
            jobs[root].key = key
            keys[key] = root
            if let next = new.leadsTo {
                jobs[root].leadsTo = next
                lookups[next, default: 0] += 1
            }
            hang(task, on: root)
            jobs[root].level = Int8(truncatingIfNeeded: jobs[root].waiting.highest ?? JobLevel.resting)
            enqueue(root)
        }
        return .waits(JobTicket(index: task, generation: tasks[task].generation))
    }

    /// Moves a task to another root, with other steps. It keeps its ticket, its level and its pause.
    ///
    /// - Returns: as `add`; `nil` if the task no longer waits.
    mutating func move(
        _ ticket: JobTicket, to key: Key, steps: Steps, now: Moment, makeRoot: () -> Root, makeChild: MakeChild
    ) -> Admission? {
        tick(now: now)
        guard let task = task(ticket) else { return nil }
        let job = detach(task)
        tasks[task].steps = steps
        let admission = place(task, key, makeRoot, makeChild)
        left(job)
        return admission
    }

    /// Adds work without waiting tasks to a detached stage. It has the lowest priority.
    mutating func addDetached(_ work: Work, stage: JobStage) {
        own()
        enqueue(makeJob(stage, depth: 0, work: work))
    }

    /// Changes the level of a task and updates the job that it waits for.
    mutating func setLevel(_ ticket: JobTicket, to level: Int, now: Moment) {
        tick(now: now)
        guard let task = task(ticket) else { return }
        count(task, -1)
        tasks[task].level = Int8(truncatingIfNeeded: min(max(level, 0), JobQueues.levels - 1))
        count(task, 1)
        refreshLevels(for: task)
    }

    /// Pauses or resumes a task. A paused task does not count.
    ///
    /// A job that only paused tasks wait for does not start. If it is a running transfer, it is paused.
    mutating func setPaused(_ ticket: JobTicket, _ isPaused: Bool, now: Moment) {
        tick(now: now)
        guard let task = task(ticket), tasks[task].isPaused != isPaused else { return }
        count(task, -1)
        tasks[task].isPaused = isPaused
        count(task, 1)
        refreshLevels(for: task)
    }

    /// Cancels a task.
    ///
    /// Running work that no task needs gets a stop order. A transfer that will end soon may finish instead. In both
    /// cases `finish` is called for it later.
    mutating func cancel(_ ticket: JobTicket, now: Moment) {
        tick(now: now)
        guard let task = task(ticket) else { return }
        let job = detach(task)
        free(task: task)
        left(job)
        trim()
    }

    // MARK: Queries

    mutating func work(for ticket: JobTicket) -> Work? {
        guard let task = task(ticket) else { return nil }
        return jobs[tasks[task].job].work
    }

    /// The clients that wait for a job itself, not for its children: those that have joined it since `joins` tasks had
    /// joined it.
    mutating func clients(
        of ticket: JobTicket, after joins: UInt32 = 0, where condition: (Client) -> Bool = { _ in true }
    ) -> [Client] {
        var clients: [Client] = []
        guard let job = job(ticket) else { return clients }
        for task in tasks(on: job) where tasks[task].joined > joins {
            if let client = tasks[task].client, condition(client) { clients.append(client) }
        }
        return clients
    }

    /// The number of tasks that have joined a job so far.
    mutating func joins(of ticket: JobTicket) -> UInt32 { job(ticket).map { jobs[$0].joins } ?? 0 }

    /// Returns the only client of a job, if the job is its last step, and the number of tasks that have joined the job;
    /// `nil` for an early decode.
    mutating func sole(of ticket: JobTicket) -> (client: Client, joins: UInt32)? {
        guard let job = job(ticket), jobs[job].firstTask >= 0, !jobs[job].traits.contains(.isEarly) else { return nil }
        let task = jobs[job].firstTask
        guard tasks[task].next < 0, stepCount(task) <= Int(jobs[job].depth) else { return nil }
        return tasks[task].client.map { ($0, jobs[job].joins) }
    }

    var allClients: [Client] { (0..<tasks.count).compactMap { tasks[$0].client } }

    /// The clients that end with a job.
    ///
    /// - Parameter isNeedless: as in `finish`.
    mutating func endings(_ ticket: JobTicket, isNeedless: (Step) -> Bool = { _ in false }) -> [Client] {
        var clients: [Client] = []
        if let job = job(ticket) { visitClients(of: job, ending: true, isNeedless) { clients.append($0) } }
        return clients
    }

    /// The clients that may receive previews of a job: those that wait for it or will wait for it next.
    mutating func audience(of ticket: JobTicket) -> [Client] {
        var clients: [Client] = []
        visitAudience(of: ticket) { clients.append($0) }
        return clients
    }

    mutating func visitAudience(of ticket: JobTicket, _ body: (Client) -> Void) {
        if let job = job(ticket) { visitClients(of: job, ending: false, body: body) }
    }

    /// Calls `body` with the clients that wait for a job, and for an early decode also with those that wait for its
    /// transfer and need the decode next.
    ///
    /// - Parameters:
    ///   - ending: whether to visit only clients that end with the job.
    ///   - isNeedless: as in `finish`.
    private mutating func visitClients(
        of job: Int32, ending: Bool, _ isNeedless: (Step) -> Bool = { _ in false }, body: (Client) -> Void
    ) {
        for task in tasks(on: job) where !ending || ends(task, with: job, isNeedless) {
            if let client = tasks[task].client { body(client) }
        }
        guard jobs[job].traits.contains(.isEarly), jobs[job].parent >= 0 else { return }
        for task in tasks(on: jobs[job].parent) where !ending || ends(task, with: job, isNeedless) {
            if firstStep(task) == jobs[job].step, let client = tasks[task].client { body(client) }
        }
    }

    /// The tasks of a job. A task that was returned may be moved, later ones must not.
    struct TaskList: Sequence, IteratorProtocol {
        fileprivate var at: Int32
        fileprivate let tasks: Slots<Waiting>

        mutating func next() -> Int32? {
            guard at >= 0 else { return nil }
            defer { at = tasks[at].next }
            return at
        }
    }

    @inline(__always)
    mutating func tasks(on job: Int32) -> TaskList { TaskList(at: jobs[job].firstTask, tasks: tasks) }

    @inline(__always) mutating func stepCount(_ task: Int32) -> Int { tasks[task].steps?.count ?? 0 }

    mutating func firstStep(_ task: Int32) -> Step? { stepCount(task) > 0 ? tasks[task].steps?[0] : nil }

    // MARK: Snapshots

    struct Standing {
        let ticket: JobTicket
        let stage: JobStage
        let level: Int
        let phase: Job.Phase
        let work: Work?
        /// The number of tasks that are attached to it.
        let tasks: Int
    }

    /// Returns all jobs that have not ended. Visits every job, for diagnostics.
    mutating func survey() -> [Standing] {
        (0..<jobs.count).filter { jobs[$0].phase != .free && jobs[$0].phase != .finished }.map { index in
            let job = jobs[index]
            return Standing(
                ticket: ticket(ofJob: index), stage: job.stage, level: Int(job.level), phase: job.phase,
                work: job.work, tasks: tasks(on: index).count { _ in true })
        }
    }
}
