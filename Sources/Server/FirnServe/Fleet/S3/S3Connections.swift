import FirnData
import FirnHTTP
import FirnSync
import FoundationEssentials

/// Sends requests to S3 and its like, and collects what they respond. Follows no redirects and retries nothing.
final class S3Connections: Sendable {
    /// A response.
    struct Reply: Sendable {
        var status = 0
        var headers = HTTPHeaderFields()
        var body = Data()
        fileprivate var error: S3Error?

        /// The stated length of the body; `nil` without one.
        var length: Int? { headers["Content-Length"].flatMap { Int($0) } }
    }

    private let loader: DataLoader

    /// - Parameter connectTimeout: the maximum time to connect. Default: 3 seconds, one repetition of a lost packet.
    init(connectTimeout: Duration = .seconds(3)) {
        var configuration = DataLoader.Configuration()
        configuration.connectTimeout = connectTimeout
        // The caller limits the time of the whole.
        configuration.idleTimeout = .seconds(3600)
        configuration.lowSpeedLimit = 0
        configuration.transfersPerHost = 64
        configuration.acceptsAnyStatus = true
        configuration.followsRedirects = false
        configuration.decompresses = false
        configuration.allowsHTTP2 = false
        // Fields that are not signed may be refused.
        configuration.headers = [:]
        configuration.proxies = ProxySettings()
        loader = DataLoader(configuration: configuration)
    }

    /// Sends a request and returns the response.
    ///
    /// - Parameters:
    ///   - maximumBytes: a longer body of a response with status 200 is an error. It is not read.
    ///   - mostOfErrors: of other bodies, no more than these bytes are read.
    /// - Throws: `tooLarge`, `timeout`, `connection` or `cancelled`.
    func send(
        _ request: DataRequest, maximumBytes: Int, mostOfErrors: Int = S3ErrorText.limit
    ) async throws(S3Error) -> Reply {
        let exchange = S3Exchange(
            isWhole: request.method != "HEAD", maximumBytes: maximumBytes, mostOfErrors: mostOfErrors)
        let reply = await withTaskCancellationHandler {
            await withCheckedContinuation { exchange.start(request, loader, $0) }
        } onCancel: {
            exchange.cancel()
        }
        if let error = reply.error { throw error }
        return reply
    }

    /// One request.
    private final class S3Exchange: Sendable {
        private struct State {
            var reply = Reply()
            var transfer: (any DataTransfer)?
            var continuation: CheckedContinuation<Reply, Never>?
            var isCancelled = false
            var isEnough = false
        }

        private let isWhole: Bool
        private let maximumBytes: Int
        private let mostOfErrors: Int
        private let state = Locked(State())

        init(isWhole: Bool, maximumBytes: Int, mostOfErrors: Int) {
            self.isWhole = isWhole
            self.maximumBytes = maximumBytes
            self.mostOfErrors = mostOfErrors
        }

        func start(_ request: DataRequest, _ loader: DataLoader, _ continuation: CheckedContinuation<Reply, Never>) {
            state.withLock { $0.continuation = continuation }
            let transfer = loader.startLoading(request) { self.receive($0) }
            let isOver = state.withLock { state in
                state.transfer = transfer
                return state.isCancelled || state.isEnough
            }
            if isOver { transfer.cancel() }
        }

        func cancel() {
            let transfer = state.withLock { state in
                state.isCancelled = true
                return state.transfer
            }
            transfer?.cancel()
        }

        private func receive(_ event: DataEvent) {
            let (ended, stopped) = state.withLock { state in take(event, &state) }
            stopped?.cancel()
            ended?.0.resume(returning: ended?.1 ?? Reply())
        }

        /// - Returns: what to resume, and what to cancel.
        private func take(
            _ event: DataEvent, _ state: inout State
        ) -> ((CheckedContinuation<Reply, Never>, Reply)?, (any DataTransfer)?) {
            switch event {
            case .response(let response):
                state.reply.status = response.status ?? 0
                state.reply.headers = response.headers
                let length = state.reply.length ?? 0
                if isWhole, response.status == 200, length > maximumBytes {
                    return stop(.tooLarge(maximumBytes), &state)
                }
            case .chunk(let bytes):
                guard !state.isEnough else { break }
                guard state.reply.status != 200 else {
                    guard bytes.count <= maximumBytes - state.reply.body.count else {
                        return stop(.tooLarge(maximumBytes), &state)
                    }
                    state.reply.body += bytes
                    break
                }
                state.reply.body += bytes.prefix(mostOfErrors - state.reply.body.count)
                if state.reply.body.count >= mostOfErrors { return stop(nil, &state) }
            case .end(let error):
                if let error, !state.isEnough { state.reply.error = failure(error, state) }
                state.transfer = nil
                guard let continuation = state.continuation else { break }
                state.continuation = nil
                return ((continuation, state.reply), nil)
            }
            return (nil, nil)
        }

        private func stop(
            _ error: S3Error?, _ state: inout State
        ) -> ((CheckedContinuation<Reply, Never>, Reply)?, (any DataTransfer)?) {
            state.reply.error = error
            state.isEnough = true
            return (nil, state.transfer)
        }

        private func failure(_ error: DataLoadingError, _ state: State) -> S3Error? {
            switch error.cause {
            case .cancelled: state.isCancelled ? .cancelled : .connection(error)
            case .timeout: S3Error(.timeout, "no connection to S3 in time")
            // Of the body of an error, what arrived is enough.
            case .truncated where state.reply.status != 200: nil
            default: .connection(error)
            }
        }
    }
}
