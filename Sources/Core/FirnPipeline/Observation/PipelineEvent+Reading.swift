extension PipelineEvent {
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
