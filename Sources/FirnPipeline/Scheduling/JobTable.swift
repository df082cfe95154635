/// Who waits for what, and what is to be done next: every decision of the engine, as a value.
///
/// Data structure: a forest. A root is the download of one resource; its children are decodes of those bytes, one for
/// each size and format; theirs are processor steps. A task hangs on the job it waits for at the moment and moves down
/// the tree as jobs finish; jobs further down are made when they can start. So equal work is one job at every level, and
/// a waiting request costs one entry.
///
/// Takes events, returns what follows from them. Does no work, takes no lock, reads no clock: see ``JobRunner`` for the shell.
///
/// Invariants:
/// - a job that is queued or running has a task or a child that waits for it, unless it is detached (a store) or abandoned;
/// - a job's priority is the highest of those who wait for it;
/// - `running` counts, per stage, the jobs started and not finished; limits hold at every `next()`;
/// - every task leaves exactly once: by `finish`, by `cancel`, or at once by `add`, if its steps are done already.
struct JobTable<Key: Hashable, Steps: JobSteps, Work, Client> {
    typealias Step = Steps.Step

    private(set) var limits: StageLimits
    var orders: [Order] = []
    /// Number of the latest order or resumption.
    var orderNumber: UInt64 = 0
    var jobs = ContiguousArray<Job>()
    var links = ContiguousArray<JobQueues.Link>()
    var tasks = ContiguousArray<Waiting>()
    var queues = JobQueues()
    private var freeJobs: [Int32] = []
    private var freeTasks: [Int32] = []
    var roots: [Key: Int32] = [:]
    var running = [Int](repeating: 0, count: JobStage.count)
    /// Bytes promised to running decodes, and the decodes that wait for such a promise.
    var reservedBytes = 0
    /// Bytes that the memory budget has for decodes, beside their own limit.
    var decodingRoom = Int.max
    var parked: [Int32] = []
    /// Tasks that joined work under way.
    var coalesced = 0
    private(set) var taskCount = 0
    private(set) var jobCount = 0

    init(limits: StageLimits) { self.limits = limits }

    /// A piece of work.
    struct Job {
        enum Phase { case free, queued, running, parked, finished, abandoned }

        var generation: UInt32 = 0
        var phase = Phase.free
        var stage = JobStage.read
        /// Steps done once this job has finished: 0 for bytes, 1 for the decoded picture …
        var depth: Int32 = 0
        var level = 0
        var waiting = PriorityCount()
        var parent: Int32 = -1
        var firstChild: Int32 = -1
        var nextSibling: Int32 = -1
        var previousSibling: Int32 = -1
        var firstTask: Int32 = -1
        var lastTask: Int32 = -1
        /// Bytes promised, or, while the job is parked, asked for.
        var reserved = 0
        /// How often another got memory that this one, parked before it, waits for.
        var overtaken = 0
        var key: Key?
        var step: Step?
        var work: Work?
    }

    /// A task that waits for a job.
    struct Waiting {
        var generation: UInt32 = 0
        var job: Int32 = -1
        var next: Int32 = -1
        var previous: Int32 = -1
        var level = 0
        var isPaused = false
        var steps: Steps?
        var client: Client?
    }

    /// A new root's work, and what the table has to know of it.
    struct Root {
        var work: Work
        /// The stage it begins in.
        var stage: JobStage
        /// Whom its bytes come from; `nil` if no network is needed: no limit per host, no limit of the rate.
        var host: HostKey?
        /// Whether its bytes could be kept in the data cache, so that they are of use even if nobody waits for them.
        var mayKeep = false
    }

    /// A job for a worker.
    struct Start {
        let ticket: JobTicket
        let work: Work
        let stage: JobStage
        /// The job is a paused transfer that goes on.
        var isResumption = false
        /// Comes later than the orders with lower numbers, whoever performs them when.
        var number: UInt64 = 0
    }

