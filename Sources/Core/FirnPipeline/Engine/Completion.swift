import FirnSync

/// Starts and ends tasks: adds them to the table, sends them on to the next place of their routes, returns jobs to the
/// table, and passes results to listeners.
final class Completion: Sendable {
    let shell: TableShell
    let router: Router
    private var caches: PipelineCaches { router.caches }
    let opener: TransferOpener
    let decoders: DecoderChoice
    private let renderer: ImageRenderer
    let writer: CacheWriter

    init(
        _ shell: TableShell, _ router: Router, _ opener: TransferOpener,
        _ decoders: DecoderChoice, _ renderer: ImageRenderer, _ writer: CacheWriter
    ) {
        self.shell = shell
        self.router = router
        self.opener = opener
        self.decoders = decoders
        self.renderer = renderer
        self.writer = writer
    }

    // MARK: Starts

    /// Starts a task. Does not block and does no work of a stage.
    ///
    /// - Parameter isKnown: whether callers have the task already. They may have changed or cancelled it, or may do so
    ///   concurrently.
    func start(_ task: ImageTask, isKnown: Bool = false) {
        var route = Route()
        while let start = start(of: task, route), let job = add(task, start, isKnown: isKnown) {
            // The work that is done may be of an older version of the file.
            guard hasChanged(job, job.outcome), let renewed = start.route.again(.changed) else {
                return end(task, with: job)
            }
            shell.read { $0.table.closeRoot(of: start.key) }
            route = renewed
        }
    }

    /// Adds a task to the table. Returns the job if it is done.
    private func add(_ task: ImageTask, _ start: RouteStart, isKnown: Bool) -> EngineJob? {
        switch shell.add(task, start, isKnown: isKnown) {
        case .waits?: if isKnown { watch(task) }
        case .finished(let job?)?: return job
        // The pipeline is closed, or the task has ended.
        case .finished(nil)?, nil: task.end(.failure(.invalidated(task.request)))
        }
        return nil
    }

    /// The start of a task's work; `nil` if the task has ended without.
    private func start(of task: ImageTask, _ route: Route) -> RouteStart? {
        let request = task.request
        let start = router.start(of: request, route) { preview, isStale in
            // A preview that the program has put into the cache for this request takes precedence.
            guard task.latestPreview == nil else { return }
            let origin = ImageResponse.Origin(preview, nil, .memory, isStale: isStale)
            task.pass(.preview(ImageResponse(origin, for: request)))
        }
        switch start {
        case .work(let start): return start
        case .image(let container):
            caches.memoryHits.count()
            task.end(.success(ImageResponse(container: container, request: request, cacheType: .memory)))
        case .failure(let failure): task.end(.failure(ImageLoadingError(failure, for: request)))
        }
        return nil
    }

    /// Starts the task of a download.
    ///
    /// - Parameter joins: whether it joins a load of the same resource, if there is one. Otherwise it has a transfer
    ///   that no task joins.
    func start(_ task: ImageTask, of download: FileDownload, joins: Bool) {
        let start = router.start(of: download, joins: joins)
        if let job = add(task, start, isKnown: true) { end(task, with: job) }
    }

    // MARK: Moves

    /// Ends tasks with the results of a lookup, and moves others to other work.
    ///
    /// - Parameters:
    ///   - ends: tasks and their results; `nil` for a task that has ended.
    ///   - count: counts the results.
    /// - Returns: whether a task still waits for the job.
    @discardableResult
    func divert(
        _ ticket: JobTicket, _ ends: [(task: ImageTask, origin: ImageResponse.Origin?)], _ moves: [RouteMove],
        count: (inout PipelineStatistics) -> Void = { _ in }
    ) -> Bool {
        let (isWanted, finished) = shell.divert(ticket, ending: ends.map(\.task), moves, count: count)
        for (task, _) in moves { watch(task) }
        for case (let task, let origin?) in ends { task.end(.success(ImageResponse(origin, for: task.request))) }
        for (task, job) in finished { end(task, with: job) }
        return isWanted
    }

