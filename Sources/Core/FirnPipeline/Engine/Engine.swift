import FirnSync
import Synchronization

/// The engine of a pipeline: creates its parts and connects them with tasks, workers and loaders.
///
/// Each part owns its state and calls only parts that are created before it.
final class Engine: TaskOwner {
    let emitter: EventEmitter
    let caches: PipelineCaches
    let decoders: DecoderChoice
    /// Recent failures; `nil` if they are not remembered.
    let failures: FailureCache?
    /// Stores the bytes of cancelled transfers.
    let partialBodies: PartialBodyStore
    let pyramids: PyramidBuilds
    let read: ReadStage
    let transfers: TransferStage
    let store: StoreStage
    let renderer: ImageRenderer
    let shell: TableShell
    private let memory: DecodeMemory
    let completion: Completion
    let writer: CacheWriter
    private let previews: PreviewProducer
    private let stages: StageSequence
    /// The number of the latest task; used only with observers.
    private let lastTask = Atomic<PipelineEvent.Number>(0)
    /// The running downloads into files.
    private let downloads = Locked<[ObjectIdentifier: Task<DataResponse?, any Error>]>([:])

    /// - Parameters:
    ///   - choices: the delegate's choices; `nil` without a delegate.
    ///   - account: the share of decodes in the memory budget; `nil` without a budget.
    init(_ configuration: ImagePipeline.Configuration, choices: DelegateLink? = nil, account: MemoryAccount? = nil) {
        emitter = EventEmitter(configuration.observers)
        caches = PipelineCaches(configuration, choices, emitter)
        decoders = DecoderChoice(configuration, choices, emitter)
        failures = configuration.failureTimes.count > 0 ? FailureCache(configuration.failureTimes) : nil
        let segments = configuration.partialDataCache.map { PartialSegmentCache(cache: $0) }
        partialBodies = PartialBodyStore(
            limits: configuration.scheduling.partialLimits, segments: segments, clock: MonotonicClock.now)
        let opener = TransferOpener(configuration, choices, caches)
        let tiles = PyramidTiles(caches)
        pyramids = PyramidBuilds(
            PyramidPolicy(minimumPixels: configuration.automaticPyramidPixels),
            PyramidStage(tiles: tiles, decoders: decoders, limits: configuration.pyramidLimits))
        read = ReadStage(
            caches: caches, opener: opener, maximumBytes: configuration.limits.maximumBytes,
            readsWholeFiles: configuration.readsWholeFiles)
        transfers = TransferStage(configuration, caches, opener, decoders, failures, partialBodies: partialBodies)
        let decode = DecodeStage(
            decoders: decoders, freshness: caches.freshness, pyramids: pyramids,
            keepsAnimationData: configuration.keepsAnimationData)
        store = StoreStage(caches: caches, decoders: decoders, partialSegments: segments)
        renderer = ImageRenderer(decode: decode, caches: caches)
        let router = Router(caches, failures, isCoalescing: configuration.isTaskCoalescingEnabled)
        let pool = WorkerPool()
        shell = TableShell(
            configuration.scheduling, pool: pool, account: account, emitter: emitter, hasDelegate: choices != nil,
            cachesImages: caches.keepsImages || caches.keepsBitmaps)
        memory = DecodeMemory(shell, account: account)
        writer = CacheWriter(shell: shell, caches: caches, stage: store, pyramids: pyramids)
        completion = Completion(shell, router, opener, decoders, renderer, writer)
        previews = PreviewProducer(
            shell: shell, renderer: renderer, memory: memory,
            isProgressive: configuration.isProgressiveDecodingEnabled)
        stages = StageSequence(
            shell, tiles, read: read, transfers: transfers, decode: decode, memory: memory,
            previews: previews, completion: completion)
        pool.setStages(stages)
        opener.responses?.whenInvalidated { [writer] in writer.invalidate($0) }
        account?.listen { [weak account, weak memory, partialBodies] in
            if account?.isShort == true { partialBodies.removeAll() }
            memory?.budgetChanged()
        }
    }

    // MARK: Tasks

