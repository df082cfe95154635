import FirnReport
import FirnSync

/// Exports the transfers of a loader as spans, and sends their contexts to the sources.
///
/// The fields are added below the caches, so no key and no stored response depends on them. A shared transfer belongs
/// to the request that started it.
struct TracedLoader: DataLoading {
    private let loader: any DataLoading

    init(_ loader: any DataLoading) {
        self.loader = loader
        (loader as? DataLoader)?.joinPipeline()
    }

    func completed(_ request: DataRequest) -> DataRequest { loader.completed(request) }

    func startLoading(_ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void) -> any DataTransfer {
        guard let span = (request.context as? Trace)?.child() else {
            return loader.startLoading(request, receive: receive)
        }
        var sent = request
        sent.headers["traceparent"] = span.context.parent
        sent.headers["tracestate"] = span.context.state
        let seen = Locked<(status: Int?, bytes: Int)>((nil, 0))
        return loader.startLoading(sent) { event in
            switch event {
            case .response(let response): seen.withLock { $0.status = response.status }
            case .chunk(let data): seen.withLock { $0.bytes += data.count }
            case .end(let error):
                let (status, bytes) = seen.withLock { $0 }
                TracedLoader.end(span, request, status ?? error?.status, bytes, error)
            }
            receive(event)
        }
    }

    private static func end(
        _ span: Trace, _ request: DataRequest, _ status: Int?, _ bytes: Int, _ error: DataLoadingError?
    ) {
        let origin = WebAddress(request.url).flatMap { Origin($0) }
        let type = error.map { error in error.status.map { "\($0)" } ?? String("\(error.cause)".prefix { $0 != "(" }) }
        span.end(
            request.method, .client, error: error?.message,
            [
                "http.request.method": request.method, "url.full": SourceReference.shown(request.url),
                "server.address": origin?.host, "server.port": origin?.port, "http.response.status_code": status,
                "http.response.body.size": bytes, "error.type": type,
            ])
    }
}

extension DataLoadingError {
    /// The status of a refusal.
    var status: Int? { if case .status(let status) = cause { status } else { nil } }
}
