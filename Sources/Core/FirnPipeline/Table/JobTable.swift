/// The jobs, the tasks that wait for them, and every scheduling decision of the engine, as a value.
///
/// Data structure: a forest. A root is the download of one resource; its children are decodes of those bytes, one for
/// each size and format; their children are processor steps. A task is attached to the job that it currently waits
/// for, and moves down the tree as jobs finish. Jobs further down are created when they can start. So equal work is
/// one job at every depth, and a waiting request costs one entry. There is one exception: while a transfer runs, a
/// decode of the bytes so far may already be its child (an early decode). The tasks are then attached to the transfer
/// and also count for the decode.
///
/// The input is events and the time. The output is return values, and orders for running work. The table does no
/// work, takes no lock and reads no clock: see ``TableShell`` for the lock.
///
/// Invariants:
/// - a job that is queued, running, held or parked has a task that waits for it, or, if it is an early decode, a task
///   on its parent that needs it. Exceptions: stores, previews, abandoned jobs, and transfers that may finish without
///   tasks (lingering);
/// - a job's level is the highest of the tasks that wait for it and are not paused; if all are paused, it rests and
///   does not start;
/// - `running` counts, per stage, the jobs that hold a slot; limits hold at every `next`;
/// - a transfer is either running, with a slot, or held, without; paused transfers precede new ones;
/// - a host has at least one place, and of the transfers that have responded, at least one is not stalled;
/// - a job with a key is the root that the index has for the key, and can be joined;
/// - a finished root that a look-up may lead to stays until the look-up has ended, so that all tasks that were added
///   while it was under way are one transfer, also if nothing stores the bytes;
/// - every task is removed exactly once: by `finish`, by `cancel`, or at once by `add`, if its steps are already
///   done.
///
/// The rules are in the extensions: which job is next and how often it can be passed (`+Starts`), which transfers are
/// paused for others (`+Transfers`), decoding while bytes arrive (`+Early`), memory of decodes (`+Memory`) and of
/// bodies (`+Held`), the turns of hosts (`+Hosts`).
struct JobTable<Key: Hashable, Steps: JobSteps, Work, Client> {
    typealias Step = Steps.Step
    typealias MakeChild = (Work?, Step) -> (Work, JobStage)

    private(set) var limits: StageLimits
    private(set) var jobs: Slots<Job>
    private(set) var links: Slots<JobList.Link>
    private(set) var tasks: Slots<Waiting>
    /// The roots that tasks can join.
    var keys: [Key: Int32] = [:]
    /// The number of look-ups that may lead to a root.
    var lookups: [Key: Int] = [:]
    var queues = JobQueues()
    var transfers = TransferSlots()
    var hosts = HostRegistry()
    var limiter: RateLimiter
    var memory = DecodingMemory()
    /// The bytes that bodies may come to hold; see `JobTable+Held`.
    var claimed = 0
    /// At most the bytes that any stalled transfer needs to proceed; may be too low, never too high.
    var leastGrowth = 0
    /// Early decodes that hold a session.
    var sessions: [Int32] = []
    /// The number of early decodes in the queue.
    var queuedSessions = 0
    /// Jobs that hold a slot, by stage.
    var running = InlineArray<6, Int>(repeating: 0)
    /// The number of starts that passed an older job, by group of queues, since the last forced start of an oldest
    /// job.
    var passes = InlineArray<5, Int>(repeating: 0)
    var orders: [Order] = []
    /// The number of the latest order or resumption.
    var orderNumber: UInt64 = 0
    /// The latest time received.
    var clock: Moment = 0
    /// The time at which the transfers must be checked next; may be too early, never too late.
    var timer: Moment = .max
    /// The number of the latest job that was queued.
    var sequence: UInt32 = 0
    /// The number of the latest task or job. It makes every ticket unique.
    var generation: UInt32 = 0
    /// The lists of each group of queues.
    let groupMasks = InlineArray<5, UInt64> { JobQueues.mask(group: $0) }
    var freeJob: Int32 = -1
    var freeTask: Int32 = -1
    /// The number of bytes that the memory budget has for decodes, in addition to their own limit.
    var decodingRoom = Int.max
    /// The number of tasks that joined existing work.
    var coalesced = 0
    var taskCount = 0
    var jobCount = 0
    /// Owns the slots.
    private var storage = TableMemory<Job, Waiting>()

    init(limits: StageLimits) {
        jobs = storage.jobs
        links = storage.links
        tasks = storage.tasks
        self.limits = limits
        limiter = RateLimiter(limits.rate)
    }

    /// Changes the limits, from now on, except `sharesByHost`. Running jobs are not stopped.
    mutating func setLimits(_ limits: StageLimits) {
        own()
        let sharesByHost = self.limits.sharesByHost
        self.limits = limits
        self.limits.sharesByHost = sharesByHost
        limiter.set(limits.rate)
        for host in 0..<Int32(hosts.hosts.count) { unblock(host) }
        while sessions.count > limits.sessions, dropSession(below: .max) {}
        grantMemory()
        holdForUrgent()
        leastGrowth = 0
        balanceHeld()
    }

    var hasOrders: Bool { !orders.isEmpty }

    /// Removes and returns the orders, in the order in which to perform them.
    mutating func takeOrders() -> [Order] {
        defer { orders = [] }
        return orders
    }

    /// The number of bytes that are granted to decodes.
    var reservedBytes: Int { memory.promised }

    /// The number of bytes that decodes may currently hold.
    var decodingLimit: Int { min(limits.decodingBytes, decodingRoom) }

    /// Ensures that this table does not share its memory with a copy. Called first by every event.
    @inline(__always)
    mutating func own() {
        if !isKnownUniquelyReferenced(&storage) { copyMemory() }
    }

    private mutating func copyMemory() {
        storage = TableMemory(copying: storage)
        jobs = storage.jobs
        links = storage.links
        tasks = storage.tasks
    }

    /// Frees the memory of many concurrent jobs once no job or task is left.
    mutating func trim() {
        guard jobCount == 0, taskCount == 0, jobs.count > 4096 || tasks.count > 4096 else { return }
        jobs.removeAll()
        links.removeAll()
        tasks.removeAll()
        keys = [:]
        freeJob = -1
        freeTask = -1
    }
}

/// The steps of a task. The table does not know their meaning.
protocol JobSteps {
    associatedtype Step: Equatable

    var count: Int { get }

    /// The step at an index from 0 to below `count`.
    subscript(index: Int) -> Step { get }
}

extension Array: JobSteps where Element: Equatable {}
