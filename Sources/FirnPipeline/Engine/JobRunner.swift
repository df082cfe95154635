import FirnData
import FirnImage
import FirnSync
import Synchronization

/// The shell around ``JobTable``: holds it under one lock, and does what it decides.
///
/// Workers pull: a free one asks the table for the best job at that moment. Nothing of a user's code (loader, decoder,
/// processor, listener, cache) is ever called under the lock.
final class JobRunner: Sendable {
    typealias Table = JobTable<ResourceKey, RequestSteps, JobWork, ImageTask>

    struct State {
        var table: Table
        var scheduling: ImagePipeline.Scheduling
        var roster: IdleWorkers
        var parkers: [ThreadParker] = []
        var statistics = PipelineStatistics()
        var stores = Stores()
        var flushing: [UnsafeContinuation<Void, Never>] = []
        var isClosed = false
        /// Bytes of decodes that the memory budget was told of.
        var toldBytes = 0
        /// The worker that sleeps until the table's next deadline, and until when.
        var timekeeper: (worker: Int, until: Moment)?

        /// Whether the data cache is up to date.
        var hasStored: Bool { table.hasStored && stores.count == 0 }

        /// Those who wait for the data cache, once it is up to date.
        mutating func takeFlushed() -> [UnsafeContinuation<Void, Never>] {
            guard !flushing.isEmpty, hasStored else { return [] }
            defer { flushing = [] }
            return flushing
        }

        /// The parkers of the sleeping workers, once nothing is left to do and nothing will come.
        mutating func takeLeaving() -> [ThreadParker] {
            guard isClosed, table.jobCount == 0 else { return [] }
            return roster.dismissAll().map { parkers[$0] }
        }
    }

    /// A job that a worker was given.
    struct StartedJob {
        let ticket: JobTicket
        let work: JobWork
        let stage: JobStage
        /// A paused transfer goes on; see `JobTable.Start`.
        var isResumption = false
        var number: UInt64 = 0
        /// How urgent the job was when it started.
        var level = ImageRequest.Priority.normal.rawValue
    }

    let state: Locked<State>
    let environment: StageEnvironment
    /// What decodes have of the memory budget.
    let memory: MemoryAccount?
    let memoryHits = Atomic<Int>(0)
    /// Number of the latest task, where somebody observes.
    let lastTask = Atomic<PipelineEvent.Number>(0)
    /// The bytes of transfers that were given up.
    let keeper: PartialBodyStore
    let transfers: TransferStage

    init(environment: StageEnvironment, scheduling: ImagePipeline.Scheduling, memory: MemoryAccount? = nil) {
        self.environment = environment
        self.memory = memory
        keeper = PartialBodyStore(
            limits: scheduling.partialLimits,
            shelf: environment.partialDataCache.map { PartialSegmentCache(cache: $0) },
            clock: JobRunner.now)
        transfers = TransferStage(environment: environment, keeper: keeper)
        let limits = scheduling.stageLimits
        state = Locked(
            State(
                table: Table(limits: limits), scheduling: scheduling,
                roster: IdleWorkers(maximum: JobRunner.workers(limits))))
        memory?.listen { [weak self] in self?.memoryChanged() }
    }

    // MARK: From the caller's side

    /// Puts a task to work. Does not block and does no work itself.
    func start(_ task: ImageTask) {
        let request = task.request
        // Without a memory cache every way begins at the bytes: nothing to find out, and nothing to copy.
        guard environment.keepsImages else {
            if let product = processedImage(for: task) { return addMade(task, product) }
            return add(task, key: request.identities.resource, steps: request.steps)
        }
        let route = ImageRoute(of: request, in: environment)
        if route.steps.count == 0, let base = route.base {
            memoryHits.wrappingAdd(1, ordering: .relaxed)
            task.end(.success(ImageResponse(container: base, request: request, cacheType: .memory)))
            return
        }
        // One that the caller has put into the cache for this very request comes first.
        if let preview = route.preview, task.latestPreview == nil {
            let origin = ImageResponse.Origin(preview, nil, .memory, isStale: route.isPreviewStale)
            task.pass(.preview(ImageResponse(origin, for: request)))
        }
        guard let base = route.base else {
            if let product = processedImage(for: task) { return addMade(task, product) }
            return add(task, key: route.key, steps: route.steps)
        }
        add(task, key: route.key, steps: route.steps) { now in
            Table.Root(work: JobWork(holding: base, of: request, at: now), stage: .read)
        }
    }