    /// What to do with work that runs. The shell does it without its lock.
    ///
    /// Orders of several critical sections may be performed by several threads at once, so those that can undo each other
    /// are numbered, with each other and with the resumptions of `next`: of two on the same work the higher number counts.
    enum Order {
        /// Nobody needs the work.
        case stop(Work)
        /// Stop reading the body; keep the connection.
        case pause(Work, number: UInt64)
        /// The pause lasts: give the connection up and keep the bytes, if a range request can bring the rest.
        case release(Work, JobTicket, number: UInt64)
        /// The transfer has become more or less urgent.
        case prioritise(Work, Int, number: UInt64)
    }

    /// What is left to do once a job has ended.
    enum Aftermath {
        case none
        /// Nobody waited for the bytes, but they are to be stored.
        case keep
    }

    /// What becomes of a task that is added.
    enum Admission {
        /// It waits; this names it.
        case waits(JobTicket)
        /// The last of its steps has just been done for somebody else: it ends with this work's product.
        case finished(Work?)
    }

    /// Changes what may be at work at once; counts from now on. What runs is not stopped.
    mutating func setLimits(_ limits: StageLimits) { self.limits = limits }

    /// Whether there is something for the shell to perform.
    var hasOrders: Bool { !orders.isEmpty }

    /// What the shell has to perform, in order.
    mutating func takeOrders() -> [Order] {
        defer { orders = [] }
        return orders
    }

    /// When something changes by itself; the shell then calls `next`.
    var deadline: Moment? { nil }

    /// Takes note of the time.
    mutating func tick(now: Moment) {}

    // MARK: Slots

    mutating func makeJob(_ stage: JobStage, depth: Int32, work: Work) -> Int32 {
        let index: Int32
        if let free = freeJobs.popLast() {
            index = free
        } else {
            index = Int32(jobs.count)
            jobs.append(Job())
            links.append(JobQueues.Link())
        }
        let generation = jobs[Int(index)].generation &+ 1
        jobs[Int(index)] = Job(generation: generation, stage: stage, depth: depth, work: work)
        jobCount += 1
        return index
    }

    mutating func freeJob(_ index: Int32) {
        let generation = jobs[Int(index)].generation
        jobs[Int(index)] = Job(generation: generation)
        freeJobs.append(index)
        jobCount -= 1
    }

    mutating func makeTask(_ client: Client, steps: Steps, level: Int, isPaused: Bool) -> Int32 {
        let index: Int32
        if let free = freeTasks.popLast() {
            index = free
        } else {
            index = Int32(tasks.count)
            tasks.append(Waiting())
        }
        let generation = tasks[Int(index)].generation &+ 1
        tasks[Int(index)] = Waiting(
            generation: generation, level: level, isPaused: isPaused, steps: steps, client: client)
        taskCount += 1
        return index
    }

    mutating func freeTask(_ index: Int32) {
        let generation = tasks[Int(index)].generation
        tasks[Int(index)] = Waiting(generation: generation)
        freeTasks.append(index)
        taskCount -= 1
    }

    /// The job a ticket names, if it is still the same.
    func job(_ ticket: JobTicket) -> Int32? {
        guard ticket.index >= 0, Int(ticket.index) < jobs.count, jobs[Int(ticket.index)].phase != .free,
            jobs[Int(ticket.index)].generation == ticket.generation
        else { return nil }
        return ticket.index
    }

    /// The task a ticket names, if it still waits.
    func task(_ ticket: JobTicket) -> Int32? {
        guard ticket.index >= 0, Int(ticket.index) < tasks.count, tasks[Int(ticket.index)].job >= 0,
            tasks[Int(ticket.index)].generation == ticket.generation
        else { return nil }
        return ticket.index
    }

    func ticket(ofJob index: Int32) -> JobTicket {
        JobTicket(index: index, generation: jobs[Int(index)].generation)
    }
}
