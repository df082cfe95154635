import FirnSystem

/// Runs the real job table in a modeled shell of workers, a network and decoders, in virtual time.
///
/// Events replace the threads of `WorkerPool`: a worker that takes a job returns its outcome after some time. The
/// thread that took an order performs it, at once or after a delay. So a seed can reproduce any interleaving of
/// threads. The checks (`SimulatedEngine+Checks`) observe from outside: they know the requests and the started jobs,
/// but not the internals of the table.
final class SimulatedEngine {
    typealias Table = JobTable<Int, Plan, Work, Int>

    enum Event {
        /// An event that the caller of `step` has planned.
        case outside(Int)
        /// Workers take jobs.
        case wake
        case deadline
        case begin(Table.Start, Work)
        case done(Work)
        case stopped(Work)
        case order(Table.Order)
        case responded(Work, epoch: Int)
        case timedOut(Work, epoch: Int)
        case link(Int, version: Int)
        case unblocked(Work, Flow)
        /// The server closes a connection that is not read.
        case died(Work, number: UInt64)
    }

    let name: String
    var random: SeededGenerator
    var circumstances: Circumstances
    var table: Table
    var limits: StageLimits
    var now: Moment = 0
    var queue = EventQueue<Event>()
    var links: [Link] = []
    var clients: [Client] = []
    /// The waiting tasks, by key.
    var waiting: [[Int]]
    /// The fetch that new tasks join, by key; the table must agree with it.
    var roots: [Work?]
    /// Decodes that needed only the first bytes, by key.
    var early: [[Work]]
    /// The stored bytes of stopped transfers, by key, as in the engine.
    var partial = PartialBodies<Int, Int>()
    var sizes: [Int]
    var busy = 0
    var wakesAt = Moment.max
    var deadlineAt = Moment.max
    var tally = Tally()
    var problem: String?
    /// The state at the first failed check.
    var sight = ""
    let census = Census()
    /// True if the caller starts and ends jobs, without threads and network; see `ScriptWorld`.
    var isManual = false
    /// True if fetches begin with a transfer instead of a read; random if `nil`.
    var isDirect: Bool?
    /// The key whose events are printed; -1 for none.
    var tracedKey = -1
    /// One in this many checks is run.
    var thoroughness = 4
    /// Called at the end of each task, with its number.
    var onEnd: ((Int) -> Void)?

    // State of the checks; see `SimulatedEngine+Checks`.
    var queued = [[Work]](repeating: [], count: JobStage.count)
    var started = [Int](repeating: 0, count: JobStage.count)
    var sinceExcuse = [Int](repeating: 0, count: JobStage.count)
    var running: [Work] = []
    var placesGiven = 0
    /// True if the limits were never changed. Jobs that were started under earlier limits may exceed later ones.
    var areLimitsFirst = true
    /// The number of transfers that were paused for the one that starts.
    var pausedLately = 0
    /// The number of transfers above the limit when it was lowered.
    var surplus = 0
    var tokens = 0.0
    /// Tokens taken by the transfers that were paused for the current start.
    var chargedLately = 0.0
    var tokensAt: Moment = 0

    init(name: String, seed: UInt64, circumstances: Circumstances, limits: StageLimits, keys: Int) {
        self.name = name
        random = SeededGenerator(seed: seed)
        self.circumstances = circumstances
        self.limits = limits
        table = Table(limits: limits)
        waiting = Array(repeating: [], count: keys)
        roots = Array(repeating: nil, count: keys)
        early = Array(repeating: [], count: keys)
        sizes = []
        for _ in 0..<circumstances.links {
            links.append(
                Link(
                    bitsPerSecond: circumstances.bitsPerSecond, roundTrip: circumstances.roundTrip,
                    chunk: circumstances.chunk))
        }
        let (least, most) = (circumstances.minimumBytes, circumstances.maximumBytes)
        for _ in 0..<keys { sizes.append(Int(least * pow(most / least, random.fraction()))) }
        tokens = limits.rate?.burst ?? 0
    }

    // MARK: Time

    func plan(_ event: Event, in delay: Moment) { queue.add(event, at: now + max(0, delay)) }

