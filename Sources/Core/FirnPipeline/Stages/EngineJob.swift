import Synchronization

/// A job of the engine: its work, the input of the work, when it ran and how it ended.
///
/// Safety: `number`, the times, `lookedUp`, `outcome` and `stale` change only under the lock of the job table. `input`,
/// `session`, `plan`, `wastedBytes` and `keptBytes` belong to the thread that runs the job. That thread takes the job
/// from the table, and hands it back, under the same lock. Any thread may call `stop` and read `progress`, `transfer`,
/// `refusal` and `isForgotten`.
final class EngineJob: @unchecked Sendable {
    /// The request that created the job. Tasks that joined it need the same result of it.
    let request: ImageRequest
    let work: JobWork
    /// The input of the work; `nil` if it needs none or has consumed it.
    var input: JobInput?
    /// The session of a decode that waits for memory or bytes.
    var session: (any ImageDecodingSession)?
    /// The plan of a rendering, once the header is known.
    var plan: RenderingPlan?
    /// Stored bytes that need a revalidation. Set before the transfer begins.
    private(set) var stale: StaleBytes?
    /// The outcome of the latest stage; `nil` before it. A product never changes.
    private(set) var outcome: StageOutcome?
    /// The number of the job once it has started, and of its parent, whose product is its input; 0 for none.
    var number: PipelineEvent.Number = 0
    let parent: PipelineEvent.Number
    /// The time when the job was queued, started and ended; 0 for unknown.
    private(set) var queuedAt: Moment = 0
    var startedAt: Moment = 0
    private(set) var endedAt: Moment = 0
    /// The number of tasks that had joined the job when its latest lookup began.
    var lookedUp: UInt32 = 0
    /// Received bytes of an ended transfer that were dropped, and those of a cancelled one that were used for an
    /// image.
    var wastedBytes = 0
    var keptBytes = 0
    /// The time of a response that the table does not know of yet; 0 for none.
    private let respondedAt = Atomic<Moment>(0)
    /// The caches that the product may not enter, as bits.
    private let forgotten: Atomic<Int>
    /// The entries that a reload replaces; `nil` for other requests.
    let oldVersion: OldVersion?
    /// The byte counts of a complete input; `nil` if the bytes are those of a transfer.
    private let arrived: ImageTask.Progress?
    /// The job's own transfer, created on first use, or the one that its input arrives from. It can be paused or
    /// cancelled before it begins.
    private let lazyTransfer = AtomicLazyReference<BodyTransfer>()
    private let lateRefusal = AtomicLazyReference<Refusal>()

    /// Creates a job without an input.
    init(_ work: JobWork, for request: ImageRequest, at now: Moment = 0) {
        self.request = request
        self.work = work
        queuedAt = now
        parent = 0
        forgotten = Atomic(0)
        // A download stores nothing, so the images of the older version stay.
        let isDownload = if case .download = work { true } else { false }
        oldVersion = request.options.contains(.reloadIgnoringCachedData) && !isDownload ? OldVersion() : nil
        arrived = nil
    }

    /// Creates the job that fetches the bytes of a request, or its image if a closure makes the image.
    convenience init(fetching request: ImageRequest, at now: Moment = 0) {
        if request.storage.isMaking, case .image(let body) = request.source {
            self.init(.makeImage(ImageClosureRun(body)), for: request, at: now)
        } else {
            self.init(.fetch, for: request, at: now)
        }
    }

    /// Creates a job for a step. Its input is the product of another job, or the bytes that the job's transfer
    /// receives.
    init(_ step: RequestStep, of job: EngineJob, cancellation: CancellationFlag = CancellationFlag()) {
        request = job.request
        queuedAt = job.endedAt
        parent = job.number
        forgotten = Atomic(job.forgotten.load(ordering: .relaxed))
        oldVersion = job.oldVersion
        work =
            switch step {
            case .plainDecode, .decode, .render: .decode(step, cancellation)
            case .process(let process): .process(process, cancellation)
            }
        switch job.outcome {
        case .done(.bytes(let bytes)?)?, .done(.proof(let bytes)?)?:
            input = .bytes(bytes)
            arrived = bytes.progress
        case .done(.image(let origin, let bytes)?)?:
            input = .image(origin, bytes)
            arrived = origin.progress
        default:
            guard let transfer = job.transfer else {
                arrived = ImageTask.Progress.none
                return
            }
            input = .arriving(ArrivingBytes(transfer))
            arrived = nil
            _ = lazyTransfer.storeIfNil(transfer)
        }
    }

    static func child(of parent: EngineJob?, for step: RequestStep) -> (EngineJob, JobStage) {
        let job = EngineJob(step, of: parent ?? EngineJob(fetching: ImageRequest(url: "")))
        return if case .process = step { (job, .process) } else { (job, .decode) }
    }

