import FirnData
import FirnSync

/// Passes on the events of a signed request. A response that is an error becomes the error of the transfer.
struct S3Events: Sendable {
    /// The address of the object.
    let url: String
    let bucket: S3Address
    let receive: @Sendable (DataEvent) -> Void
    /// The response that is an error, and the first bytes of its body.
    private let failure = Locked<(response: DataResponse, body: [UInt8])?>(nil)

    func handle(_ event: DataEvent) {
        switch event {
        case .response(let response):
            if [200, 206, 304].contains(response.status) { return receive(.response(passedOn(response))) }
            failure.withLock { $0 = (response, []) }
        case .chunk(let data):
            let isFailure = failure.withLock { failure in
                guard let body = failure?.body else { return false }
                failure?.body += data.prefix(S3ErrorText.limit - body.count)
                return true
            }
            if !isFailure { receive(event) }
        case .end(let error):
            guard let failure = failure.withLock({ $0 }), error?.cause != .cancelled else {
                return receive(.end(error))
            }
            receive(.end(S3Events.error(failure.response, failure.body, bucket)))
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
}
