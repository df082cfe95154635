import FirnReport
import FirnSync
import HTTPTypes
import Logging
import ServiceLifecycle

/// Sends spans to a collector in batches: OTLP over HTTP, in JSON. Its own requests have no spans.
///
/// Spans wait in a bounded queue; further ones are dropped and counted. A batch that the collector cannot take now is
/// sent again after the interval.
///
/// Source: OpenTelemetry Protocol 1.5, and its encoding in JSON (IDs are hexadecimal).
final class SpanExporter: Service {
    struct Counts: Sendable, Equatable { var exported = 0, dropped = 0 }

    private struct State {
        var waiting: [JSONValue] = []
        var sending: Task<Void, Never>?
        var isFailing = false
        var counts = Counts()
    }

    /// The maximum number of spans that wait.
    static let capacity = 2048
    /// The maximum number of spans in a request. A full batch is sent at once.
    static let batch = 512

    private let settings: TracingSettings
    private let interval: Duration
    private let loader: DataLoader
    private let request: DataRequest
    private let logger: Logger
    private let state = Locked(State())

    /// - Parameters:
    ///   - logger: logs when the collector starts to fail, and when it works again.
    ///   - interval: the time after which a batch that is not full is sent. Default: 5 seconds.
    /// - Returns: `nil` if the settings have no endpoint.
    init?(_ settings: TracingSettings, logger: Logger, interval: Duration = .seconds(5)) {
        guard let endpoint = settings.endpoint else { return nil }
        (self.settings, self.logger, self.interval) = (settings, logger, interval)
        var configuration = DataLoader.Configuration()
        // A shutdown waits for at most five requests.
        configuration.totalTimeout = .seconds(3)
        configuration.followsRedirects = false
        configuration.headers = ["Content-Type": "application/json", "User-Agent": "Firn/\(FirnVersion.current)"]
        loader = DataLoader(configuration: configuration)
        request = DataRequest(url: endpoint, method: "POST", headers: settings.headers)
    }

    var counts: Counts { state.withLock { $0.counts } }

    /// Starts the span of a request: a child of the client's span, or the first of a new trace.
    ///
    /// - Parameter head: the request; `nil` (the default) for work without one.
    func trace(of head: HTTPRequest? = nil) -> Trace {
        let fields = head?.headerFields
        let parent = TraceContext(fields?.value("traceparent"), state: fields?.value("tracestate"))
        return Trace(parent?.child() ?? TraceContext(sampled: settings.sampled), parent: parent, self)
    }

    /// Queues a span, or drops it if the queue is full.
    func add(_ span: JSONValue) {
        let isFull = state.withLock { state in
            let fits = state.waiting.count < SpanExporter.capacity
            if fits { state.waiting.append(span) } else { state.counts.dropped += 1 }
            return fits && state.waiting.count == SpanExporter.batch
        }
        if isFull { flush() }
    }

    /// Exports at each interval, and once more at a shutdown.
    func run() async {
        await cancelWhenGracefulShutdown { [self] in
            while (try? await Task.sleep(for: interval)) != nil { flush() }
        }
        await flush().value
    }

    /// Sends the waiting spans in a task of its own, until none is left or the collector fails.
    @discardableResult
    func flush() -> Task<Void, Never> {
        state.withLock { state in
            if let sending = state.sending { return sending }
            let sending = Task { while await sendBatch() {} }
            state.sending = sending
            return sending
        }
    }

    /// Sends the oldest spans.
    ///
    /// - Returns: false if none is left, or if they have to be sent again later.
    private func sendBatch() async -> Bool {
        let batch = state.withLock { state in
            if state.waiting.isEmpty { state.sending = nil }
            return Array(state.waiting.prefix(SpanExporter.batch))
        }
        guard !batch.isEmpty else { return false }
        let error = await send(batch)
        let isLater = error.map { $0.status == nil || [429, 502, 503, 504].contains($0.status) } ?? false
        let changes = state.withLock { state in
            if isLater { state.sending = nil } else { state.waiting.removeFirst(batch.count) }
            if error == nil { state.counts.exported += batch.count }
            if error != nil, !isLater { state.counts.dropped += batch.count }
            defer { state.isFailing = error != nil }
            return state.isFailing != (error != nil)
        }
        if changes {
            logger.log(
                level: error == nil ? .notice : .warning,
                error == nil ? "spans are exported again" : "spans are not exported",
                metadata: error.map { ["error": "\($0)"] })
        }
        return !isLater
    }

    private func send(_ spans: [JSONValue]) async -> DataLoadingError? {
        let resource = Trace.attributes(["service.name": settings.service, "service.version": FirnVersion.current])
        let scope: JSONValue = ["scope": ["name": "firn"] as JSONValue, "spans": JSONValue.array(spans)]
        let group: JSONValue = ["resource": ["attributes": resource] as JSONValue, "scopeSpans": [scope]]
        var request = request
        request.body = Data((["resourceSpans": [group]] as JSONValue).text.utf8)
        let (events, receiver) = AsyncStream<DataEvent>.makeStream()
        let transfer = loader.startLoading(request) { receiver.yield($0) }
        defer { withExtendedLifetime(transfer) {} }
        for await case .end(let error) in events { return error }
        return nil
    }
}
