import FirnData
import FirnImage
import FirnSync

// What a worker does with a job.
extension JobRunner {
    func run(_ job: StartedJob) -> StageOutcome {
        switch job.stage {
        case .read:
            if job.work.isHeld { return .finished }
            guard serveFromMemory(job.ticket), serveFromBitmaps(job.ticket) else { return .failed }
            let outcome = ReadStage(environment: environment).run(job.work)
            return job.work.missesOriginal && !serveFromMade(job.ticket) ? .failed : outcome
        case .transfer:
            if job.isResumption {
                job.work.resume(number: job.number)
                return .pending
            }
            guard serveFromMemory(job.ticket) else { return .failed }
            if let making = job.work.making { return making.begin(job.work, job.ticket, observer: self) }
            let outcome = transfers.run(job.work, job.ticket, level: job.level, observer: self)
            // Order: once the source has been asked, which then answers meanwhile.
            if case .pending = outcome, let stale = job.work.stale, stale.mayShow {
                showStale(stale, job.work, job.ticket)
            }
            return outcome
        case .decode:
            if case .arriving(let bytes) = job.work.input { return decode(job, bytes) }
            return DecodeStage(environment: environment).run(job.work) { reserved($0, for: job.ticket) }
        case .process: return ProcessStage(limits: environment.limits).run(job.work)
        case .preview:
            if case .show(let stale, let audience, let cancellation) = job.work.kind {
                show(stale, to: audience, until: cancellation)
            }
            return .finished
        case .store: return store(job.work)
        }
    }

    /// Keeps an image with which tasks end.
    ///
    /// Order: before the job leaves the table, so that whoever asks in between finds one or the other.
    func keep(_ job: StartedJob) {
        guard environment.keepsImages || environment.bitmapStore != nil,
            case .image(let origin, _) = job.work.product, origin.container.freshNanoseconds != .min
        else { return }
        let endings = state.withLock { $0.table.endings(job.ticket) }
        var last: ImageCacheKey?
        for task in endings where task.request.writesMemory && task.request.imageCacheKey != last {
            environment.imageCache(for: task.request)?[task.request.imageCacheKey] = origin.container
            last = task.request.imageCacheKey
        }
        keepOnDisk(origin, of: job.work, for: endings)
    }

    /// Ends the tasks whose image has come into the memory cache since they were added.
    ///
    /// - Returns: whether somebody still waits for the job.
    private func serveFromMemory(_ ticket: JobTicket) -> Bool {
        guard environment.keepsImages else { return true }
        for task in state.withLock({ $0.table.clients(of: ticket) }) {
            guard task.request.readsMemory, let container = environment.cachedImage(for: task.request) else {
                continue
            }
            task.end(.success(ImageResponse(container: container, request: task.request, cacheType: .memory)))
            let now = JobRunner.now()
            change { $0.cancel(task.ticket, now: now) }
        }
        return state.withLock { $0.table.isWanted(ticket) }
    }
}

// What the loader's threads tell.
extension JobRunner: TransferObserver {
    func transferProgressed(_ ticket: JobTicket, completed: Int, total: Int?) {
        let watching = state.withLock { state in
            state.table.clients(of: ticket) { $0.isWatched }
        }
        guard !watching.isEmpty else { return }
        let event = ImageTask.Event.progress(ImageTask.Progress(completed: completed, total: total))
        for task in watching { task.pass(event) }
    }

    func transferEnded(_ ticket: JobTicket, _ work: JobWork, _ outcome: StageOutcome) {
        var ended: [ImageTask] = []
        let job = StartedJob(ticket: ticket, work: work, stage: .transfer)
        observeEnd(job, outcome)
        if case .finished = outcome { keep(job) }
        let now = JobRunner.now()
        let (after, call) = state.withLock { state in
            (finish(job, outcome, &state, &ended, now), state.call())
        }
        perform(call)
        tell(&ended, work, after)
    }
}
