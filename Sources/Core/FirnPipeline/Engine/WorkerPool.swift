import FirnImage
import FirnSync

/// The threads of the engine. A worker takes the best job from the table and runs it. It ends the job and takes the
/// next one in one critical section.
final class WorkerPool: Sendable {
    // Safety: set once, while the engine is created and no other thread has the pool.
    nonisolated(unsafe) private weak var duty: (any WorkerDuty)?

    /// The time that a worker parks before it frees unused pixel buffers. With idle workers, a buffer is freed between
    /// 0.5 and 1.5 seconds after its last use.
    private static let patience: Int64 = 1_000_000_000

    /// Sets the functions that the workers call. Called once, before the first job.
    func setDuty(_ duty: any WorkerDuty) { self.duty = duty }

    /// Wakes or starts a worker.
    ///
    /// - Returns: false if the system has no thread. The running workers continue, and the next task tries again.
    func perform(_ call: WorkerCall) -> Bool {
        switch call {
        case .none: return true
        case .wake(let parker):
            parker.unpark()
            return true
        case .start(let worker, let parker):
            guard let duty else { return false }
            return WorkerThread.start { WorkerPool.run(worker, parker, duty) }
        }
    }

    /// Begins a job on this thread, without a worker.
    func begin(_ job: StartedJob) { duty?.begin(job) }

    private static func run(_ worker: Int, _ parker: ThreadParker, _ duty: any WorkerDuty) {
        var ended: [ImageTask] = []
        var priority = WorkerPriority.OfThread()
        var turn = duty.turn(of: worker, isCalled: true)
        while !turn.leaves {
            guard let job = turn.job.take() else {
                let isCalled = park(parker, until: turn.moment)
                turn = duty.turn(of: worker, isCalled: isCalled)
                continue
            }
            duty.perform(turn.call)
            priority.apply()
            turn = duty.run(job, as: worker, &ended)
        }
    }

    /// Parks until the worker is called or `moment` has passed. Frees unused pixel buffers if that takes long.
    ///
    /// - Returns: whether the worker was called.
    private static func park(_ parker: ThreadParker, until moment: Moment?) -> Bool {
        if PixelMappings.isEmpty { return parker.park(until: moment) }
        let end = MonotonicClock.now() &+ patience
        if let moment, moment <= end { return parker.park(until: moment) }
        if parker.park(until: end) { return true }
        PixelMappings.trim(unusedFor: patience / 2)
        return false
    }
}

/// The functions that a worker calls.
protocol WorkerDuty: AnyObject, Sendable {
    /// Returns the first turn of a worker that was started or woken.
    /// - Parameter isCalled: false if it woke at its moment, without a call.
    func turn(of worker: Int, isCalled: Bool) -> WorkerTurn
    /// Wakes or starts another worker.
    func perform(_ call: WorkerCall)
    /// Runs a job and ends it.
    ///
    /// - Parameter ended: storage for ended tasks, which the worker reuses.
    func run(_ job: StartedJob, as worker: Int, _ ended: inout [ImageTask]) -> WorkerTurn
    /// Begins a job outside of the workers.
    func begin(_ job: StartedJob)
}

/// The next action of a worker.
struct WorkerTurn {
    var job: StartedJob?
    /// The worker to wake for the next job.
    var call = WorkerCall.none
    /// Without a job: when the worker wakes without a call; `nil` for never.
    var moment: Moment?
    var leaves = false
}

/// A worker to wake or to start, once the lock is released.
enum WorkerCall {
    case none
    case wake(ThreadParker)
    case start(Int, ThreadParker)
}

/// The running and sleeping workers, and the one that wakes at the next deadline. A pure value.
///
/// It is behind the lock of the table, so that the end of a job and the start of its worker's next job take one
/// critical section.
struct WorkerSlots {
    private var idle: IdleWorkers
    private var parkers: [ThreadParker] = []
    /// The worker that sleeps until the next deadline of the table, and that deadline.
    private var timekeeper: (worker: Int, until: Moment)?

    init(maximum: Int) { idle = IdleWorkers(maximum: maximum) }

    mutating func setMaximum(_ maximum: Int) { idle.setMaximum(maximum) }

    /// Returns the worker to call, if there is a job for it or no worker wakes at the deadline.
    mutating func call(for table: inout TableShell.Table) -> WorkerCall {
        // Usually all workers run or one is being woken. Then the table is not read.
        guard idle.canCall else { return .none }
        if !table.hasRunnable {
            guard let deadline = table.deadline, deadline < timekeeper?.until ?? .max else { return .none }
        }
        switch idle.call() {
        case .none: return .none
        case .wake(let worker): return .wake(parkers[worker])
        case .start(let worker):
            let parker = ThreadParker()
            while parkers.count <= worker { parkers.append(parker) }
            parkers[worker] = parker
            return .start(worker, parker)
        }
    }

    /// Notes that the system created no thread for a called worker.
    mutating func failedToStart() { idle.failedToStart() }

    /// Notes that a worker goes to sleep. It wakes at the deadline if no other worker does, or if its deadline is
    /// earlier.
    ///
    /// - Returns: when it wakes without a call; `nil` for never.
    mutating func sleeps(_ worker: Int, deadline: Moment?) -> Moment? {
        idle.sleeps(worker)
        guard let deadline, deadline < timekeeper?.until ?? .max else { return nil }
        timekeeper = (worker, deadline)
        return deadline
    }

    /// Notes that a worker is awake.
    mutating func wakes(_ worker: Int, isCalled: Bool) {
        if timekeeper?.worker == worker { timekeeper = nil }
        if isCalled { idle.arrived() } else { idle.wakes(worker) }
    }

    /// Returns all sleeping workers, so that they wake and end.
    mutating func dismissAll() -> [ThreadParker] { idle.dismissAll().map { parkers[$0] } }
}
