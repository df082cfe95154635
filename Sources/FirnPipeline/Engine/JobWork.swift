import FirnData
import FirnImage
import FoundationEssentials
import Synchronization

/// The effects' side of a job: what it was asked, what goes in, what comes out, and how to stop it.
///
/// Safety: times and numbers are touched under the runner's lock. `input`, `product`, `session` and `error` are touched
/// by the one thread that runs the job; it gets the job from, and hands it back to, the table, under the runner's lock.
/// `stop` and `progress` may be called by anybody.
final class JobWork: @unchecked Sendable {
    /// The request that the job was made for; those who joined want the same of it.
    let request: ImageRequest
    var input: Product
    var product = Product.none
    var session: (any ImageDecodingSession)?
    var error: ImageLoadingError?
    /// What is kept and no longer fresh. Set before the transfer begins, and never changed then.
    var stale: StaleBytes?
    /// The numbers of the job, once it has started, and of the one whose product it works on; 0 for none.
    var number: PipelineEvent.Number = 0
    let parent: PipelineEvent.Number
    /// Whether the data cache was asked for the original and has none.
    var missesOriginal = false
    /// Since when it could start, when it did, and when it was handed back; 0 for unknown.
    var queuedAt: Moment = 0
    var startedAt: Moment = 0
    var endedAt: Moment = 0
    /// Whether it was handed back with a product, which never changes then. Read and set under the table's lock.
    var isFinished = false
    /// Of a transfer that is over: bytes that came and were dropped, and bytes of one that did not run to its end, but
    /// were of use.
    var wastedBytes = 0
    var keptBytes = 0
    private let purpose: Purpose
    private let arrived: Arrived
    /// Made when it is first asked for: most requests that wait have none yet. Held here once it is set, and never
    /// changed.
    private let fetching = Atomic<Unmanaged<BodyTransfer>?>(nil)

    /// Where the job's bytes are counted.
    private enum Arrived {
        case ownTransfer
        case transfer(BodyTransfer)
        case whole(ImageTask.Progress)
    }

    private enum Purpose {
        case fetch
        case make(ImageClosureRun)
        case held
        case step(RequestStep, CancellationFlag)
        case made(String)
        case store
        case show(StaleBytes, [ImageTask], CancellationFlag)
    }

    /// What a job is for, with what it takes to stop it.
    enum Kind {
        case fetch(BodyTransfer)
        case make(ImageClosureRun)
        /// Nothing: the image is there.
        case held
        case step(RequestStep, CancellationFlag)
        /// To read an image that was made before, under a key of the data cache.
        case made(String)
        case store
        /// Shows tasks what is kept, until its source has answered.
        case show(StaleBytes, [ImageTask], CancellationFlag)
    }

    /// What one stage hands to the next.
    enum Product {
        case none
        /// The first bytes of a body, for the disk.
        case part(PartialPart)
        case bytes(FetchedBytes)
        /// Bytes of a transfer that has not ended.
        case arriving(ArrivingBytes)
        /// An image that is kept as it is.
        case pixels(ImageResponse.Origin)
        /// As tasks end with it, and what it was made of.
        case image(ImageResponse.Origin, FetchedBytes)
    }

    /// A job that fetches a request's bytes.
    init(fetching request: ImageRequest, at now: Moment = 0) {
        self.request = request
        queuedAt = now
        parent = 0
        arrived = .ownTransfer
        if request.storage.isMaking, case .image(let body) = request.source {
            purpose = .make(ImageClosureRun(body))
        } else {
            purpose = .fetch
        }
        input = .none
    }

    /// A job that has its image from the memory cache.
    init(holding container: ImageContainer, of request: ImageRequest, at now: Moment) {
        self.request = request
        queuedAt = now
        parent = 0
        arrived = .ownTransfer
        purpose = .held
        input = .none
        product = .image(ImageResponse.Origin(container, nil, .memory), FetchedBytes.inMemory)
    }

    /// A job that does a step with what another job made.
    init(_ step: RequestStep, of work: JobWork, cancellation: CancellationFlag = CancellationFlag()) {
        request = work.request
        queuedAt = work.endedAt
        parent = work.number
        purpose = .step(step, cancellation)
        // Order: the product of a transfer that runs is its own thread's until it is handed back.
        if !work.isFinished, let transfer = work.transfer {
            input = .arriving(ArrivingBytes(transfer))
            arrived = .transfer(transfer)
        } else {
            input = work.product
            switch work.product {
            case .bytes(let bytes): arrived = .whole(bytes.progress)
            case .image(let origin, _): arrived = .whole(origin.progress)
            case .none, .part, .arriving, .pixels: arrived = .whole(.none)
            }
        }
    }

