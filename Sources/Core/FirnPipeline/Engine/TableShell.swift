import FirnSync
import Synchronization

/// The job table and its lock. Nothing else takes that lock, and no code of the program runs under it.
///
/// Each function takes the lock once, changes the table, releases the lock, and then performs the effects: orders for
/// running work, wake-ups of workers, and changes of the memory budget.
final class TableShell: Sendable {
    typealias Table = JobTable<ResourceKey, RequestSteps, EngineJob, ImageTask>

    private let state: Locked<TableState>
    private let pool: WorkerPool
    /// The share of decodes in the memory budget.
    private let account: MemoryAccount?
    let emitter: EventEmitter
    /// The number of bytes that decodes hold, as of the performed changes.
    private let reserved = Atomic<Int>(0)
    var reservedBytes: Int { reserved.load(ordering: .relaxed) }

    init(
        _ scheduling: ImagePipeline.Scheduling, pool: WorkerPool, account: MemoryAccount?, emitter: EventEmitter,
        hasDelegate: Bool, cachesImages: Bool
    ) {
        state = Locked(
            TableState(
                scheduling, isObserved: emitter.isObserved, hasDelegate: hasDelegate, cachesImages: cachesImages))
        self.pool = pool
        self.account = account
        self.emitter = emitter
    }

    // MARK: The lock

    /// Reads the state. `body` must change nothing that requires effects.
    func read<Result>(_ body: (inout TableState) -> Result) -> Result { locked(body) }

    @inline(__always)
    private func locked<Result>(_ body: (inout TableState) -> Result) -> Result {
        state.withLock { state in
            state.sections &+= 1
            return body(&state)
        }
    }

    /// Changes the state and performs the effects.
    @discardableResult
    func change<Result>(_ body: (inout TableState) -> Result) -> Result {
        let (result, followUp) = locked { state in
            let result = body(&state)
            return (result, state.takeFollowUp())
        }
        perform(followUp)
        return result
    }

    /// Changes the state unless it is closed, and performs the effects.
    func changeIfOpen(_ body: (inout TableState) -> Void) {
        change { state in if !state.isClosed { body(&state) } }
    }

    func perform(_ followUp: TableState.FollowUp) {
        for order in followUp.orders { perform(order) }
        perform(followUp.call)
        for parker in followUp.leaving { parker.unpark() }
        guard followUp.bytes != 0 else { return }
        reserved.add(followUp.bytes, ordering: .relaxed)
        account?.add(followUp.bytes)
    }

    func perform(_ call: WorkerCall) {
        if pool.perform(call) { return }
        let isEmpty = locked { state in
            state.workers.failedToStart()
            return state.workers.isEmpty
        }
        if isEmpty { pool.failJobs() }
    }

    /// True if jobs wait, and no worker is there for them or being started.
    var lacksWorkers: Bool { locked { $0.workers.isEmpty && $0.table.hasRunnable } }

    /// Returns the best job; `nil` if no job waits.
    func takeJob() -> StartedJob? {
        let now = MonotonicClock.now()
        let (job, followUp) = locked { state in
            let job = state.next(now: now)
            return (job, state.takeFollowUpOfWorker())
        }
        perform(followUp)
        return job
    }

    private func perform(_ order: Table.Order) {
        emitter.ordered(order)
        switch order {
        case .stop(let job): job.stop()
        case .pause(let job, let number): job.transfer?.pause(number: number)
        case .release(let job, let ticket, let number):
            guard let transfer = job.transfer, !transfer.release(number: number) else { break }
            locked { $0.table.transferKept(ticket) }
        case .look(let ticket):
            let now = MonotonicClock.now()
            change { $0.table.decodeEarly(ticket, now: now, makeChild: EngineJob.child) }
        case .prioritise(let job, let level, let number): job.transfer?.prioritise(level, number: number)
        case .stall(let job, let number): job.transfer?.pause(number: number)
        case .proceed(let job, let number): job.transfer?.resume(number: number)
        }
    }

    // MARK: Workers

    func begin(_ job: StartedJob) { pool.begin(job) }