    /// Has a watched task receive the events of the transfer that it waits for now.
    ///
    /// Order: after the table has the task there. A task that is watched later finds the transfer itself.
    private func watch(_ task: ImageTask) {
        if task.isWatched { _ = shell.job(of: task)?.transfer?.watch() }
    }

    /// Moves tasks of a job to other routes.
    func send(_ tasks: [RoutedTask], _ ticket: JobTicket) {
        // A task whose image the memory cache has ends here, and is removed from the table.
        let starts = tasks.map { task, route in (task, start(of: task, route)) }
        let moves = starts.compactMap { task, start -> RouteMove? in start.map { (task, $0) } }
        let ended = starts.compactMap { task, start in start == nil ? (task, ImageResponse.Origin?.none) : nil }
        divert(ticket, ended, moves)
    }

    /// The task with the route to a response of its own, if that of the load that it has joined is for other requests;
    /// otherwise `nil`. A task gets such a route once.
    func other(_ routed: RoutedTask, _ job: EngineJob, _ response: DataResponse) -> RoutedTask? {
        guard routed.task.request.storage !== job.request.storage, routed.route.selection == 0,
            let selection = opener.selection(of: routed.task.request, by: response)
        else { return nil }
        return (routed.task, routed.route.selecting(selection))
    }

    /// Moves the tasks that a job has no result for, or one that they must not use.
    ///
    /// Order: before the job leaves the table. Its root is closed first, so that no task joins it unseen.
    /// - Returns: the tasks that end with an image; empty if no cache keeps it.
    private func reroute(_ started: StartedJob, _ outcome: StageOutcome) -> [RoutedTask] {
        let (job, ticket) = (started.job, started.ticket)
        switch outcome {
        case .done(.image(let origin, let bytes)?):
            let isFile = origin.container.sourceVersion != nil && job.request.identities.path != nil
            let maySelect = maySelect(bytes)
            guard isFile || maySelect || caches.keepsImages || caches.keepsBitmaps else { return [] }
            let endings = shell.endings(ticket, outcome, closes: isFile || maySelect)
            let isChanged = isFile && hasChanged(job, outcome)
            if !isChanged, !maySelect { return endings }
            var again: [RoutedTask] = []
            // Order: no cache gets this image for a task that starts again, which may have its own there by now.
            let rest = endings.filter { routed in
                // A task may have joined a read that began before the change. With the second start, a request for a
                // file returns the file as it was at the time of the request, or later.
                let route = isChanged ? routed.route.again(.changed).map { (routed.task, $0) } : nil
                guard let start = route ?? (maySelect ? bytes.response.flatMap { other(routed, job, $0) } : nil) else {
                    return true
                }
                again.append(start)
                return false
            }
            if !again.isEmpty { send(again, ticket) }
            return rest
        case .failed, .notNeeded, .servedElsewhere:
            if started.stage == .transfer || started.stage.isDetached { return [] }
            // Order: removed first, so that the tasks do not find the entry again.
            let isDamaged = renderer.removeDamagedEntry(of: job, outcome)
            let isChanged = hasChanged(job, outcome)
            let tasks = shell.leaving(ticket) { task in
                task.route.place != .source || isChanged || isDamaged && task.request.options.loads
            }
            let again = tasks.compactMap { routed -> RoutedTask? in
                let route =
                    routed.route.place == .source
                    ? routed.route.again(isChanged ? .changed : .damaged) : routed.route.starting(at: .source)
                return route.map { (routed.task, $0) }
            }
            if !again.isEmpty { send(again, ticket) }
            return []
        default: return []
        }
    }

    /// Returns whether the file that a job used has changed. If it was removed, its image is the result.
    private func hasChanged(_ job: EngineJob, _ outcome: StageOutcome?) -> Bool {
        guard let path = job.request.identities.path, let version = job.version(of: outcome),
            let now = caches.currentVersion(path)
        else { return false }
        return now != version
    }

    // MARK: Ends

