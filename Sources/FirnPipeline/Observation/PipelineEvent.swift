package import FirnData

/// Something that happened in a pipeline: to a task, to a job, or on the caller's thread.
///
/// A task is one request that could not be answered at once. A job is work on the way to an image, which may serve many
/// tasks: it has one number from its first stage to its last, and an image needs several: one that reads or transfers,
/// one that decodes, and one for each processor.
public struct PipelineEvent: Sendable {
    /// Number of a task or of a job, unique within a pipeline and a kind.
    public typealias Number = UInt32

    /// The time of the event, on the system's monotonic clock.
    public let time: Duration
    /// What.
    package let kind: Kind

    /// An event.
    package init(time: Duration, kind: Kind) {
        self.time = time
        self.kind = kind
    }

    /// What happened.
    package enum Kind: Sendable {
        /// A request was answered from the memory cache on its caller's thread. There is no task.
        case memoryHit(ImageRequest)
        /// A request has to be worked for.
        case taskStarted(Number, ImageRequest)
        /// A task has become more or less urgent.
        case taskChangedPriority(Number, ImageRequest.Priority)
        /// A task rests.
        case taskPaused(Number)
        /// A paused task continued.
        case taskResumed(Number)
        /// A task ended. Its callers are notified now.
        case taskEnded(Number, TaskEnd)

        /// A job begins a stage.
        case jobStarted(JobStart)
        /// The source of a transfer responded: its first byte arrived.
        case transferAnswered(Number)
        /// Bytes of a transfer arrived: the number so far, and the total if it is known. Not sent for every chunk.
        case transferArrived(Number, completed: Int, total: Int?)
        /// A transfer stopped reading, for a more urgent one or because all of its tasks are paused.
        case transferPaused(Number)
        /// A paused transfer has given its connection up.
        case transferReleased(Number)
        /// A paused transfer continued.
        case transferResumed(Number)
        /// An early state of an image was shown to so many tasks.
        case previewShown(Number, tasks: Int)
        /// A job has ended a stage.
        case jobEnded(JobEnd)

        /// A data cache could not be read or written. Nothing else comes of it: no load fails for that.
        case dataCacheFailed(DataCachingError, ImageRequest)

        /// Bytes in use: by decodes under way, by estimate, and by the caches and animations of the pipeline's budget.
        case memoryUsed(decoding: Int, kept: Int)
    }

    /// A part of a request's way.
    public enum Stage: String, Sendable, CaseIterable, Codable {
        /// Files, `data:` addresses and the data cache are read.
        case read
        /// Bytes are loaded.
        case transfer
        /// An image is decoded.
        case decode
        /// A processor runs.
        case process
        /// Prepares a stale cached image to be shown while its source is contacted.
        case preview
        /// Bytes are kept in the data cache.
        case store
    }

    /// How a task ended.
    package enum TaskEnd: Sendable {
        /// With an image, of so many pixels, by the help of a cache or without.
        case image(ImageResponse.CacheType?, pixels: Int)
        /// Without, and why.
        case failure(ImageLoadingError)
    }

    /// A job begins a stage.
    package struct JobStart: Sendable {
        /// The job.
        package let job: Number
        /// The job whose product it works on; `nil` for the first of a request's way, for previews and for stores.
        package let parent: Number?
        /// What it does.
        package let stage: Stage
        /// The worker that does it, from 0; `nil` for a transfer, for which no thread waits.
        package let worker: Int?
        /// The request that it was made for.
        package let request: ImageRequest
        /// How urgent it is.
        package let priority: ImageRequest.Priority
        /// How long it could have started before it did.
        package let waited: Duration
        /// The tasks that wait for it.
        package let tasks: [Number]

        /// A start.
        package init(
            job: Number, parent: Number?, stage: Stage, worker: Int?, request: ImageRequest,
            priority: ImageRequest.Priority, waited: Duration, tasks: [Number]
        ) {
            self.job = job
            self.parent = parent
            self.stage = stage
            self.worker = worker
            self.request = request
            self.priority = priority
            self.waited = waited
            self.tasks = tasks
        }
    }

    /// How a job ended a stage.
    package enum Outcome: Sendable {
        /// The stage delivered its result.
        case finished
        /// The result is not available here. The job continues in another stage.
        case moved(Stage)
        /// The stage has used all available bytes, or waits for memory, and will continue.
        case suspended
        /// The stage failed.
        case failed(ImageLoadingError)
        /// No task needed it any more.
        case cancelled
    }

    /// A job has ended a stage.
    package struct JobEnd: Sendable {
        /// The job.
        package let job: Number
        /// What it did.
        package let stage: Stage
        /// How it came out.
        package let outcome: Outcome
        /// The request that it was made for.
        package let request: ImageRequest
        /// How long the stage took, pauses of a transfer included.
        package let duration: Duration
        /// Bytes that were read, loaded or stored; 0 where there are none.
        package let bytes: Int
        /// Bytes of a transfer that came and were dropped.
        package let wastedBytes: Int
        /// Pixels of the image that was decoded or processed.
        package let pixels: Int
        /// Whether the bytes came from the data cache.
        package let isFromDisk: Bool
        /// What a transfer took until then, also of one that failed; `nil` where its source does not measure.
        package let metrics: TransferMetrics?

        /// An end.
        package init(
            job: Number, stage: Stage, outcome: Outcome, request: ImageRequest, duration: Duration, bytes: Int = 0,
            wastedBytes: Int = 0, pixels: Int = 0, isFromDisk: Bool = false,
            metrics: TransferMetrics? = nil
        ) {
            self.job = job
            self.stage = stage
            self.outcome = outcome
            self.request = request
            self.duration = duration
            self.bytes = bytes
            self.wastedBytes = wastedBytes
            self.pixels = pixels
            self.isFromDisk = isFromDisk
            self.metrics = metrics
        }
    }
}