    /// Returns the first turn of a worker that was started or woken; not called if it woke at its moment.
    func turn(of worker: Int, isCalled: Bool) -> WorkerTurn {
        let now = MonotonicClock.now()
        let (turn, followUp) = locked { state in
            state.workers.wakes(worker, isCalled: isCalled)
            let turn = state.nextTurn(of: worker, now: now)
            return (turn, state.takeFollowUpOfWorker())
        }
        // Changes that are due by now may have orders, and the table may not change again for a long time.
        perform(followUp)
        return turn
    }

    /// Ends a stage of a job.
    ///
    /// - Parameters:
    ///   - worker: the worker that has run it; `nil` for a stage outside of the workers, such as a transfer.
    ///   - sole: the task that must be the only one that has waited for the job since it began.
    /// - Returns: the next turn of the worker, or the job that this thread begins; and the effects. `nil` if another
    ///   task has joined the job; nothing has changed then.
    func finish(
        _ job: StartedJob, _ outcome: StageOutcome, of worker: Int?, at now: Moment, for sole: SoleTask?,
        ended: inout [ImageTask], store: (inout TableState, ArraySlice<ImageTask>, Bool) -> Void
    ) -> (turn: WorkerTurn, followUp: TableState.FollowUp)? {
        let end = locked { state -> (WorkerTurn, TableState.FollowUp, WorkerCall)? in
            if let sole, state.table.joins(of: job.ticket) != sole.joins { return nil }
            refreshRoom(&state)
            state.finish(job, outcome, now: now, ended: &ended, store: store)
            if let worker {
                let turn = state.nextTurn(of: worker, now: now)
                return (turn, state.takeFollowUpOfWorker(), .none)
            }
            let turn = WorkerTurn(job: job.job.needsNoWorker ? state.nextWithoutWorker(now: now) : nil)
            return (turn, state.takeFollowUpOfWorker(), state.workers.call(for: &state.table))
        }
        guard let (turn, followUp, call) = end else { return nil }
        perform(call)
        return (turn, followUp)
    }

    // MARK: Memory of decodes

    /// Updates the number of bytes that the budget has for decodes. Called under the lock.
    private func refreshRoom(_ state: inout TableState) {
        if let account { state.table.decodingRoom = account.decodingRoom }
    }

    /// Requests memory for a decode from the table.
    ///
    /// - Returns: whether it is granted, and the change of the bytes that decodes hold, which the caller passes to
    ///   the budget.
    func reserve(_ ask: (inout Table) -> Bool) -> (isGranted: Bool, bytes: Int) {
        let (isGranted, bytes) = locked { state in
            refreshRoom(&state)
            let isGranted = ask(&state.table)
            return (isGranted, state.takeBytes())
        }
        reserved.add(bytes, ordering: .relaxed)
        return (isGranted, bytes)
    }

    // The tasks and jobs of the table.

    /// The tasks that wait for a job and meet the condition.
    func tasks(of ticket: JobTicket, where condition: (ImageTask) -> Bool = { _ in true }) -> [ImageTask] {
        read { $0.table.clients(of: ticket, where: condition) }
    }

    /// The tasks that wait for a job, with their routes.
    func routed(of ticket: JobTicket) -> [RoutedTask] {
        read { $0.table.clients(of: ticket).map { ($0, $0.route) } }
    }

    /// The tasks that end with a job whose stage has an outcome.
    ///
    /// - Parameter closes: whether no task may join the job and those of the same root from now on.
    func endings(_ ticket: JobTicket, _ outcome: StageOutcome, closes: Bool) -> [RoutedTask] {
        read { state in
            if closes { state.table.closeRoot(of: ticket) }
            return state.table.endings(ticket, isNeedless: outcome.makesNeedless).map { ($0, $0.route) }
        }
    }

    /// The tasks of a job without a product that start again. If there are any, no task joins the job from now on.
    func leaving(_ ticket: JobTicket, where condition: (ImageTask) -> Bool) -> [RoutedTask] {
        read { state in
            let leaving = state.table.clients(of: ticket, where: condition)
            if !leaving.isEmpty { state.table.closeRoot(of: ticket) }
            return leaving.map { ($0, $0.route) }
        }
    }