    // MARK: The end

    /// Records the outcome of a stage. Called under the lock of the table.
    func end(_ outcome: StageOutcome, at now: Moment) {
        self.outcome = outcome
        endedAt = now
        queuedAt = 0
        switch outcome {
        case .needsTransfer(let stale): self.stale = stale
        case .refused(let refusal): _ = lateRefusal.storeIfNil(refusal)
        default: return
        }
        // The next stage may start at once. A job that waits for bytes or memory may not.
        queuedAt = now
    }

    /// Notes that an event ends the stage later. Called under the lock of the table.
    func suspend() { queuedAt = 0 }

    /// The result; `nil` before the end or after a failure.
    var product: JobProduct? { if case .done(let product)? = outcome { product } else { nil } }

    var error: ImageLoadingError? { if case .failed(let error)? = outcome { error } else { nil } }

    /// The refusal that the job ends with, once its source has refused the request.
    var refusal: Refusal? { lateRefusal.load() }

    func responded(at now: Moment) { respondedAt.store(now, ordering: .relaxed) }

    /// The time of a response, once.
    func takeResponse() -> Moment? {
        let moment = respondedAt.exchange(0, ordering: .relaxed)
        return moment == 0 ? nil : moment
    }

    // MARK: Removals

    /// Keeps the product of the job, and of its later children, from entering caches. Called under the lock of the
    /// table, or by the thread that runs the job.
    func forget(_ caches: Set<ImageResponse.CacheType>) {
        let bits = (caches.contains(.memory) ? 1 : 0) | (caches.includeDisk ? 2 : 0)
        forgotten.bitwiseOr(bits, ordering: .sequentiallyConsistent)
    }

    /// Returns whether a cache was emptied of the product while the job ran.
    func isForgotten(_ cache: ImageResponse.CacheType) -> Bool {
        forgotten.load(ordering: .sequentiallyConsistent) & (cache == .memory ? 1 : 2) != 0
    }

    // MARK: While it runs

    /// True if the work takes a thread so little time that waking a worker would take longer: a closure that makes the
    /// image runs as a Swift task.
    var needsNoWorker: Bool { if case .makeImage = work { true } else { false } }

    /// The transfer of a job that fetches bytes; `nil` for other jobs. Created at the first access, since most
    /// waiting jobs have none yet.
    var transfer: BodyTransfer? {
        switch work {
        case .fetch, .download: return lazyTransfer.load() ?? lazyTransfer.storeIfNil(BodyTransfer())
        default: return nil
        }
    }

    /// The number of bytes that have arrived of those that the job needs; `nil` before the transfer.
    var progress: ImageTask.Progress? { arrived ?? lazyTransfer.load()?.progress }

    /// Stops the work, since no task needs it.
    func stop() {
        switch work {
        case .fetch, .download:
            transfer?.cancel()
            refusal?.cancellation.cancel()
        case .makeImage(let run): run.cancel()
        case .decode(_, let cancellation), .process(_, let cancellation): cancellation.cancel()
        case .preview(let preview): preview.cancellation.cancel()
        case .useMemoryImage, .readProcessed, .store: break
        }
    }
}

enum StageOutcome {
    /// The job has its result; `nil` for a stage without waiting tasks.
    case done(JobProduct?)
    /// No task needs the result.
    case notNeeded
    /// Every task got its image from a cache, or was restarted with another route.
    case servedElsewhere
    /// No file or cache has usable bytes: the job continues in the stage `transfer`, which revalidates stale bytes.
    case needsTransfer(StaleBytes?)
    /// The decode has used the bytes that have arrived, and continues when there are more.
    case needsBytes
    /// An event ends the job later: the end of a transfer, or memory for a decode.
    case pending
    case failed(ImageLoadingError)
    /// The source refused the request: the job shows its stale image in the stage `decode`, and fails then.
    case refused(Refusal)

    /// Returns whether a step would change nothing of the product: the image has the size and layout that it is to get.
    func makesNeedless(_ step: RequestStep) -> Bool {
        guard case .done(.image(let origin, _)?) = self, case .process(let process) = step,
            let fit = process.value as? FitProcessor
        else { return false }
        return fit.changesNothing(of: origin.container)
    }
}

/// The images that were made of the bytes that a reload replaces. Shared by the jobs of the reload, of which the first
/// that ends with new bytes removes them.
final class OldVersion: Sendable {
    private let isTaken = Atomic<Bool>(false)

    /// Returns true to the first caller.
    func take() -> Bool { !isTaken.exchange(true, ordering: .acquiringAndReleasing) }
}
