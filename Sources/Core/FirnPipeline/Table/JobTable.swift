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
    /// The bytes that bodies may come to hold; see `JobTable+Pauses`.
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
    mutating func takeOrders() -> [Order] { exchange(&orders, with: []) }

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

    // Root jobs by key.

    /// Closes jobs to tasks that are added later, with all jobs of the same root. Visits every job.
    ///
    /// - Parameters:
    ///   - isMeant: whether a job is meant.
    ///   - isWaiting: whether the job that a client waits for is meant.
    /// - Returns: the work of the jobs that were meant.
    mutating func close(where isMeant: (Work) -> Bool, orWith isWaiting: (Client) -> Bool) -> [Work] {
        own()
        var closed: [Work] = []
        for job in 0..<Int32(jobs.count) where jobs[job].phase != .free {
            guard let work = jobs[job].work,
                isMeant(work) || tasks(on: job).contains(where: { tasks[$0].client.map(isWaiting) ?? false })
            else { continue }
            closed.append(work)
            close(job)
        }
        return closed
    }

    /// Closes the root of a key to tasks that are added later, with all its jobs.
    mutating func closeRoot(of key: Key) {
        own()
        if let root = keys[key] { close(root) }
    }

    /// Closes the root of a job to tasks that are added later, with all its jobs.
    mutating func closeRoot(of ticket: JobTicket) {
        own()
        if let job = job(ticket) { close(job) }
    }

    private mutating func close(_ job: Int32) {
        var root = job
        while jobs[root].parent >= 0 { root = jobs[root].parent }
        removeRoot(root)
        if jobs[root].phase == .finished { releaseUnneeded(root) }
    }

    /// Removes a root from the index, so that no task joins it.
    mutating func removeRoot(_ job: Int32) {
        if let key = jobs[job].key.take() { keys[key] = nil }
    }

    /// Returns whether a look-up may lead to a root.
    mutating func isAwaited(_ job: Int32) -> Bool {
        if lookups.isEmpty { return false }
        return jobs[job].key.map { lookups[$0] != nil } ?? false
    }

    /// Records that a look-up has ended, and frees the finished root that waited for it.
    mutating func endLookup(_ job: Int32) {
        guard let key = jobs[job].leadsTo.take(), let count = lookups[key] else { return }
        lookups[key] = count > 1 ? count - 1 : nil
        if count == 1, let root = keys[key], jobs[root].phase == .finished { releaseUnneeded(root) }
    }

    // Arguments and results.

    /// The work of a new root, and its properties for scheduling.
    struct Root {
        var work: Work
        var stage: JobStage
        /// The host of its bytes; `nil` if no network is needed. Without it there is no limit per host, no rate limit
        /// and no pause.
        var host: HostKey?
        /// True if its bytes can be stored in the data cache, so that they are useful even without waiting tasks.
        var mayKeep = false
        /// The root that its tasks move to if this look-up finds nothing; `nil` for a root that is no look-up. Roots
        /// that are look-ups must not lead to each other.
        var leadsTo: Key?
    }

    enum Admission {
        /// The task waits and has this ticket.
        case waits(JobTicket)
        /// Its last step has already been done for another task. It ends with the product of this work.
        case finished(Work?)
    }

    struct Start {
        let ticket: JobTicket
        let work: Work
        let stage: JobStage
        var level = 0
        /// True if the job is a paused transfer that resumes.
        var isResumption = false
        /// Overrides orders with lower numbers, in whatever order they are performed.
        var number: UInt64 = 0
    }

    enum Outcome {
        /// Its work holds the product; the tasks that waited for it continue with it.
        case finished
        /// It continues in another stage. Fails if no task waits for it.
        case moves(JobStage)
        /// It has no product. All waiting tasks fail.
        case failed
        /// A decode has read all bytes so far, and continues when there are more.
        case starved
    }

    /// An order for running work. The shell performs it without its lock.
    ///
    /// Orders of several critical sections may be performed concurrently. So orders that can revoke each other are
    /// numbered, together with the resumptions of `next`. Of two for the same work, the higher number counts.
    enum Order {
        /// No task needs the work.
        case stop(Work)
        /// Stop reading the body; keep the connection.
        case pause(Work, number: UInt64)
        /// The pause lasts: close the connection and keep the bytes, if a range request can fetch the rest.
        case release(Work, JobTicket, number: UInt64)
        /// No bytes have arrived for a long time, so a preview of the bytes so far may be worth its decode.
        case look(JobTicket)
        case prioritise(Work, Int, number: UInt64)
        /// Bodies hold too many bytes: stop reading, and keep the slot.
        case stall(Work, number: UInt64)
        /// Read again.
        case proceed(Work, number: UInt64)
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

/// Identifies a job or a task of a ``JobTable``. Ignored once that job or task has ended.
struct JobTicket: Hashable, Sendable {
    let index: Int32
    let generation: UInt32

    static let none = JobTicket(index: -1, generation: 0)
}

/// The stage of a job, in the order of a request. ``QueueKind`` has the order in which the stages of a level start.
package enum JobStage: UInt8, CaseIterable, Sendable {
    /// Reads files, `data:` addresses and the data cache.
    case read
    /// Loads bytes.
    case transfer
    /// Decodes an image.
    case decode
    /// Runs a processor.
    case process
    /// Prepares a stale cached image to be shown while its source is contacted.
    case preview
    /// Stores bytes in the data cache.
    case store

    static let count = 6

    /// True if no task waits for jobs of this stage.
    var isDetached: Bool { self == .preview || self == .store }
}
