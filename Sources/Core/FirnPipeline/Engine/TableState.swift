import FirnSync

/// The state behind the lock of ``TableShell``: the table, and the values that are changed together with it.
struct TableState {
    typealias Table = TableShell.Table

    var table: Table
    var workers: WorkerSlots
    var statistics = PipelineStatistics()
    var scheduling: ImagePipeline.Scheduling
    private var scrollingLists = 0
    var isClosed = false
    /// True if there are observers, who receive the numbers of waiting tasks.
    let isObserved: Bool
    /// True if a delegate may run when a transfer begins.
    private let hasDelegate: Bool
    /// True if a cache may get the images of jobs.
    private let cachesImages: Bool
    /// The number of critical sections so far.
    var sections = 0
    /// The number of bytes of decodes that the memory budget has counted.
    private var budgetedBytes = 0

    init(_ scheduling: ImagePipeline.Scheduling, isObserved: Bool, hasDelegate: Bool, cachesImages: Bool) {
        self.isObserved = isObserved
        self.hasDelegate = hasDelegate
        self.cachesImages = cachesImages
        let limits = scheduling.stageLimits
        table = Table(limits: limits)
        workers = WorkerSlots(maximum: TableState.workerCount(limits))
        self.scheduling = scheduling
    }

    /// The number of threads that may work at once. Transfers need none, and threads start only when needed.
    static func workerCount(_ limits: StageLimits) -> Int {
        min(limits.computing, 1 << 10) + min(limits.reading, 1 << 10) + limits.storing
            + min(limits.previewing, 1 << 10)
    }

    mutating func applyScheduling() {
        var limits = scheduling.stageLimits
        workers.setMaximum(TableState.workerCount(limits))
        if scrollingLists > 0 { limits.computing = max(1, min(limits.computing, Machine.cores - 1)) }
        table.setLimits(limits)
    }

    /// Counts a list that starts or stops to scroll. While there is one, a core is free for the thread that draws.
    mutating func listScrolls(_ isScrolling: Bool) {
        let before = scrollingLists
        scrollingLists += isScrolling ? 1 : -1
        if min(before, scrollingLists) == 0 { applyScheduling() }
    }

    // MARK: Effects of a change

    /// The effects of a change, performed once the lock is released.
    struct FollowUp {
        var call = WorkerCall.none
        /// The change of the bytes that decodes hold.
        var bytes = 0
        /// Orders for running work; few changes have any.
        var orders: [Table.Order] = []
        /// The workers whose threads end.
        var leaving: [ThreadParker] = []
    }

    mutating func takeFollowUp() -> FollowUp {
        let call = workers.call(for: &table)
        var followUp = takeFollowUpOfWorker()
        followUp.call = call
        return followUp
    }

    /// The same without a call, for a worker that takes the next job itself.
    mutating func takeFollowUpOfWorker() -> FollowUp {
        var followUp = FollowUp(bytes: takeBytes())
        if table.hasOrders { followUp.orders = table.takeOrders() }
        for case .pause in followUp.orders { statistics.transfersPaused += 1 }
        if isClosed, table.jobCount == 0 { followUp.leaving = workers.dismissAll() }
        return followUp
    }

    /// Returns the change of the bytes that decodes hold since the last call.
    mutating func takeBytes() -> Int {
        defer { budgetedBytes = table.reservedBytes }
        return table.reservedBytes - budgetedBytes
    }

    // MARK: Jobs

