import FirnSync

/// Composes the stages of a request, and runs them on the workers.
///
/// 1. `ImagePipeline` looks into the memory cache on the caller's thread. A miss becomes a task.
/// 2. ``Router`` finds where its work starts, and ``Completion`` adds it to the table. Equal work is one job.
/// 3. ``WorkerPool``: a worker takes the best job and runs its stage here:
///    `read` → `transfer` → `decode` → `process` (once for each processor).
/// 4. ``Completion`` returns the job to the table. Its tasks end or move to the next job. ``CacheWriter`` adds jobs
///    of the stage `store`.
///
/// Stages return outcomes; only ``TableShell`` changes the table.
///
/// A class, since a copy of a struct would retain all parts, on all cores at once. Apart from ``Engine``, since the
/// pool refers to it weakly: every task retains the engine, and counting the references of an object with weak ones
/// costs several times as much.
final class StageSequence: Sendable {
    let shell: TableShell
    private let tiles: PyramidTiles
    private let read: ReadStage
    private let transfers: TransferStage
    private let decode: DecodeStage
    private let memory: DecodeMemory
    private let previews: PreviewProducer
    let completion: Completion

    init(
        _ shell: TableShell, _ tiles: PyramidTiles, read: ReadStage, transfers: TransferStage,
        decode: DecodeStage, memory: DecodeMemory, previews: PreviewProducer,
        completion: Completion
    ) {
        self.shell = shell
        self.tiles = tiles
        self.read = read
        self.transfers = transfers
        self.decode = decode
        self.memory = memory
        self.previews = previews
        self.completion = completion
    }

    /// Runs a job on a worker and ends it.
    ///
    /// - Parameter ended: storage for ended tasks, which the worker reuses.
    func run(_ job: StartedJob, as worker: Int, _ ended: inout [ImageTask]) -> WorkerTurn {
        shell.emitter.jobStarts(job, on: worker)
        let outcome = run(job)
        let turn = completion.finish(job, outcome, of: worker, &ended)
        if job.stage == .decode { memory.emitUsage() }
        return turn
    }

    /// Begins a job outside of the workers.
    func begin(_ job: StartedJob) {
        let outcome = run(job)
        // Order: a pending job may have ended already, on another thread.
        if case .pending = outcome { return }
        completion.finish(job, outcome)
    }

    /// Fails a job for which the system starts no worker. Its stores are still made, on this thread.
    func failWithoutWorker(_ started: StartedJob) {
        let error = ImageLoadingError(
            .pipeline, at: .loading, of: started.job.request, "\(ThreadShortage())")
        switch started.stage {
        case .store: completion.finish(started, run(started))
        case .preview: completion.finish(started, .notNeeded)
        default: completion.finish(started, .failed(error))
        }
    }

    private func run(_ started: StartedJob) -> StageOutcome {
        let job = started.job
        switch (started.stage, job.work) {
        case (.read, .useMemoryImage(let container)):
            let origin = ImageResponse.Origin(container, nil, .memory)
            return .done(.image(origin, FetchedBytes.inMemory))
        case (.read, _): return read(started)
        case (.transfer, _): return transfer(started)
        case (.decode, .fetch): return refuse(job, started.ticket)
        case (.decode, .decode(let step, let cancellation)): return decode(step, job, started.ticket, cancellation)
        case (.process, .process(let process, let cancellation)):
            return ProcessStage(limits: decode.decoders.limits).run(process, job, cancellation)
        case (.store, .store(let store)): return completion.writer.run(store)
        case (.preview, .preview(let preview)): return previews.run(preview)
        default: return .notNeeded
        }
    }

    /// Looks for the images of the waiting tasks, then reads files, `data:` addresses and the data cache. Blocks on
    /// disk I/O.
    private func read(_ started: StartedJob) -> StageOutcome {
        let (job, request) = (started.job, started.job.request)
        guard lookUp(started) else { return .servedElsewhere }
        if case .readProcessed(let key) = job.work { return read.run(processedImage: key, of: request) }
        let outcome = read.run(request)
        guard case .needsTransfer(nil) = outcome else { return outcome }
        if request.options.readsDisk, !readProcessed(started) { return .servedElsewhere }
        return request.options.loads ? outcome : .failed(read.notCached(request))
    }