    /// Adds a task to the table, and calls for whoever is to work for it.
    ///
    /// - Parameter root: makes what its way begins with; `nil` for the bytes.
    func add(
        _ task: ImageTask, key: ResourceKey, steps: RequestSteps, root given: ((Moment) -> Table.Root)? = nil
    ) {
        let request = task.request
        let level = request.priority.rawValue
        let now = JobRunner.now()
        let start: Start = state.withLock { state in
            guard !state.isClosed else { return .refused }
            state.statistics.memoryMisses += 1
            let admission = state.table.add(
                task, key: environment.workKey(key), steps: steps, level: level, now: now,
                makeRoot: {
                    given?(now) ?? root(for: request, at: now)
                }, makeChild: JobRunner.makeChild)
            switch admission {
            case .finished(let work): return .finished(work)
            case .waits(let ticket):
                task.ticket = ticket
                return .waits(state.call(), state.takeOrders())
            }
        }
        switch start {
        case .waits(let call, let orders):
            perform(orders)
            perform(call)
        case .finished(let work):
            var ended = [task]
            if let work { tell(&ended, work, nil) }
        case .refused:
            guard !task.hasStarted else {
                task.end(.failure(.cancelled(source: request.description)))
                return
            }
            let message = "the pipeline was invalidated; make the request of another one"
            task.end(
                .failure(
                    ImageLoadingError(.pipeline, at: .request, source: request.description, message: message)))
        }
    }

    private enum Start {
        case waits(IdleWorkers.Call, [Table.Order])
        case finished(JobWork?)
        case refused
    }

    /// Waits until everything that is to be kept on disk is there.
    func flush() async {
        await withUnsafeContinuation { continuation in
            let isDone = state.withLock { state in
                if state.hasStored { return true }
                state.flushing.append(continuation)
                return false
            }
            if isDone { continuation.resume() }
        }
    }

    /// Takes no more tasks; workers go home once what there is has been done.
    func close() {
        let parkers = state.withLock { state in
            state.isClosed = true
            return state.takeLeaving()
        }
        for parker in parkers { parker.unpark() }
    }

    /// Takes no more tasks, and ends those under way as cancelled.
    ///
    /// Order: closed first, so that none is added behind those that are ended here; and suspended, so that no waiting
    /// job starts in the slot of one that was cancelled.
    func invalidate() {
        close()
        let tasks = state.withLock { state in
            var limits = state.table.limits
            limits.isSuspended = true
            state.table.setLimits(limits)
            return state.table.allClients()
        }
        for task in tasks { task.cancel() }
        // What is still to be kept on disk goes on.
        changeScheduling { _ in }
        // If that was all there was, the workers leave now.
        close()
    }

    var statistics: PipelineStatistics {
        var statistics = state.withLock { state in
            var statistics = state.statistics
            statistics.coalesced = state.table.coalesced
            return statistics
        }
        let (wasted, resumed) = keeper.totals
        statistics.bytesWasted += wasted
        statistics.bytesResumed = resumed
        statistics.failedLookups = environment.failedLookups.load(ordering: .relaxed)
        statistics.memoryHits = memoryHits.load(ordering: .relaxed)
        return statistics
    }

    // MARK: Ends of jobs

    /// Whom to tell, beside the tasks, once the lock is released.
    struct After {
        var flushed: [UnsafeContinuation<Void, Never>] = []
        var leaving: [ThreadParker] = []
        var orders: [Table.Order] = []
        /// Bytes that decodes hold now beside those that the memory budget knows of.
        var bytes = 0
    }

    /// Ends a job in the table. Called with the lock held.
    ///
    /// - Returns: `nil` if nobody is to be told, as it mostly is.
    func finish(
        _ job: StartedJob, _ outcome: StageOutcome, _ state: inout State, _ ended: inout [ImageTask],
        _ now: Moment
    ) -> After? {
        state.statistics.note(job.stage, outcome, job.work)
        job.work.endedAt = now
        if case .finished = outcome { job.work.isFinished = true }
        // What goes on in another stage could start at once; what waits for bytes or memory could not.
        if case .moves = outcome { job.work.queuedAt = now } else { job.work.queuedAt = 0 }
        refreshRoom(&state)
        let result: Table.Outcome
        switch outcome {
        case .pending: return nil
        case .finished: result = .finished
        case .moves(let stage): result = .moves(stage)
        case .failed: result = .failed
        case .starved: result = .starved
        }
        let before = ended.count
        let aftermath = state.table.finish(
            job.ticket, result, now: now, ended: &ended, makeChild: JobRunner.makeChild)
        storeProduct(of: job, ended, from: before, &state)
        if case .keep = aftermath { keepBytes(of: job, &state) }
        let bytes = state.takeBytes()
        guard bytes != 0 || state.table.hasOrders || !state.flushing.isEmpty || state.isClosed else { return nil }
        return After(
            flushed: state.takeFlushed(), leaving: state.takeLeaving(), orders: state.takeOrders(), bytes: bytes)
    }