    /// Ends a stage of a job in the table.
    ///
    /// - Parameters:
    ///   - ended: receives the tasks that end with the job.
    ///   - store: called with these tasks, and whether unwanted bytes can be stored, to add stores of the product.
    mutating func finish(
        _ started: StartedJob, _ outcome: StageOutcome, now: Moment, ended: inout [ImageTask],
        store: (inout TableState, ArraySlice<ImageTask>, Bool) -> Void
    ) {
        let job = started.job
        let result: Table.Outcome
        switch outcome {
        // Order: changes nothing else, since another thread may end the job before this.
        case .pending: return job.suspend()
        case .done: result = .finished
        // Tasks that joined since the lookup have their own caches to be read.
        case .needsTransfer: result = .moves(table.joins(of: started.ticket) == job.lookedUp ? .transfer : .read)
        case .refused: result = .moves(.decode)
        case .notNeeded, .servedElsewhere, .failed: result = .failed
        case .needsBytes: result = .starved
        }
        statistics.count(started.stage, outcome, job)
        if started.stage == .transfer {
            noteResponse(of: job, started.ticket)
            if case .failed(let error) = outcome {
                let hasTimedOut = (error.underlying as? DataLoadingError)?.cause == .timeout
                if hasTimedOut || error.statusCode != nil {
                    table.transferFailed(started.ticket, hasTimedOut: hasTimedOut)
                }
            }
        }
        job.end(outcome, at: now)
        let before = ended.count
        let isUnwanted = table.finish(
            started.ticket, result, now: now, ended: &ended, makeChild: EngineJob.child,
            isNeedless: { job.outcome?.makesNeedless($0) ?? false })
        store(&self, ended[before...], isUnwanted)
    }

    /// Notes the response of a transfer in the table, together with its first bytes or its end, which usually follow at
    /// once.
    mutating func noteResponse(of job: EngineJob, _ ticket: JobTicket) {
        if let moment = job.takeResponse() { table.transferResponded(ticket, at: moment) }
    }

    /// Returns the next turn of a worker: the best job, sleep, or the end of its thread.
    mutating func nextTurn(of worker: Int, now: Moment) -> WorkerTurn {
        if let job = next(now: now) {
            // A transfer needs a thread only until its request is sent. With observers, every job has its worker, and a
            // delegate may block.
            if job.stage == .transfer, !isObserved, !hasDelegate, !table.hasRunnable {
                return WorkerTurn(
                    job: job, moment: workers.sleeps(worker, deadline: table.deadline, isBusy: true), sleeps: true)
            }
            return WorkerTurn(job: job, call: workers.call(for: &table))
        }
        if isClosed, table.jobCount == 0 { return WorkerTurn(leaves: true) }
        return WorkerTurn(moment: workers.sleeps(worker, deadline: table.deadline))
    }

    /// Starts the best job.
    mutating func next(now: Moment) -> StartedJob? { table.next(now: now).map { started($0, at: now) } }

    /// Returns the best job if this thread may begin it, because a worker would only be woken for it; see
    /// ``EngineJob/needsNoWorker``. None with observers, whose events name the worker of each job.
    mutating func nextWithoutWorker(now: Moment) -> StartedJob? {
        if isObserved { return nil }
        return table.startBest { $0.needsNoWorker }.map { started($0, at: now) }
    }

    /// Adds a task.
    ///
    /// - Parameter isKnown: whether callers have the task already, and may have changed its priority and its pause.
    /// - Returns: the admission, and the job that this thread begins.
    mutating func add(
        _ task: ImageTask, _ start: RouteStart, isKnown: Bool, now: Moment
    ) -> (Table.Admission, StartedJob?) {
        statistics.memoryMisses += 1
        let request = task.request
        task.route = start.route
        // Its bytes do not stay in memory, so no task can join it.
        let isAlone = start.isDownload && table.keys[start.key] == nil
        let admission = table.add(
            task, key: start.key, steps: start.steps, level: (isKnown ? task.priority : request.priority).rawValue,
            isPaused: isKnown && task.isPaused, now: now, makeRoot: { start.root(for: request, at: now) },
            makeChild: EngineJob.child)
        if case .waits(let ticket) = admission { task.ticket = ticket }
        if isAlone { table.closeRoot(of: start.key) }
        return (admission, request.storage.isMaking ? nextWithoutWorker(now: now) : nil)
    }