    /// The number of the next task; 0 without observers.
    func taskNumber() -> PipelineEvent.Number {
        emitter.isObserved ? lastTask.wrappingAdd(1, ordering: .relaxed).newValue : 0
    }

    // MARK: The pipeline

    func changeScheduling(_ body: (inout ImagePipeline.Scheduling) -> Void) {
        partialBodies.setLimits(shell.changeScheduling(body))
    }

    /// Accepts no more tasks, and cancels the running ones.
    ///
    /// Order: closed first, so that no task is added after the tasks to cancel were listed.
    func invalidate() {
        pyramids.close()
        shell.close()
        for task in shell.suspendAll() { task.cancel() }
        for download in downloads.withLock({ Array($0.values) }) { download.cancel() }
        // Stores continue. If there are none, the worker threads end now.
        changeScheduling { _ in }
    }

    /// Runs a download, which `invalidate` cancels.
    ///
    /// - Throws: those of ``run(_:)``.
    func response(of download: FileDownload) async throws -> DataResponse? {
        let call = Task { try await run(download) }
        downloads.withLock { $0[ObjectIdentifier(download)] = call }
        defer { downloads.withLock { $0[ObjectIdentifier(download)] = nil } }
        return try await withTaskCancellationHandler {
            // Order: added first, so that the download is cancelled if the pipeline is closed meanwhile.
            if shell.read({ $0.isClosed }) { call.cancel() }
            return try await call.value
        } onCancel: {
            call.cancel()
        }
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
        statistics.failedLookups = caches.failedLookups.load(ordering: .relaxed)
        statistics.memoryHits = caches.memoryHits.total
        caches.pending.note(in: &statistics)
        return statistics
    }

    /// Drops pending stores of an entry that the program itself stores now.
    func dropStores(of name: PendingStore.Name) {
        for store in caches.pending.drop(where: { $0.names.contains(name) }) { store.waitForCall() }
    }

    func snapshot(usage: MemoryUsage?) -> PipelineSnapshot {
        let now = MonotonicClock.now()
        // Order: under one lock, so that no job is counted twice. Descriptions are created without the lock.
        let (standings, started, tasks, reserved) = shell.read { state in
            let standings = state.table.survey()
            return (
                standings, standings.map { $0.work?.startedAt ?? 0 }, state.table.taskCount, state.table.reservedBytes
            )
        }
        var queues = PipelineEvent.Stage.allCases.map { PipelineSnapshot.Queue(stage: $0) }
        var jobs: [PipelineSnapshot.Job] = []
        for (standing, start) in zip(standings, started) {
            guard let index = queues.firstIndex(where: { $0.stage == standing.stage }) else { continue }
            switch standing.phase {
            case .queued: queues[index].queued += 1
            case .running, .abandoned: queues[index].running += 1
            case .held: queues[index].paused += 1
            case .parked, .starved: queues[index].waiting += 1
            case .free, .finished: continue
            }
            guard standing.phase != .queued, let work = standing.work else { continue }
            jobs.append(
                PipelineSnapshot.Job(
                    number: standing.ticket.generation, stage: standing.stage, source: work.request.description,
                    priority: standing.tasks > 0 ? ImageRequest.Priority(rawValue: standing.level) : nil,
                    tasks: standing.tasks, age: start == 0 ? .zero : .nanoseconds(max(0, now - start)),
                    isWaiting: standing.phase != .running && standing.phase != .abandoned))
        }
        jobs.sort { $0.age > $1.age }
        return PipelineSnapshot(
            queues: queues, jobs: Array(jobs.prefix(PipelineSnapshot.jobLimit)), tasks: tasks, decodingBytes: reserved,
            partialBytes: partialBodies.bytes, memory: usage, statistics: statistics)
    }

    // MARK: The owner of tasks

    func taskCancelled(_ task: ImageTask) { shell.cancel(task) }

    func taskEnded(_ task: ImageTask, _ end: TaskRecord.End) { emitter.taskEnds(task, end) }

    func task(_ task: ImageTask, changedPriority priority: ImageRequest.Priority) {
        shell.setPriority(priority, of: task)
    }

    func task(_ task: ImageTask, isPaused: Bool) { shell.setPaused(isPaused, task) }

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

