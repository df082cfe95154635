/// The error of a transfer. It holds neither the request nor the data. A loader may put its own error into
/// ``underlying``.
public struct DataLoadingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Cause: Hashable, Sendable {
        /// The address is malformed or has an unsupported scheme.
        case badAddress
        /// The file does not exist or may not be read.
        case unreadable
        /// No connection: it was refused, the host is unknown, or it was lost before a response arrived.
        case connection
        /// No trusted connection: the TLS certificate or handshake failed.
        case insecure
        /// The network policy forbids the address.
        case forbidden
        /// A time limit was exceeded.
        case timeout
        /// The server responded with this status.
        case status(Int)
        /// Too many redirects, a redirect without a target, or one to a forbidden target.
        case redirect
        /// The body ended before its stated length.
        case truncated
        /// The body is longer than the limit in bytes.
        case tooLarge(limit: Int)
        /// The program's own code refused the request.
        case refused
        /// The transfer was cancelled.
        case cancelled
        /// Another failure.
        case other
    }

    /// The kind of failure.
    public let cause: Cause
    /// The reason in words, on one line, without the address.
    public let message: String
    /// The delay that the server requests (`Retry-After`); `nil` if it states none.
    public let retryAfter: Duration?
    /// True if a retry is useless regardless of the cause, for example after a limit for all attempts together.
    public let isFinal: Bool
    /// The error of a loader or of the program's own code; `nil` if there is none, as with `DataLoader`.
    public let underlying: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - cause: the kind of failure.
    ///   - message: the reason in words, on one line, without the address.
    ///   - retryAfter: the delay that the server requests. Default: none.
    ///   - isFinal: whether a retry is useless. Default: the cause decides.
    ///   - underlying: the original error. Default: none. It lives as long as this error, so it should not hold large
    ///     data.
    public init(
        _ cause: Cause, _ message: String, retryAfter: Duration? = nil, isFinal: Bool = false,
        underlying: (any Error)? = nil
    ) {
        self.cause = cause
        self.message = message
        self.retryAfter = retryAfter
        self.isFinal = isFinal
        self.underlying = underlying
    }

    /// Compares all parts except the underlying errors, which need not be comparable.
    public static func == (a: DataLoadingError, b: DataLoadingError) -> Bool {
        a.cause == b.cause && a.message == b.message && a.retryAfter == b.retryAfter && a.isFinal == b.isFinal
    }

    /// Hashes the cause and the message.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(cause)
        hasher.combine(message)
    }

    /// The message.
    public var description: String { message }

    package static let cancelled = DataLoadingError(.cancelled, "the transfer was cancelled")

    package static func tooLarge(_ limit: Int) -> DataLoadingError {
        DataLoadingError(
            .tooLarge(limit: limit), "the body is longer than the \(limit) bytes that ImageLimits.maximumBytes allows")
    }

    /// True if the connection or the transfer failed, which says nothing about the request or the content.
    package var isLoss: Bool { [.connection, .timeout, .truncated, .other].contains(cause) }

    /// True if the transfer or the server failed, so that a stale response may be used instead.
    package var isOutage: Bool {
        if case .status(let status) = cause { ResponseStatus.isServerFailure(status) } else { isLoss }
    }
}

extension DataResponse {
    /// Returns the error for a response whose status is a failure; `nil` if its body can be used.
    ///
    /// ``/FirnHTTP/DataLoader`` uses it; a custom loader can call it before it reports a response. Statuses 200 to 299
    /// succeed, and so does 304 for a request with `If-None-Match` or `If-Modified-Since`. Everything else fails with
    /// ``DataLoadingError/Cause/status(_:)``, including a redirect that was not followed. The error carries
    /// `Retry-After`.
    ///
    /// - Parameters:
    ///   - request: the request as it was sent.
    ///   - reason: the reason phrase of the server, for the error's message.
    /// - Source: RFC 9110 §15.
    public func failure(for request: DataRequest, reason: String = "") -> DataLoadingError? {
        guard let status, !(200..<300).contains(status) else { return nil }
        let isConditional = request.headers["If-None-Match"] != nil || request.headers["If-Modified-Since"] != nil
        if status == 304, isConditional { return nil }
        return DataLoadingError(
            .status(status), "the server responded with " + (reason.isEmpty ? "\(status)" : "\(status) \(reason)"),
            retryAfter: RetryAfter.delay(headers, now: Duration.sinceEpoch().components.seconds))
    }
}
