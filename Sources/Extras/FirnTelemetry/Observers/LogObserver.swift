#if Telemetry
public import Logging

/// Writes the events of a pipeline to a swift-log logger.
///
/// | level | events |
/// |---|---|
/// | `warning` | a request or the data cache failed |
/// | `info` | a request ended with an image |
/// | `debug` | a request or transfer started, or was cancelled, paused or resumed; wasted bytes; a failed store |
/// | `trace` | a stage started or ended, a source responded, a preview was shown, a memory hit |
///
/// Metadata, where known: `firn.request` and `firn.job` (numbers), `firn.source`, `firn.stage`, `firn.outcome`,
/// `firn.cache` (`memory` or `disk`), `firn.duration_ms`, `firn.waited_ms`, `firn.bytes`, `firn.wasted_bytes`,
/// `firn.pixels`. Messages are fixed texts, so that lines can be counted; variable parts are metadata. User names,
/// passwords and secrets in queries are removed from addresses.
public struct LogObserver: PipelineObserver {
    private let logger: Logger
    private let redaction: AddressRedaction

    /// Creates an observer that writes to `logger`, at the enabled levels.
    ///
    /// - Parameters:
    ///   - logger: the destination. Default: a logger with the label `firn`.
    ///   - showsQueries: whether addresses are written unchanged, with user names, passwords and tokens. Default: no.
    public init(_ logger: Logger = Logger(label: "firn"), showsQueries: Bool = false) {
        self.logger = logger
        redaction = AddressRedaction(showsQueries: showsQueries)
    }

    /// Writes an event if its level is enabled.
    public func pipeline(didObserve event: PipelineEvent) {
        switch event.kind {
        case .memoryHit(let request): log(.trace, "hit in memory", ["firn.source": "\(source(request))"])
        case .taskStarted(let number, let request):
            log(.debug, "request made", ["firn.request": "\(number)", "firn.source": "\(source(request))"])
        case .taskChangedPriority(let number, let priority):
            log(
                .trace, "request changed priority",
                ["firn.request": "\(number)", "firn.priority": "\(priority.rawValue)"])
        case .taskPaused(let number): log(.debug, "request paused", ["firn.request": "\(number)"])
        case .taskResumed(let number): log(.debug, "request resumed", ["firn.request": "\(number)"])
        case .taskEnded(let number, let end): logEnd(number, end)
        case .jobStarted(let start):
            log(
                .trace, "stage began",
                [
                    "firn.job": "\(start.job)", "firn.stage": "\(start.stage)",
                    "firn.source": "\(source(start.request))",
                    "firn.waited_ms": "\(milliseconds(start.waited.nanoseconds))",
                ])
        case .transferResponded(let job): log(.trace, "source responded", ["firn.job": "\(job)"])
        case .dataCacheFailed(let error, let request): warn("data cache failed", error.message, request)
        case .isolationUnavailable(let problem, let request): warn("images are not isolated", problem, request)
        case .transferArrived, .memoryUsed: break
        case .transferPaused(let job): log(.debug, "transfer paused", ["firn.job": "\(job)"])
        case .transferReleased(let job): log(.debug, "transfer released", ["firn.job": "\(job)"])
        case .transferResumed(let job): log(.debug, "transfer resumed", ["firn.job": "\(job)"])
        case .previewShown(let job, let tasks):
            log(.trace, "preview shown", ["firn.job": "\(job)", "firn.requests": "\(tasks)"])
        case .jobEnded(let end): logEnd(end)
        }
    }

    private func logEnd(_ number: PipelineEvent.Number, _ end: PipelineEvent.TaskEnd) {
        switch end {
        case .image(let cache, let pixels):
            var metadata: Logger.Metadata = ["firn.request": "\(number)", "firn.pixels": "\(pixels)"]
            if let cache { metadata["firn.cache"] = "\(cache.rawValue)" }
            log(.info, "request done", metadata)
        case .failure(let error):
            let metadata: Logger.Metadata = [
                "firn.request": "\(number)", "firn.source": "\(redaction.address(error.source))",
                "firn.outcome": "\(redaction.text(error.message))",
            ]
            let isCancelled = error.fault == .cancelled
            log(isCancelled ? .debug : .warning, isCancelled ? "request cancelled" : "request failed", metadata)
        }
    }

    private func logEnd(_ end: PipelineEvent.JobEnd) {
        guard logger.logLevel <= .debug else { return }
        var metadata: Logger.Metadata = [
            "firn.job": "\(end.job)", "firn.stage": "\(end.stage)", "firn.source": "\(source(end.request))",
            "firn.duration_ms": "\(milliseconds(end.duration.nanoseconds))", "firn.outcome": "\(outcome(end.outcome))",
        ]
        if end.bytes > 0 { metadata["firn.bytes"] = "\(end.bytes)" }
        if end.pixels > 0 { metadata["firn.pixels"] = "\(end.pixels)" }
        if end.wastedBytes > 0 {
            metadata["firn.wasted_bytes"] = "\(end.wastedBytes)"
            return log(.debug, "bytes wasted", metadata)
        }
        if end.stage == .store, case .finished = end.outcome { return log(.trace, "stored", metadata) }
        if end.stage == .store { return log(.debug, "not stored", metadata) }
        log(.trace, "stage ended", metadata)
    }

    private func outcome(_ outcome: PipelineEvent.Outcome) -> String {
        switch outcome {
        case .finished: "finished"
        case .moved(let stage): "goes on to \(stage)"
        case .suspended: "waits"
        case .failed(let error): redaction.text(error.message)
        case .cancelled: "cancelled"
        }
    }

    private func source(_ request: ImageRequest) -> String { redaction.address(request.description) }

    private func milliseconds(_ nanoseconds: Int64) -> Double { Double(nanoseconds / 1000) / 1000 }

    private func warn(_ message: Logger.Message, _ problem: String, _ request: ImageRequest) {
        log(.warning, message, ["firn.source": "\(source(request))", "firn.outcome": "\(redaction.text(problem))"])
    }

    private func log(
        _ level: Logger.Level, _ message: @autoclosure () -> Logger.Message,
        _ metadata: @autoclosure () -> Logger.Metadata
    ) {
        logger.log(level: level, message(), metadata: metadata(), source: "Firn")
    }
}
#endif
