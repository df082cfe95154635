import FirnSync
import Synchronization

/// The threads of the engine. A worker takes the best job from the table and runs it. It ends the job and takes the
/// next one in one critical section.
final class WorkerPool: Sendable {
    // Safety: guarded by the order of the start: written once, while the engine is created and no other thread has the
    // pool; afterwards only read, and loads of weak references are atomic.
    nonisolated(unsafe) private weak var stages: StageSequence?

    /// The time that a worker parks before it frees unused pixel buffers. With idle workers, a buffer is freed between
    /// 0.5 and 1.5 seconds after its last use.
    private static let patience: Int64 = 1_000_000_000

    private let isFailing = Atomic(false)

    /// Sets the stages that the workers run. Called once, before the first job.
    func setStages(_ stages: StageSequence) { self.stages = stages }

    /// Wakes or starts a worker.
    ///
    /// - Returns: false if the system has no thread. The running workers continue; without one, ``failJobs()`` is to be
    ///   called.
    func perform(_ call: WorkerCall) -> Bool {
        switch call {
        case .none: return true
        case .wake(let parker):
            parker.unpark()
            return true
        case .start(let worker, let parker):
            guard let stages else { return false }
            return WorkerThread.start { WorkerPool.run(worker, parker, stages) }
        }
    }

    func begin(_ job: StartedJob) { stages?.begin(job) }

    /// Fails all jobs that wait for a worker, on this thread, since the system starts none.
    func failJobs() {
        guard let stages else { return }
        // Order: the end of a job calls for a worker, and thus this function. One loop fails all jobs, so that the
        // stack stays short. It checks again at its end, for a job that was added meanwhile.
        while stages.shell.lacksWorkers, !isFailing.exchange(true, ordering: .acquiring) {
            while let job = stages.shell.takeJob() { stages.failWithoutWorker(job) }
            isFailing.store(false, ordering: .releasing)
        }
    }

    private static func run(_ worker: Int, _ parker: ThreadParker, _ stages: StageSequence) {
        var ended: [ImageTask] = []
        var priority = WorkerPriority.OfThread()
        var turn = stages.shell.turn(of: worker, isCalled: true)
        while !turn.leaves {
            if let job = turn.job.take() {
                stages.shell.perform(turn.call)
                priority.apply()
                if !turn.sleeps {
                    turn = stages.run(job, as: worker, &ended)
                    continue
                }
                stages.begin(job)
                parker.isBusy.store(false, ordering: .releasing)
            }
            let isCalled = park(parker, until: turn.moment)
            turn = stages.shell.turn(of: worker, isCalled: isCalled)
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

struct WorkerTurn {
    var job: StartedJob?
    /// The worker to wake for the next job.
    var call = WorkerCall.none
    /// When a sleeping worker wakes without a call; `nil` for never.
    var moment: Moment?
    /// True if the worker sleeps once it has begun the job, a transfer. It may be called from now on.
    var sleeps = false
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

    mutating func setMaximum(_ maximum: Int) { idle.maximum = maximum }

    /// Returns the worker to call, if there is a job for it or no worker wakes at the deadline.
    mutating func call(for table: inout TableShell.Table) -> WorkerCall {
        // Usually all workers run or one is being woken. Then the table is not read.
        guard idle.canCall else { return .none }
        if !table.hasRunnable {
            guard let deadline = table.deadline, deadline < timekeeper?.until ?? .max else { return .none }
        }
        switch idle.call(isFree: { !parkers[$0].isBusy.load(ordering: .acquiring) }) {
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

    /// True if no thread was started.
    var isEmpty: Bool { idle.count == 0 }

    /// Notes that a worker goes to sleep. It wakes at the deadline if no other worker does, or if its deadline is
    /// earlier.
    ///
    /// - Returns: when it wakes without a call; `nil` for never.
    mutating func sleeps(_ worker: Int, deadline: Moment?, isBusy: Bool = false) -> Moment? {
        idle.sleeps(worker)
        if isBusy { parkers[worker].isBusy.store(true, ordering: .relaxed) }
        guard let deadline, deadline < timekeeper?.until ?? .max else { return nil }
        timekeeper = (worker, deadline)
        return deadline
    }

    mutating func wakes(_ worker: Int, isCalled: Bool) {
        if timekeeper?.worker == worker { timekeeper = nil }
        if isCalled { idle.arrived() } else { idle.wakes(worker) }
    }

    /// Returns all sleeping workers, so that they wake and end.
    mutating func dismissAll() -> [ThreadParker] { idle.dismissAll().map { parkers[$0] } }
}