    /// Tells everybody whom the end of a job concerns. Called without the lock.
    func tell(_ ended: inout [ImageTask], _ work: JobWork, _ after: After?) {
        if !ended.isEmpty {
            renew(&ended, work)
            // Order: removed first, so that tasks that start again do not find it.
            let isDamaged = work.error?.fault == .data && removeDamaged(work)
            retryFromOriginal(&ended, work)
            if isDamaged { reload(&ended) }
            if case .bytes(let bytes) = work.product, work.error == nil { keep(bytes, of: work.request) }
            conclude(&ended, work)
        }
        guard let after else { return }
        for continuation in after.flushed { continuation.resume() }
        for parker in after.leaving { parker.unpark() }
        perform(after.orders)
        if after.bytes != 0 { memory?.add(after.bytes) }
    }

    /// Ends the tasks that end with a job.
    ///
    /// Order: all are ended before the first listener is told. One that waits for several of them, as it mostly is,
    /// is woken once and finds the others ended, instead of being woken for each.
    private func conclude(_ ended: inout [ImageTask], _ work: JobWork) {
        if work.error == nil, let origin = work.image ?? JobRunner.origin(of: work.product) {
            conclude(&ended, .image(origin))
        } else if let error = work.error {
            if let progress = work.progress, progress.completed > 0 { for task in ended { task.see(progress) } }
            conclude(&ended, .failure(error))
        } else {
            for task in ended { task.end(.failure(.cancelled(source: task.request.description))) }
            ended.removeAll(keepingCapacity: true)
        }
    }

    private func conclude(_ ended: inout [ImageTask], _ end: TaskRecord.End) {
        if ended.count == 1, let task = ended.popLast() {
            if let listeners = task.settle(end), !listeners.isEmpty { task.tell(listeners, end) }
            return
        }
        var told: [(TaskRecord.Listeners, ImageTask)] = []
        for task in ended {
            if let listeners = task.settle(end), !listeners.isEmpty { told.append((listeners, task)) }
        }
        for (listeners, task) in told { task.tell(listeners, end) }
        ended.removeAll(keepingCapacity: true)
    }

    static func makeChild(of parent: JobWork?, for step: RequestStep) -> (JobWork, JobStage) {
        let work = JobWork(step, of: parent ?? JobWork(fetching: ImageRequest(url: "")))
        return switch step {
        case .plainDecode, .decode: (work, .decode)
        case .process: (work, .process)
        }
    }
}

extension JobRunner: TaskOwner {
    func taskCancelled(_ task: ImageTask) {
        let now = JobRunner.now()
        change { $0.cancel(task.ticket, now: now) }
    }

    func taskEnded(_ task: ImageTask, _ end: TaskRecord.End) { observeEnd(task, end) }

    func task(_ task: ImageTask, changedPriority priority: ImageRequest.Priority) {
        if task.number != 0 { tell(.taskChangedPriority(task.number, priority)) }
        let now = JobRunner.now()
        change { $0.setLevel(task.ticket, to: priority.rawValue, now: now) }
    }

    func task(_ task: ImageTask, isPaused: Bool) {
        if task.number != 0 { tell(isPaused ? .taskPaused(task.number) : .taskResumed(task.number)) }
        let now = JobRunner.now()
        change { $0.setPaused(task.ticket, isPaused, now: now) }
    }

    func progress(of task: ImageTask) -> ImageTask.Progress? {
        guard let work = state.withLock({ $0.table.work(for: task.ticket) }) else { return nil }
        guard let transfer = work.transfer else {
            return work.progress.flatMap { $0.completed > 0 ? $0 : nil }
        }
        let (completed, total) = transfer.watch()
        return completed > 0 ? ImageTask.Progress(completed: completed, total: total) : nil
    }
}