    /// Moves a task to other work.
    ///
    /// - Returns: the job that the task ends with, if that work is done.
    mutating func move(_ task: ImageTask, to start: RouteStart, now: Moment) -> EngineJob? {
        let admission = table.move(
            task.ticket, to: start.key, steps: start.steps, now: now,
            makeRoot: { start.root(for: task.request, at: now) }, makeChild: EngineJob.child)
        guard let admission else { return nil }
        task.route = start.route
        if case .finished(let job) = admission { return job }
        return nil
    }

    private mutating func started(_ start: Table.Start, at now: Moment) -> StartedJob {
        start.work.number = start.ticket.generation
        if start.isResumption { statistics.transfersResumed += 1 } else { start.work.startedAt = now }
        var job = StartedJob(
            ticket: start.ticket, job: start.work, stage: start.stage, isResumption: start.isResumption,
            number: start.number, level: start.level)
        if start.stage == .read {
            job.waiting = table.clients(of: start.ticket, after: start.work.lookedUp).map { ($0, $0.route) }
            start.work.lookedUp = table.joins(of: start.ticket)
        }
        if cachesImages, start.stage == .decode || start.stage == .process {
            job.sole = table.sole(of: start.ticket).map { SoleTask(task: $0.client, joins: $0.joins) }
        }
        if start.stage == .transfer, !isObserved {
            job.quietBytes = table.limits.minimumEarlyBytes.saturatingMultiply(2)
        }
        // After more than a millisecond, the image may have entered the memory cache in other ways.
        job.followsLookup = start.stage == .transfer && now - start.work.endedAt < 1_000_000
        if isObserved, !start.isResumption {
            table.visitAudience(of: start.ticket) { job.tasks.append($0.number) }
        }
        return job
    }

    /// Adds a store, unless too many bytes are pending.
    ///
    /// - Parameter pending: makes the content available to lookups until it is stored.
    mutating func addStore(_ store: PendingStore, _ pending: PendingStores) {
        if pending.add(store) { return table.addDetached(EngineJob(.store(store), for: store.request), stage: .store) }
        if case .original(let bytes) = store.content {
            // No task has ended with the bytes yet, so no closure waits for the store.
            let error = DataCachingError("\(store.request): too many bytes wait for the data cache")
            _ = bytes.noteStored(.failed(error))
        }
    }
}

extension PipelineStatistics {
    mutating func count(_ stage: JobStage, _ outcome: StageOutcome, _ job: EngineJob) {
        switch (stage, outcome) {
        case (.transfer, .done(_?)), (.transfer, .failed), (.transfer, .refused):
            transfers += 1
            bytesLoaded += job.keptBytes
            bytesWasted += job.wastedBytes
            guard case .done(.bytes(let bytes)?) = outcome else { break }
            if !bytes.isFromDisk {
                bytesLoaded += bytes.count
            } else if bytes.isStale {
                staleHits += 1
            } else {
                revalidations += 1
            }
        case (.read, .done(.bytes(let bytes)?)): if bytes.isFromDisk { diskHits += 1 } else { localReads += 1 }
        case (.decode, .done(_?)): decodes += 1
        case (.process, .done(_?)): processes += 1
        default: break
        }
    }
}

extension RouteStart {
    /// The root job, if no other task has it.
    func root(for request: ImageRequest, at now: Moment) -> TableState.Table.Root {
        if let work {
            let job = EngineJob(work, for: request, at: now)
            if isDownload { return TableState.Table.Root(work: job, stage: .transfer, host: request.identities.host) }
            return TableState.Table.Root(work: job, stage: .read, leadsTo: leadsTo)
        }
        var root = TableState.Table.Root(
            work: EngineJob(fetching: request, at: now),
            stage: ReadStage.first(for: request, hasDataCache: hasDataCache || keepsBitmaps))
        if let fileSystem = request.storage.fileSystem { root.host = HostKey(fileSystem: fileSystem) }
        if let host = request.identities.host {
            root.host = host
            root.mayKeep = hasDataCache && request.options.writesDisk
        }
        return root
    }
}
