/// An event of a pipeline: of a task, of a job, or on the caller's thread.
///
/// A task is one request that could not be served at once. A job is work on the way to an image, and may serve many
/// tasks. It keeps its number from its first stage to its last. An image needs several jobs: one that reads or
/// transfers, one that decodes, and one for each processor.
public struct PipelineEvent: Sendable {
    /// The number of a task or a job, unique within a pipeline and a kind.
    public typealias Number = UInt32

    /// The time of the event, on the system's monotonic clock.
    public let time: Duration
    package let kind: Kind

    package init(time: Duration, kind: consuming Kind) {
        self.time = time
        self.kind = kind
    }

    package enum Kind: Sendable {
        /// A request was served from the memory cache on its caller's thread. There is no task.
        case memoryHit(ImageRequest)
        case taskStarted(Number, ImageRequest)
        case taskChangedPriority(Number, ImageRequest.Priority)
        case taskPaused(Number)
        case taskResumed(Number)
        /// A task ended. Its callers are notified now.
        case taskEnded(Number, TaskEnd)

        /// A job begins a stage.
        case jobStarted(JobStart)
        /// The source of a transfer responded: its first byte arrived.
        case transferResponded(Number)
        /// Bytes of a transfer arrived: the number so far, and the total if it is known. Not sent for every chunk.
        case transferArrived(Number, completed: Int, total: Int?)
        /// A transfer stopped reading, for a more urgent one or because all of its tasks are paused.
        case transferPaused(Number)
        /// A paused transfer has closed its connection.
        case transferReleased(Number)
        case transferResumed(Number)
        /// A preview was delivered to this number of tasks.
        case previewShown(Number, tasks: Int)
        case jobEnded(JobEnd)

        /// A data cache could not be read or written. No load fails for that.
        case dataCacheFailed(DataCachingError, ImageRequest)

        /// Images of loaders are decoded in this process, although they should be isolated: why. Sent once.
        case isolationUnavailable(String, ImageRequest)

        /// The bytes in use have changed: the estimate for running decodes, and the caches and animations of the
        /// pipeline's budget.
        case memoryUsed(decoding: Int, kept: Int)
    }

    package typealias Stage = JobStage

    package enum TaskEnd: Sendable {
        /// Success: the number of pixels, and the cache that helped, if any.
        case image(ImageResponse.CacheType?, pixels: Int)
        case failure(ImageLoadingError)
    }

    package struct JobStart: Sendable {
        package let job: Number
        /// The job whose product it works on; `nil` for the first job of a request, for previews and for stores.
        package let parent: Number?
        package let stage: Stage
        /// The number of the worker, from 0; `nil` for a transfer, which occupies no thread.
        package let worker: Int?
        /// The request that the job was created for.
        package let request: ImageRequest
        package let priority: ImageRequest.Priority
        /// The time that the job waited although it could have started.
        package let waited: Duration
        let waiting: TaskNumbers
        package var tasks: [Number] { waiting.all }
    }

    /// The numbers of tasks. Allocates nothing for one task.
    package struct TaskNumbers: Sendable, ExpressibleByArrayLiteral {
        private var first: Number?
        private var others: [Number]

        package init(arrayLiteral numbers: Number...) {
            first = numbers.first
            others = Array(numbers.dropFirst())
        }

        var all: [Number] { first.map { [$0] + others } ?? [] }

        mutating func append(_ number: Number) {
            if first == nil { first = number } else { others.append(number) }
        }
    }

    /// The way in which a job ended a stage.
    package enum Outcome: Sendable {
        /// The stage delivered its result.
        case finished
        /// The result is not available here. The job continues in another stage.
        case moved(Stage)
        /// The stage has used all available bytes, or waits for memory, and will continue.
        case suspended
        case failed(ImageLoadingError)
        /// The work was stopped because no task needed it any more.
        case cancelled
    }

    package struct JobEnd: Sendable {
        package let job: Number
        package let stage: Stage
        package let outcome: Outcome
        package let request: ImageRequest
        /// The duration of the stage, including pauses of a transfer.
        package let duration: Duration
        /// Bytes that were read, loaded or stored; 0 if there are none.
        package internal(set) var bytes = 0
        /// Bytes of a transfer that were received and discarded.
        package internal(set) var wastedBytes = 0
        /// Pixels of the image that was decoded or processed.
        package internal(set) var pixels = 0
        /// True if the bytes came from the data cache.
        package internal(set) var isFromDisk = false
        /// The metrics of the transfer, also of a failed one; `nil` if its loader does not measure.
        package var metrics: TransferMetrics? { measured?.metrics }
        /// Apart, since few events have metrics and every copy of an event would be three times as large.
        var measured: MeasuredTransfer?
    }

