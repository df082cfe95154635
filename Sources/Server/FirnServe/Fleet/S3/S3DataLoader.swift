import FirnSync

/// Loads `s3:` URLs of allowed buckets, and passes all other URLs to another loader.
///
/// Requests are signed and sent by an HTTP loader, which provides back-pressure, cancellation, ranges, revalidation and
/// limits.
struct S3DataLoader: DataLoading {
    /// The allowed buckets.
    let sources: [S3Address]
    let credentials: S3CredentialStore
    /// Sends signed requests. It delivers responses of every status and follows no redirects; see
    /// ``transport(limits:timeLimit:)``.
    let transport: any DataLoading
    /// Loads all URLs with other schemes.
    let others: any DataLoading
    /// Returns the seconds since 1970.
    var now: @Sendable () -> Int64 = { Duration.sinceEpoch().components.seconds }

    /// Returns a loader for signed requests. It connects to any address, because the operator configures the endpoints.
    static func transport(limits: ImageLimits, timeLimit: Duration?) -> DataLoader {
        var configuration = DataLoader.Configuration()
        configuration.limits = limits
        configuration.totalTimeout = timeLimit
        configuration.acceptsAnyStatus = true
        configuration.followsRedirects = false
        configuration.headers["Accept"] = nil
        if let timeLimit { configuration.firstByteTimeout = timeLimit * 9 / 10 }
        // The pipeline limits the transfers of a bucket.
        configuration.transfersPerHost = .max
        return DataLoader(configuration: configuration)
    }

    func completed(_ request: DataRequest) -> DataRequest {
        S3DataLoader.isOurs(request.url) ? request : others.completed(request)
    }

    func startLoading(_ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void) -> any DataTransfer {
        guard S3DataLoader.isOurs(request.url) else { return others.startLoading(request, receive: receive) }
        let location = S3Location(url: request.url)
        let bucket = location.flatMap { sources.bucket(of: $0) }
        let events = bucket.map { S3Events(url: request.url, bucket: $0, receive: receive) }
        let transfer = PreparedTransfer(receive)
        transfer.start { [self] in
            guard request.method == "GET", request.body == nil else {
                throw DataLoadingError(.badAddress, "only GET is sent for s3 addresses")
            }
            guard let location else {
                throw DataLoadingError(.badAddress, "not an s3 address with a bucket and an encoded key")
            }
            guard let bucket else {
                throw DataLoadingError(.forbidden, "bucket \(location.bucket): is not allowed for this key")
            }
            do throws(S3Error) {
                return signed(request, location, bucket, try await credentials.current())
            } catch {
                if error.kind == .cancelled { throw CancellationError() }
                throw DataLoadingError(.other, error.description)
            }
        } then: { [transport] signed in
            transport.startLoading(signed) { events?.handle($0) }
        }
        return transfer
    }

    private static func isOurs(_ url: String) -> Bool { url.hasPrefix("s3:") }

    /// The request fields that are sent unsigned, since proxies may change them.
    private static let passed = ["Range", "If-Range", "If-None-Match", "If-Modified-Since", "Accept-Encoding"]

    private func signed(
        _ request: DataRequest, _ location: S3Location, _ bucket: S3Address, _ credentials: S3Credentials
    ) -> DataRequest {
        var sent = bucket.request("GET", location.key, credentials, at: now())
        for name in S3DataLoader.passed { sent.headers[name] = request.headers[name] }
        sent.priority = request.priority
        return sent
    }
}

/// Forwards the events of a signed request. An error response becomes the error of the transfer.
struct S3Events: Sendable {
    /// The address of the object.
    let url: String
    let bucket: S3Address
    let receive: @Sendable (DataEvent) -> Void
    /// The error response and the start of its body.
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

    /// Returns the response with the address of the object and without S3's own fields, which images and caches do not
    /// use.
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
