/// Sends requests to S3 or a compatible server and collects the responses, without redirects and retries.
final class S3Connections: Sendable {
    struct Reply: Sendable {
        var status = 0
        var headers = HTTPHeaderFields()
        var body = Data()

        /// The `Content-Length` of the body; `nil` without one.
        var length: Int? { headers["Content-Length"].flatMap { Int($0) } }
    }

    private let loader: DataLoader

    /// - Parameter connectTimeout: the time limit for connecting. Default: 3 seconds, enough to resend one lost packet.
    init(connectTimeout: Duration = .seconds(3)) {
        var configuration = DataLoader.Configuration()
        configuration.connectTimeout = connectTimeout
        // The caller limits the total time.
        configuration.idleTimeout = .seconds(3600)
        configuration.lowSpeedLimit = 0
        configuration.transfersPerHost = 64
        configuration.acceptsAnyStatus = true
        configuration.followsRedirects = false
        configuration.decompresses = false
        configuration.allowsHTTP2 = false
        // Servers may refuse unsigned fields.
        configuration.headers = [:]
        configuration.proxies = ProxySettings()
        loader = DataLoader(configuration: configuration)
    }

    /// Sends a request and returns the response.
    ///
    /// - Parameter maximumBytes: the maximum length of the body of a response with status 200. Of other bodies, only
    ///   the start is read.
    /// - Throws: `fault` or `cancelled`.
    func send(_ request: DataRequest, maximumBytes: Int) async throws(S3Error) -> Reply {
        let (events, receiver) = AsyncStream<DataEvent>.makeStream()
        let transfer = loader.startLoading(request) { receiver.yield($0) }
        // Ends a transfer that was not read to its end, also after a cancellation.
        defer { transfer.cancel() }
        var reply = Reply()
        for await event in events {
            switch event {
            case .response(let response):
                reply.status = response.status ?? 0
                reply.headers = response.headers
                guard reply.status != 200 || reply.length ?? 0 <= maximumBytes else { throw .tooLarge(maximumBytes) }
            case .chunk(let bytes) where reply.status == 200:
                guard bytes.count <= maximumBytes - reply.body.count else { throw .tooLarge(maximumBytes) }
                reply.body += bytes
            case .chunk(let bytes):
                reply.body += bytes.prefix(S3ErrorText.limit - reply.body.count)
                if reply.body.count >= S3ErrorText.limit { return reply }
            case .end(let error):
                // A partial error body is enough for the message.
                guard let error, error.cause != .truncated || reply.status == 200 else { return reply }
                throw error.cause == .timeout ? S3Error("no connection to S3 in time") : .connection(error)
            }
        }
        throw .cancelled
    }
}