    /// Adds a task. `nil` if the pipeline is closed or the task has ended.
    ///
    /// - Parameter isKnown: whether callers have the task already.
    func add(_ task: ImageTask, _ start: RouteStart, isKnown: Bool) -> Table.Admission? {
        let now = MonotonicClock.now()
        // Order: a task that ends after this check is removed from the table by the thread that ends it.
        let added = change { state -> (Table.Admission, StartedJob?)? in
            state.isClosed || isKnown && task.hasEnded ? nil : state.add(task, start, isKnown: isKnown, now: now)
        }
        if let job = added?.1 { begin(job) }
        return added?.0
    }

    /// Removes tasks that end with the results of a lookup, and moves others to other work, in one critical section.
    ///
    /// - Parameter count: counts the results.
    /// - Returns: whether a task still waits for the job, and the moved tasks that end with a job.
    func divert(
        _ ticket: JobTicket, ending: [ImageTask] = [], _ moves: [RouteMove] = [],
        count: (inout PipelineStatistics) -> Void = { _ in }
    ) -> (isWanted: Bool, finished: [(ImageTask, EngineJob)]) {
        let now = MonotonicClock.now()
        return change { state in
            count(&state.statistics)
            for task in ending { state.table.cancel(task.ticket, now: now) }
            let finished = moves.compactMap { move in
                state.move(move.task, to: move.start, now: now).map { (move.task, $0) }
            }
            return (state.table.isWanted(ticket), finished)
        }
    }

    func job(of task: ImageTask) -> EngineJob? { read { $0.table.work(for: task.ticket) } }

    /// Removes a task that has ended.
    func cancel(_ task: ImageTask) {
        let now = MonotonicClock.now()
        change { $0.table.cancel(task.ticket, now: now) }
    }

    /// Applies the priority that a caller has given to a running task.
    ///
    /// Order: read under the lock of the table. Of threads that change the same task at once, the last one to get here
    /// then applies the value that the task has kept.
    func setPriority(_ priority: ImageRequest.Priority, of task: ImageTask) {
        if task.number != 0 { emitter.emit(.taskChangedPriority(task.number, priority)) }
        let now = MonotonicClock.now()
        change { $0.table.setLevel(task.ticket, to: task.priority.rawValue, now: now) }
    }

    /// Pauses or resumes the work of a task, as the task says. The order is that of `setPriority`.
    func setPaused(_ isPaused: Bool, _ task: ImageTask) {
        if task.number != 0 { emitter.emit(isPaused ? .taskPaused(task.number) : .taskResumed(task.number)) }
        let now = MonotonicClock.now()
        change { $0.table.setPaused(task.ticket, task.isPaused, now: now) }
    }

    // MARK: The pipeline

    var scheduling: ImagePipeline.Scheduling { read { $0.scheduling } }

    /// Changes the limits of concurrent work.
    ///
    /// - Returns: the new limits of partial bodies.
    func changeScheduling(_ body: (inout ImagePipeline.Scheduling) -> Void) -> PartialLimits {
        change { state in
            body(&state.scheduling)
            state.applyScheduling()
            return state.scheduling.partialLimits
        }
    }

    /// Accepts no more tasks. Worker threads end once all jobs are done.
    func close() { change { $0.isClosed = true } }

    /// Suspends all stages, so that no queued job starts in the slot of a cancelled one.
    ///
    /// - Returns: all tasks.
    func suspendAll() -> [ImageTask] {
        read { state in
            var limits = state.table.limits
            limits.isSuspended = true
            state.table.setLimits(limits)
            return state.table.allClients
        }
    }
}

extension EventEmitter {
    /// Sends the event of the table's order for a running transfer.
    fileprivate func ordered(_ order: TableShell.Table.Order) {
        guard isObserved else { return }
        switch order {
        case .pause(let job, _): emit(.transferPaused(job.number))
        case .release(let job, _, _): emit(.transferReleased(job.number))
        case .stop, .prioritise, .look, .stall, .proceed: break
        }
    }
}

/// A task and the work that it moves to.
typealias RouteMove = (task: ImageTask, start: RouteStart)