    /// A job that reads an image that was made before.
    init(reading key: String, of request: ImageRequest, at now: Moment) {
        self.request = request
        queuedAt = now
        parent = 0
        arrived = .ownTransfer
        purpose = .made(key)
        input = .none
    }

    /// A job that keeps an image, encoded.
    init(storing origin: ImageResponse.Origin, _ bytes: FetchedBytes, of request: ImageRequest) {
        self.request = request
        parent = 0
        arrived = .ownTransfer
        purpose = .store
        input = .image(origin, bytes)
    }

    /// A job that keeps bytes.
    init(storing bytes: FetchedBytes, of request: ImageRequest) {
        self.request = request
        parent = 0
        arrived = .ownTransfer
        purpose = .store
        input = .bytes(bytes)
    }

    /// A job that keeps the first bytes of a body, or drops them.
    init(keeping part: PartialPart, of request: ImageRequest) {
        self.request = request
        parent = 0
        arrived = .ownTransfer
        purpose = .store
        input = .part(part)
    }

    /// A job that keeps an image.
    init(storing image: ImageResponse.Origin, of request: ImageRequest) {
        self.request = request
        parent = 0
        arrived = .ownTransfer
        purpose = .store
        input = .pixels(image)
    }

    /// A job that shows tasks what is kept, until the flag is set.
    init(showing stale: StaleBytes, to audience: [ImageTask], until cancellation: CancellationFlag) {
        request = audience.first?.request ?? ImageRequest(url: "")
        parent = 0
        arrived = .ownTransfer
        purpose = .show(stale, audience, cancellation)
        input = .none
    }

    deinit { fetching.load(ordering: .acquiring)?.release() }

    var kind: Kind {
        switch purpose {
        case .fetch: .fetch(fetching.load(ordering: .acquiring)?.takeUnretainedValue() ?? makeTransfer())
        case .make(let making): .make(making)
        case .held: .held
        case .step(let step, let cancellation): .step(step, cancellation)
        case .made(let key): .made(key)
        case .store: .store
        case .show(let stale, let audience, let cancellation): .show(stale, audience, cancellation)
        }
    }

    /// What tasks end with, if this makes their image.
    var image: ImageResponse.Origin? { if case .image(let origin, _) = product { origin } else { nil } }

    /// The bytes that an image was made of, for the first who asks, if they are to be kept.
    func takeStore() -> FetchedBytes? {
        if case .image(_, let bytes) = product, bytes.takeStore() { bytes } else { nil }
    }

    /// Whether it came to nothing, without an error.
    var hasNoProduct: Bool { if case .none = product { true } else { false } }

    /// Whether the image is there.
    var isHeld: Bool { if case .held = purpose { true } else { false } }

    /// The closure that makes the image.
    var making: ImageClosureRun? { if case .make(let making) = purpose { making } else { nil } }

    /// The transfer of a job that fetches.
    var transfer: BodyTransfer? {
        guard case .fetch = purpose else { return nil }
        return fetching.load(ordering: .acquiring)?.takeUnretainedValue() ?? makeTransfer()
    }

    /// The transfer, made here or, at the same time, by somebody else.
    private func makeTransfer() -> BodyTransfer {
        let new = Unmanaged.passRetained(BodyTransfer())
        let (isFirst, other) = fetching.compareExchange(expected: nil, desired: new, ordering: .acquiringAndReleasing)
        guard !isFirst, let other else { return new.takeUnretainedValue() }
        new.release()
        return other.takeUnretainedValue()
    }

    /// Nobody needs the work any more.
    func stop() {
        switch kind {
        case .fetch(let transfer): transfer.cancel()
        case .make(let making): making.cancel()
        case .step(_, let cancellation), .show(_, _, let cancellation): cancellation.cancel()
        case .store, .held, .made: break
        }
    }

    /// The job has made its image of `bytes`.
    ///
    /// - Parameter progress: how much of the bytes had come; `nil` if `bytes` are all of them.
    func finish(
        _ container: consuming ImageContainer, of bytes: FetchedBytes, progress: ImageTask.Progress? = nil
    ) {
        product = .image(
            ImageResponse.Origin(
                container, bytes.response, bytes.cacheType, isStale: bytes.known?.isStale ?? false,
                progress: progress ?? bytes.progress),
            bytes)
        input = .none
    }

    /// How much of the bytes has come that the job works on, or brings; `nil` where nothing has asked for them. Any
    /// thread may ask.
    var progress: ImageTask.Progress? {
        switch arrived {
        case .ownTransfer:
            guard case .fetch = purpose else { return nil }
            return fetching.load(ordering: .acquiring)?.takeUnretainedValue().progress
        case .transfer(let transfer): return transfer.progress
        case .whole(let progress): return progress
        }
    }

    func fail(_ error: ImageLoadingError) { self.error = error }
}