    /// Performs the next event.
    ///
    /// - Returns: the number of an event that the caller has planned, or -1; `nil` if no event is left.
    func step() -> Int? {
        guard let (time, event) = queue.takeFirst() else { return nil }
        now = max(now, time)
        tally.steps += 1
        var planned = -1
        switch event {
        case .outside(let number): planned = number
        case .wake: wakesAt = .max
        case .deadline:
            deadlineAt = .max
            table.tick(now: now)
        case .begin(let start, let work): begin(start, work)
        case .done(let work): complete(work)
        case .stopped(let work): finish(work, .failed)
        case .order(let order): perform(order)
        case .responded(let work, let epoch): responded(work, epoch)
        case .timedOut(let work, let epoch): timeOut(work, epoch)
        case .link(let index, let version): if links[index].version == version { arrive(on: index) }
        case .unblocked(let work, let flow): unblock(work, flow)
        case .died(let work, let number): die(work, number)
        }
        return planned
    }

    /// Takes orders and starts workers, as the shell does after each critical section.
    func settle() {
        takeOrders()
        noteGone()
        if isManual {
            checkSettled()
            return
        }
        if table.hasRunnable {
            if random.chance(circumstances.heldUp) {
                let moment = now + circumstances.holdUp.moment(&random)
                if moment < wakesAt {
                    wakesAt = moment
                    queue.add(.wake, at: moment)
                }
            } else {
                pump()
            }
        }
        if let deadline = table.deadline, deadline < deadlineAt {
            deadlineAt = max(now, deadline)
            queue.add(.deadline, at: deadlineAt)
        }
        checkSettled()
    }

    /// The transfer that is being resumed.
    var resumed: Work?

    var workers: Int { limits.computing + limits.reading + limits.storing + limits.previewing }

    func pump() {
        while busy < workers, let start = table.next(now: now) {
            busy += 1
            tally.starts += 1
            // Order: other transfers may have been paused for this one, and a resumed one may stall at once.
            resumed = start.isResumption ? start.work : nil
            pausedLately = 0
            chargedLately = 0
            let orders = noteOrders()
            resumed = nil
            noteStart(start)
            perform(orders)
            if random.chance(circumstances.heldUp) {
                plan(.begin(start, start.work), in: circumstances.holdUp.moment(&random) / 10)
            } else {
                begin(start, start.work)
            }
            takeOrders()
        }
    }

    // MARK: Orders

    func takeOrders() { perform(noteOrders()) }

    /// Takes the orders and checks them.
    private func noteOrders() -> [Table.Order] {
        guard table.hasOrders else { return [] }
        let orders = table.takeOrders()
        pausedLately = orders.count { if case .pause = $0 { true } else { false } }
        for order in orders { note(order) }
        return orders
    }

    /// Order: after all were noted, since bytes that arrive by one of them lead to further orders and starts.
    private func perform(_ orders: [Table.Order]) {
        if orders.isEmpty { return }
        let isHeldUp = random.chance(circumstances.heldUp)
        let delay = isHeldUp ? circumstances.holdUp.moment(&random) : 0
        for order in orders { if isHeldUp { plan(.order(order), in: delay) } else { perform(order) } }
    }

    private func perform(_ order: Table.Order) {
        switch order {
        case .stop(let work): stop(work)
        case .pause(let work, let number): pause(work, number)
        case .release(let work, _, let number): release(work, number)
        case .look(let ticket):
            table.decodeEarly(ticket, now: now, makeChild: makeChild)
            settle()
        case .prioritise: break
        case .stall(let work, let number): pause(work, number)
        case .proceed(let work, let number): resume(work, number)
        }
    }

    private func stop(_ work: Work) {
        guard !work.isStopped else { return }
        work.isStopped = true
        guard work.stage == .transfer, work.state == .running, !isManual else { return }
        // A transfer that has not begun handles the order when it begins.
        guard work.transfer.hasBegun else { return }
        abandonTransfer(work)
        plan(.stopped(work), in: circumstances.holdUp.moment(&random))
    }

    func expect(_ condition: Bool, _ text: @autoclosure () -> String) {
        // Only the first failure is kept; later ones may follow from it.
        guard !condition, problem == nil else { return }
        problem = text()
        sight = image
    }
}