    /// The kind of an event.
    public enum Name: String, Hashable, Sendable, CaseIterable {
        /// A request was served from the memory cache on its caller's thread. There is no task.
        case memoryHit
        /// A task has started.
        case taskStarted
        /// A task's priority has changed.
        case taskChangedPriority
        /// A task was paused.
        case taskPaused
        /// A paused task continued.
        case taskResumed
        /// A task has ended; see ``PipelineEvent/error``.
        case taskEnded
        /// A job begins to read a file, a `data:` address or the data cache.
        case readStarted
        /// A job begins to load bytes.
        case transferStarted
        /// A job begins to decode an image.
        case decodeStarted
        /// A job begins to run a processor.
        case processStarted
        /// A job begins to prepare a stale cached image, to be shown while its source is contacted.
        case previewStarted
        /// A job begins to store bytes in the data cache.
        case storeStarted
        /// The source of a transfer responded: its first byte arrived.
        case transferResponded
        /// Bytes of a transfer arrived; see ``PipelineEvent/bytes``. Not sent for every chunk.
        case transferArrived
        /// A transfer stops reading, for a more urgent one or because every task that wants it is paused.
        case transferPaused
        /// A paused transfer has closed its connection.
        case transferReleased
        /// A paused transfer continued.
        case transferResumed
        /// A preview was delivered.
        case previewShown
        /// A job has read; see ``PipelineEvent/duration``, ``PipelineEvent/bytes`` and ``PipelineEvent/error``, also
        /// for the ends of the other stages.
        case readEnded
        /// A job has loaded bytes; see also ``PipelineEvent/metrics``.
        case transferEnded
        /// A job has decoded.
        case decodeEnded
        /// A job has run a processor.
        case processEnded
        /// A job has prepared a stale image.
        case previewEnded
        /// A job has stored bytes.
        case storeEnded
        /// A data cache could not be read or written. No load fails for that.
        case dataCacheFailed
        /// Images of loaders are decoded in the program's own process, because `firn-decoder` is missing. Sent once by
        /// a pipeline.
        case isolationUnavailable
        /// The bytes in use have changed.
        case memoryUsed
    }

    /// The kind of the event.
    public var name: Name {
        switch kind {
        case .memoryHit: .memoryHit
        case .taskStarted: .taskStarted
        case .taskChangedPriority: .taskChangedPriority
        case .taskPaused: .taskPaused
        case .taskResumed: .taskResumed
        case .taskEnded: .taskEnded
        case .jobStarted(let start): start.stage.names.started
        case .transferResponded: .transferResponded
        case .transferArrived: .transferArrived
        case .transferPaused: .transferPaused
        case .transferReleased: .transferReleased
        case .transferResumed: .transferResumed
        case .previewShown: .previewShown
        case .jobEnded(let end): end.stage.names.ended
        case .dataCacheFailed: .dataCacheFailed
        case .isolationUnavailable: .isolationUnavailable
        case .memoryUsed: .memoryUsed
        }
    }

    /// The number of the task or the job; `nil` if there is none.
    public var number: Number? {
        switch kind {
        case .taskStarted(let number, _), .taskChangedPriority(let number, _), .taskPaused(let number),
            .taskResumed(let number), .taskEnded(let number, _), .transferResponded(let number),
            .transferArrived(let number, _, _), .transferPaused(let number), .transferReleased(let number),
            .transferResumed(let number), .previewShown(let number, _):
            number
        case .jobStarted(let start): start.job
        case .jobEnded(let end): end.job
        case .memoryHit, .dataCacheFailed, .isolationUnavailable, .memoryUsed: nil
        }
    }

    /// The request of the event, task or job; `nil` if the event has none.
    public var request: ImageRequest? {
        switch kind {
        case .memoryHit(let request), .taskStarted(_, let request), .dataCacheFailed(_, let request),
            .isolationUnavailable(_, let request):
            request
        case .jobStarted(let start): start.request
        case .jobEnded(let end): end.request
        default: nil
        }
    }

    /// The stage that a job begins or has ended.
    package var stage: Stage? {
        if case .jobStarted(let start) = kind { start.stage } else { end?.stage }
    }

    private var end: JobEnd? { if case .jobEnded(let end) = kind { end } else { nil } }

    /// The error that a task or a stage ended with; `nil` for success, for cancellation of a stage, and for other
    /// events.
    public var error: ImageLoadingError? {
        switch kind {
        case .taskEnded(_, .failure(let error)): error
        case .jobEnded(let end): if case .failed(let error) = end.outcome { error } else { nil }
        default: nil
        }
    }

    /// The duration of the stage that ended, with pauses of a transfer; `nil` for other events.
    public var duration: Duration? { end?.duration }

    /// The bytes that have arrived so far, or that the stage read, loaded or stored; 0 for other events.
    public var bytes: Int {
        switch kind {
        case .transferArrived(_, let completed, _): completed
        case .jobEnded(let end): end.bytes
        default: 0
        }
    }

    /// The metrics of the transfer that ended, also if it failed; `nil` for other events and for loaders that do not
    /// measure.
    public var metrics: TransferMetrics? { end?.metrics }
}

extension PipelineEvent.Stage {
    /// The kinds of the events of a stage.
    fileprivate var names: (started: PipelineEvent.Name, ended: PipelineEvent.Name) {
        switch self {
        case .read: (.readStarted, .readEnded)
        case .transfer: (.transferStarted, .transferEnded)
        case .decode: (.decodeStarted, .decodeEnded)
        case .process: (.processStarted, .processEnded)
        case .preview: (.previewStarted, .previewEnded)
        case .store: (.storeStarted, .storeEnded)
        }
    }
}
