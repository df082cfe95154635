import FirnData
import FirnSync

/// The transfer of an object: waits for credentials, then passes on the events of the signed request. A response that
/// is an error becomes the error of the transfer.
///
/// Invariant: one `end` is delivered: that of the signed request, or the only one of a transfer that never began.
final class S3Transfer: DataTransfer {
    private struct State {
        var inner: (any DataTransfer)?
        /// True if the request waits for credentials.
        var isWaiting = false
        var isCancelled = false
        var isPaused = false
        var priority: DataPriority?
        /// The response that is an error, and the first bytes of its body.
        var failure: (response: DataResponse, body: [UInt8])?
    }

    typealias Sending = @Sendable (S3Credentials, @escaping @Sendable (DataEvent) -> Void) -> any DataTransfer

    private let url: String
    private let receive: @Sendable (DataEvent) -> Void
    private let state = Locked(State())

    init(url: String, receive: @escaping @Sendable (DataEvent) -> Void) {
        self.url = url
        self.receive = receive
    }

    /// Ends a transfer that never begins.
    func refuse(_ error: DataLoadingError) { receive(.end(error)) }

    /// Sends the request, at once or as soon as there are credentials.
    func start(in bucket: S3Address, credentials: S3CredentialStore, send: @escaping Sending) {
        if let ready = credentials.ready { return begin(bucket, ready, send) }
        state.withLock { $0.isWaiting = true }
        Task {
            let result: Result<S3Credentials, S3Error>
            do throws(S3Error) { result = .success(try await credentials.current()) } catch { result = .failure(error) }
            // A cancelled transfer has ended already.
            guard endWaiting() else { return }
            switch result {
            case .success(let credentials): begin(bucket, credentials, send)
            case .failure(let error): refuse(DataLoadingError(.other, error.description))
            }
        }
    }

    /// Returns whether the request was waiting.
    private func endWaiting() -> Bool {
        state.withLock { state in
            defer { state.isWaiting = false }
            return state.isWaiting
        }
    }

    private func begin(_ bucket: S3Address, _ credentials: S3Credentials, _ send: Sending) {
        let inner = send(credentials) { self.handle($0, bucket) }
        // Calls that came while the request was being sent.
        let late = state.withLock { state in
            state.inner = inner
            return (state.isCancelled, state.isPaused, state.priority)
        }
        if let priority = late.2 { inner.setPriority(priority) }
        if late.1 { inner.pause() }
        if late.0 { inner.cancel() }
    }

    private func handle(_ event: DataEvent, _ bucket: S3Address) {
        switch event {
        case .response(let response):
            if [200, 206, 304].contains(response.status) { return receive(.response(passedOn(response))) }
            state.withLock { $0.failure = (response, []) }
        case .chunk(let data):
            let isFailure = state.withLock { state in
                guard let failure = state.failure else { return false }
                state.failure?.body += data.prefix(S3ErrorText.limit - failure.body.count)
                return true
            }
            if !isFailure { receive(event) }
        case .end(let error):
            let (failure, isCancelled) = state.withLock { state in
                defer { state.failure = nil }
                return (state.failure, state.isCancelled)
            }
            guard let failure, !isCancelled else { return receive(.end(error)) }
            receive(.end(S3Transfer.error(failure.response, failure.body, bucket)))
        }
    }

    /// The response under the address of the object. Fields of S3 itself are of no use to images and caches.
    private func passedOn(_ response: DataResponse) -> DataResponse {
        var response = response
        response.url = url
        response.headers = HTTPHeaderFields(
            response.headers.fields.filter { !$0.name.lowercased().hasPrefix("x-amz-") })
        return response
    }

    private static func error(_ response: DataResponse, _ body: [UInt8], _ bucket: S3Address) -> DataLoadingError {
        let status = response.status ?? 0
        let error = S3Error(status: status, region: response.headers["x-amz-bucket-region"], body: body, bucket: bucket)
        let delay = RetryAfter.delay(response.headers, now: Duration.sinceEpoch().components.seconds)
        return DataLoadingError(.status(status), error.description, retryAfter: delay)
    }

    private static let cancelled = DataLoadingError(.cancelled, "the transfer was cancelled")

    // MARK: DataTransfer

    func cancel() {
        let inner = change { $0.isCancelled = true }
        if let inner { return inner.cancel() }
        // Order: never at once: the caller may hold what the receiver needs.
        if endWaiting() { Task { refuse(S3Transfer.cancelled) } }
    }

    func pause() { change { $0.isPaused = true }?.pause() }

    func resume() { change { $0.isPaused = false }?.resume() }

    func setPriority(_ priority: DataPriority) { change { $0.priority = priority }?.setPriority(priority) }

    var metrics: TransferMetrics? { state.withLock { $0.inner }?.metrics }

    private func change(_ body: (inout State) -> Void) -> (any DataTransfer)? {
        state.withLock { state in
            body(&state)
            return state.inner
        }
    }
}
