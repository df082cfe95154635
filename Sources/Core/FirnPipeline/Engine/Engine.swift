import FirnData
import FirnImage
import FirnSync
import Synchronization

/// The engine of a pipeline: creates its parts and connects them with tasks, workers and loaders.
///
/// Each part owns its state and calls only parts that are created before it.
final class Engine: Sendable {
    let environment: StageEnvironment
    let memoryHits = MemoryHits()
    let emitter: EventEmitter
    /// Stores the bytes of cancelled transfers.
    let partialBodies: PartialBodyStore
    let shell: TableShell
    private let memory: DecodeMemory
    private let control: TaskControl
    private let completion: Completion
    private let previews: PreviewProducer
    private let runner: StageRunner
    /// The number of the latest task; used only with observers.
    private let lastTask = Atomic<PipelineEvent.Number>(0)

    /// - Parameter account: the share of decodes in the memory budget; `nil` without a budget.
    init(environment: StageEnvironment, scheduling: ImagePipeline.Scheduling, account: MemoryAccount? = nil) {
        self.environment = environment
        emitter = EventEmitter(observers: environment.observers)
        partialBodies = PartialBodyStore(
            limits: scheduling.partialLimits,
            segments: environment.partialDataCache.map { PartialSegmentCache(cache: $0) }, clock: MonotonicClock.now)
        let pool = WorkerPool()
        shell = TableShell(scheduling, pool: pool, account: account, emitter: emitter)
        memory = DecodeMemory(shell, account: account, emitter: emitter)
        control = TaskControl(shell: shell, emitter: emitter)
        let writer = CacheWriter(shell, environment)
        completion = Completion(
            shell, environment, Admission(shell, environment, memoryHits), control, writer, emitter)
        previews = PreviewProducer(shell, environment, memory, emitter)
        let transfers = TransferStage(environment: environment, partialBodies: partialBodies)
        let reports = TransferReports(shell, environment, transfers, completion, writer, emitter)
        let sequence = StageSequence(
            environment, hits: CacheHits(shell, environment, completion), transfers: transfers, reports: reports,
            memory: memory, previews: previews, writer: writer, completion: completion)
        runner = StageRunner(shell, sequence, completion, memory, emitter)
        pool.setDuty(runner)
        account?.listen { [weak account, weak memory, partialBodies] in
            if account?.isShort == true { partialBodies.removeAll() }
            memory?.budgetChanged()
        }
    }

    // MARK: Tasks

    /// Starts a task. Does not block and does no work of a stage.
    func start(_ task: ImageTask) { completion.start(task) }

    /// Starts a task that callers already have.
    func startKnown(_ task: ImageTask) { completion.startKnown(task) }

    /// The number of the next task; 0 without observers.
    func taskNumber() -> PipelineEvent.Number {
        emitter.isObserved ? lastTask.wrappingAdd(1, ordering: .relaxed).newValue : 0
    }

    // MARK: The pipeline

    var scheduling: ImagePipeline.Scheduling {
        get { shell.scheduling }
        set { changeScheduling { $0 = newValue } }
    }

    /// Changes the limits of concurrent work.
    func changeScheduling(_ body: (inout ImagePipeline.Scheduling) -> Void) {
        partialBodies.setLimits(shell.changeScheduling(body))
    }

    /// Counts a list that starts or stops to scroll.
    func listScrolls(_ isScrolling: Bool) { shell.listScrolls(isScrolling) }

    /// Waits until all stores are done.
    func flush() async { await shell.flush() }

    /// Accepts no more tasks. Worker threads end once all jobs are done.
    func close() { shell.close() }

    /// Accepts no more tasks, and cancels the running ones.
    ///
    /// Order: closed first, so that no task is added after the tasks to cancel were listed.
    func invalidate() {
        environment.pyramids.close()
        shell.close()
        for task in shell.suspendAll() { task.cancel() }
        // Stores continue. If there are none, the worker threads end now.
        changeScheduling { _ in }
    }

    var statistics: PipelineStatistics {
        var statistics = shell.read { state in
            var statistics = state.statistics
            statistics.coalesced = state.table.coalesced
            return statistics
        }
        let (wasted, resumed) = partialBodies.totals
        statistics.bytesWasted += wasted
        statistics.bytesResumed = resumed
        statistics.failedLookups = environment.failedLookups.load(ordering: .relaxed)
        statistics.memoryHits = memoryHits.total
        return statistics
    }
}

extension Engine: TaskOwner {
    func taskCancelled(_ task: ImageTask) { shell.cancel(task) }

    func taskEnded(_ task: ImageTask, _ end: TaskRecord.End) { emitter.taskEnds(task, end) }

    func task(_ task: ImageTask, changedPriority priority: ImageRequest.Priority) {
        control.setPriority(priority, of: task)
    }

    func task(_ task: ImageTask, isPaused: Bool) { control.setPaused(isPaused, task) }

    func taskIsWatched(_ task: ImageTask) {
        if let progress = progress(of: task) { task.pass(.progress(progress)) }
        previews.catchUp(task)
    }

    func progress(of task: ImageTask) -> ImageTask.Progress? {
        guard let job = shell.job(of: task) else { return nil }
        guard let transfer = job.transfer else { return job.progress.flatMap { $0.completed > 0 ? $0 : nil } }
        let (completed, total) = transfer.watch()
        return completed > 0 ? ImageTask.Progress(completed: completed, total: total) : nil
    }
}

/// Applies the callers' changes of running tasks.
struct TaskControl: Sendable {
    let shell: TableShell
    let emitter: EventEmitter

    func setPriority(_ priority: ImageRequest.Priority, of task: ImageTask) {
        if task.number != 0 { emitter.emit(.taskChangedPriority(task.number, priority)) }
        shell.applyPriority(of: task)
    }

    func setPaused(_ isPaused: Bool, _ task: ImageTask) {
        if task.number != 0 { emitter.emit(isPaused ? .taskPaused(task.number) : .taskResumed(task.number)) }
        shell.applyPause(of: task)
    }

    /// Applies changes that were made to a task while it was not in the table.
    func catchUp(with task: ImageTask) {
        if task.priority != task.request.priority { setPriority(task.priority, of: task) }
        if task.isPaused { setPaused(true, task) }
        // Order: last, so that a task that was cancelled meanwhile is removed from the table.
        if task.state != .running { shell.cancel(task) }
    }
}