    /// Ends a stage that a worker has run, and returns the worker's next turn. Without a worker, the turn has the job
    /// that this thread begins.
    func finish(
        _ started: StartedJob, _ outcome: StageOutcome, of worker: Int?, _ ended: inout [ImageTask]
    ) -> WorkerTurn {
        let now = MonotonicClock.now()
        shell.emitter.jobEnds(started, outcome, at: now)
        writer.dropOldVersion(started.job, outcome)
        var sole = sole(of: started, outcome)
        while true {
            if let sole {
                writer.cacheImage(of: started.job, outcome, for: CollectionOfOne(sole.task))
            } else {
                writer.cacheImage(of: started.job, outcome, for: reroute(started, outcome).lazy.map(\.task))
            }
            let next = shell.finish(started, outcome, of: worker, at: now, for: sole, ended: &ended) {
                writer.addStores(of: started.job, outcome, $1, isUnwanted: $2, &$0)
            }
            if let (turn, followUp) = next {
                end(&ended, with: started.job)
                shell.perform(followUp)
                return turn
            }
            // A task has joined the job since it began.
            sole = nil
        }
    }

    /// The only task of a job with an image, if it may have that image.
    private func sole(of started: StartedJob, _ outcome: StageOutcome) -> SoleTask? {
        guard let sole = started.sole, !sole.task.hasEnded, case .done(.image(_, let bytes)?) = outcome,
            !maySelect(bytes),
            !hasChanged(started.job, outcome)
        else { return nil }
        return sole
    }

    /// Returns whether other requests of the same resource may need another response than these bytes.
    private func maySelect(_ bytes: FetchedBytes) -> Bool {
        guard bytes.cacheType == nil, let response = bytes.response else { return false }
        return opener.maySelect(by: response)
    }

    /// Ends a stage outside of the workers: a transfer or a closure.
    func finish(_ started: StartedJob, _ outcome: StageOutcome) {
        var ended: [ImageTask] = []
        if let next = finish(started, outcome, of: nil, &ended).job { shell.begin(next) }
    }

    private func end(_ task: ImageTask, with job: EngineJob) {
        var ended = [task]
        end(&ended, with: job)
    }

    /// Ends the tasks of a job.
    private func end(_ ended: inout [ImageTask], with job: EngineJob) {
        if ended.isEmpty { return }
        switch job.outcome {
        case .done(let product?)?:
            if case .bytes(let bytes) = product { writer.store(bytes, of: job) }
            if let origin = product.origin { return notify(&ended, .success(origin)) }
        case .failed(let error)?:
            if let progress = job.progress, progress.completed > 0 { for task in ended { task.see(progress) } }
            return notify(&ended, .failure(error))
        default: break
        }
        for task in ended { task.end(.failure(.cancelled(source: task.request.description))) }
        ended.removeAll(keepingCapacity: true)
    }

    /// Ends tasks and notifies their listeners.
    ///
    /// Order: all tasks end before the first listener is notified. A listener that waits for several tasks wakes once
    /// and finds all of them ended.
    private func notify(_ ended: inout [ImageTask], _ end: TaskRecord.End) {
        if ended.count == 1, let task = ended.popLast() {
            if let listeners = task.settle(end) { task.notify(listeners, end) }
            return
        }
        let settled = ended.compactMap { task in task.settle(end).map { (task, $0) } }
        for (task, listeners) in settled { task.notify(listeners, end) }
        ended.removeAll(keepingCapacity: true)
    }
}

extension JobProduct {
    /// The result of tasks that end with the product; `nil` if there is no memory for a stand-in image.
    fileprivate var origin: ImageResponse.Origin? {
        switch self {
        case .image(let origin, _): origin
        case .bytes(let bytes): ImageResponse.standIn.map { bytes.origin($0, bytes: bytes) }
        case .proof(let bytes): ImageResponse.standIn.map { bytes.origin($0, proof: bytes) }
        }
    }
}

extension EngineJob {
    /// The version of the file that the job used for an outcome.
    fileprivate func version(of outcome: StageOutcome?) -> SourceVersion? {
        switch outcome {
        case .done(.image(let origin, _)?)?: origin.container.sourceVersion
        case .failed(let error)? where error.fault == .data:
            // The file may have been damaged because it was being written.
            if case .bytes(let bytes)? = input { bytes.version } else { nil }
        default: nil
        }
    }
}