    /// Ends the waiting tasks whose images are in a cache, and moves those whose region is there.
    ///
    /// Order: into memory before a task leaves the table, so that a concurrent request finds one or the other.
    /// - Returns: whether a task still waits for the job.
    private func lookUp(_ started: StartedJob) -> Bool {
        var stage = LookupStage(tiles)
        var ends: [(task: ImageTask, origin: ImageResponse.Origin?)] = []
        var moves: [RouteMove] = []
        var (disk, bitmap) = (0, 0)
        for (task, route) in started.waiting {
            switch stage.find(task.request) {
            case nil: continue
            case .rendered(let origin)?: ends.append((task, origin))
            case .region(let container)?:
                bitmap += 1
                moves.append((task, completion.router.process(container, for: task.request, route)))
            case .image(let container, let cacheType)?:
                if cacheType == .disk { disk += 1 }
                if cacheType == .bitmap { bitmap += 1 }
                if cacheType != .memory { completion.writer.cacheImage(container, for: [task], of: started.job) }
                ends.append((task, ImageResponse.Origin(container, nil, cacheType)))
            }
        }
        if ends.isEmpty, moves.isEmpty { return true }
        return completion.divert(started.ticket, ends, moves) {
            $0.diskHits += disk
            $0.bitmapHits += bitmap
        }
    }

    /// Moves tasks to processed images on disk, since their original is not there.
    ///
    /// - Returns: whether a task still waits for the job.
    private func readProcessed(_ started: StartedJob) -> Bool {
        let moves = started.waiting.compactMap { task, route -> RouteMove? in
            completion.router.processedImage(for: task.request, route).map {
                (task, completion.router.read($0, for: task.request, route))
            }
        }
        return moves.isEmpty || completion.divert(started.ticket, [], moves)
    }

    /// Starts the loader or a closure. Blocks no thread.
    private func transfer(_ started: StartedJob) -> StageOutcome {
        let (job, ticket) = (started.job, started.ticket)
        if started.isResumption {
            job.transfer?.resume(number: started.number)
            return .pending
        }
        guard isWantedFromSource(started) else { return .servedElsewhere }
        if case .makeImage(let run) = job.work {
            run.begin(for: job.request) { [completion] in completion.finish(started, $0) }
            return .pending
        }
        let outcome = transfers.run(started, observer: completion)
        // Order: after the request was sent, so that the response arrives during the decode of the stale bytes.
        if case .pending = outcome, let stale = job.stale, stale.mayShow {
            previews.showStale(stale, of: job, ticket)
        }
        return outcome
    }

    /// Ends the tasks whose image came into the memory cache while the transfer waited for its turn.
    ///
    /// - Returns: whether a task still waits for the job.
    private func isWantedFromSource(_ started: StartedJob) -> Bool {
        guard tiles.caches.keepsImages, !started.followsLookup else { return true }
        let ends = shell.tasks(of: started.ticket).compactMap { task in
            tiles.caches.readableImage(for: task.request).map {
                (task, Optional(ImageResponse.Origin($0, nil, .memory)))
            }
        }
        return ends.isEmpty || completion.divert(started.ticket, ends, [])
    }

    /// Shows the stale image of a job whose source has refused the request, and fails the job.
    private func refuse(_ job: EngineJob, _ ticket: JobTicket) -> StageOutcome {
        guard let refusal = job.refusal else { return .notNeeded }
        previews.show(refusal, of: ticket) { completion.writer.keepStale($0, for: $1, of: job) }
        // No task received the refusal, so the next one sends a request again.
        if refusal.cancellation.isCancelled { return .notNeeded }
        return transfers.outcome(of: refusal, for: job, completion)
    }

    /// Decodes whole bytes, or a slice of arriving bytes, with previews between the slices.
    private func decode(
        _ step: RequestStep, _ job: EngineJob, _ ticket: JobTicket, _ cancellation: CancellationFlag
    ) -> StageOutcome {
        guard case .arriving(let bytes)? = job.input else {
            return decode.run(step, job, cancellation) { memory.reserve($0, for: ticket) }
        }
        return decode.run(step, job, bytes, cancellation) {
            memory.reserve($0, for: ticket)
        } show: {
            try previews.showArriving(step, of: ticket, $0, bytes, $1)
        }
    }
}
