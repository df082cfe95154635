#if Telemetry
import FirnSync
public import Tracing

/// Reports requests and their stages to a distributed tracer.
///
/// A span `firn.request` is a child of the context in which the request was made. Each stage (`firn.read`,
/// `firn.transfer`, `firn.decode`, `firn.process`, `firn.store`) is a child of the first request that was subscribed
/// when it began, and linked to the others. Attributes: `firn.source`, `firn.bytes`, `firn.wasted_bytes`,
/// `firn.pixels`, `firn.cache`, `firn.waited_ms`. Failures set the span's status. User names, passwords and secrets in
/// queries are removed from addresses.
public final class SpanObserver<Source: Tracer>: PipelineObserver where Source.Span: Sendable {
    private struct Open {
        var requests: [PipelineEvent.Number: Source.Span] = [:]
        var stages: [JobPlace: Source.Span] = [:]
    }

    private let tracer: Source
    private let open = Locked(Open())

    private let redaction: AddressRedaction

    /// Creates an observer that starts its spans with `tracer`.
    ///
    /// - Parameters:
    ///   - tracer: the tracer of the spans.
    ///   - showsQueries: whether addresses are reported unchanged, with user names, passwords and tokens. Default: no.
    public init(_ tracer: Source, showsQueries: Bool = false) {
        self.tracer = tracer
        redaction = AddressRedaction(showsQueries: showsQueries)
    }

    /// Starts or ends a span for events that begin or end one.
    public func pipeline(didObserve event: PipelineEvent) {
        switch event.kind {
        case .taskStarted(let number, let request):
            // On the caller's thread: its context is the current one.
            let span = tracer.startSpan("firn.request")
            span.attributes["firn.source"] = redaction.address(request.description)
            open.withLock { $0.requests[number] = span }
        case .taskEnded(let number, let end): self.end(number, end)
        case .jobStarted(let start): begin(start)
        case .jobEnded(let end): self.end(end)
        case .transferResponded(let job): note("first byte", job)
        case .transferPaused(let job): note("paused", job)
        case .transferResumed(let job): note("resumed", job)
        case .memoryHit, .dataCacheFailed, .isolationUnavailable, .taskChangedPriority, .taskPaused, .taskResumed,
            .transferArrived, .transferReleased, .previewShown, .memoryUsed:
            break
        }
    }

    private func begin(_ start: PipelineEvent.JobStart) {
        let requests = open.withLock { open in start.tasks.compactMap { open.requests[$0] } }
        let span = tracer.startSpan("firn.\(start.stage)", context: requests.first?.context ?? .topLevel)
        for other in requests.dropFirst() { span.addLink(other) }
        span.attributes["firn.source"] = redaction.address(start.request.description)
        span.attributes["firn.waited_ms"] = Double(start.waited.nanoseconds) / 1e6
        open.withLock { $0.stages[JobPlace(job: start.job, stage: start.stage)] = span }
    }

    private func end(_ end: PipelineEvent.JobEnd) {
        guard let span = open.withLock({ $0.stages.removeValue(forKey: JobPlace(job: end.job, stage: end.stage)) })
        else { return }
        if end.bytes > 0 { span.attributes["firn.bytes"] = end.bytes }
        if end.wastedBytes > 0 { span.attributes["firn.wasted_bytes"] = end.wastedBytes }
        if end.pixels > 0 { span.attributes["firn.pixels"] = end.pixels }
        if end.isFromDisk { span.attributes["firn.cache"] = "disk" }
        switch end.outcome {
        case .failed(let error): fail(span, error)
        case .cancelled: span.setStatus(SpanStatus(code: .error, message: "cancelled"))
        case .finished, .moved, .suspended: break
        }
        span.end()
    }

    private func end(_ number: PipelineEvent.Number, _ end: PipelineEvent.TaskEnd) {
        guard let span = open.withLock({ $0.requests.removeValue(forKey: number) }) else { return }
        switch end {
        case .image(let cache, let pixels):
            span.attributes["firn.pixels"] = pixels
            if let cache { span.attributes["firn.cache"] = cache.rawValue }
        case .failure(let error): fail(span, error)
        }
        span.end()
    }

    private func fail(_ span: Source.Span, _ error: ImageLoadingError) {
        span.recordError(error)
        span.setStatus(SpanStatus(code: .error, message: redaction.text(error.message)))
    }

    private func note(_ name: String, _ job: PipelineEvent.Number) {
        open.withLock { $0.stages[JobPlace(job: job, stage: .transfer)] }?.addEvent(SpanEvent(name: name))
    }
}
#endif