    // Downloads into files. Their transfers are jobs of the table: they take slots and are paused like those of loads.

    /// The threads that write the files of all downloads.
    private static let writers = WorkerQueue(count: 8)

    /// Copies the bytes of a download, or adds a task for them and writes the bytes while they arrive.
    ///
    /// - Throws: `ImageLoadingError`, `DataFileError` or `CancellationError`. Nothing writes to the file afterwards.
    func run(_ download: FileDownload) async throws -> DataResponse? {
        defer {
            transfers.ended(download)
            download.close()
        }
        let copied = try await BlockingCall.run(on: Engine.writers) { [read] in
            try download.copy(from: read, $0)
        }
        if case .complete(let response) = copied { return response }
        var signals = download.signals.makeAsyncIterator()
        // With a delegate, the load may have sent other fields and get another response.
        var joins = caches.choices == nil
        while true {
            let task = ImageTask(request: download.request, owner: self, number: taskNumber())
            defer { task.cancel() }
            if task.number != 0 { emitter.emit(.taskStarted(task.number, task.request)) }
            task.onEnd { _ in download.signal() }
            download.begins(task)
            completion.start(task, of: download, joins: joins)
            // Bytes that a load has received before.
            download.signal()
            var step = FileDownload.Step.waits
            while case .waits = step {
                guard await signals.next() != nil else { throw CancellationError() }
                step = try await BlockingCall.run(on: Engine.writers) { [shell, joins] in
                    try download.advance(task, joins: joins, $0) { shell.job(of: task) }
                }
            }
            if case .complete(let response) = step { return response }
            joins = false
        }
    }
}

/// The memory of decodes: a share of the budget that caches and animations also use.
final class DecodeMemory: Sendable {
    private let shell: TableShell
    /// `nil` without a budget.
    private let account: MemoryAccount?
    /// The values of the latest event; negative before the first.
    private let emittedDecoding = Atomic<Int>(-1)
    private let emittedKept = Atomic<Int>(-1)

    init(_ shell: TableShell, account: MemoryAccount?) {
        self.shell = shell
        self.account = account
    }

    /// Requests the memory for a job's decode. After `false` the job is parked until there is memory.
    func reserve(_ bytes: Int, for ticket: JobTicket) -> Bool {
        let isGranted = take(bytes) { $0.reserve(bytes, for: ticket) }
        emitUsage()
        return isGranted
    }

    /// Makes an optional image with memory that no decode waits for.
    ///
    /// - Parameter make: calls `lend` at most once, and returns nil if it returns false.
    func lending(_ make: (_ lend: (Int) -> Bool) -> ImageContainer?) -> ImageContainer? {
        var lent = 0
        let container = make { bytes in
            guard take(bytes, { $0.lend(bytes) }) else { return false }
            lent += bytes
            return true
        }
        if lent > 0 { shell.change { $0.table.takeBack(lent) } }
        return container
    }

    /// Takes the bytes from the budget, then calls the table.
    ///
    /// Order: the budget first, so that caches have evicted entries when the table decides. If the decode has to
    /// wait, the bytes are returned.
    private func take(_ bytes: Int, _ ask: (inout TableShell.Table) -> Bool) -> Bool {
        account?.add(bytes)
        let (isGranted, change) = shell.reserve(ask)
        if change != bytes { account?.add(change - bytes) }
        return isGranted
    }

    /// Applies a new size of the budget. Parked decodes may get memory.
    func budgetChanged() {
        guard let account else { return }
        shell.change { $0.table.setDecodingRoom(account.decodingRoom) }
    }

    /// Sends an event with the bytes in use, if they have changed.
    func emitUsage() {
        guard shell.emitter.isObserved else { return }
        let decoding = shell.reservedBytes
        let usage = account?.usage
        let kept = (usage?.kept ?? 0) + (usage?.animations ?? 0)
        let isSame = emittedDecoding.exchange(decoding, ordering: .relaxed) == decoding
        guard emittedKept.exchange(kept, ordering: .relaxed) != kept || !isSame else { return }
        shell.emitter.emit(.memoryUsed(decoding: decoding, kept: kept))
    }
}
