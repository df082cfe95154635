/// The error of a transfer. Holds neither the request nor the data; ``underlying`` is what a loader puts there.
public struct DataLoadingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong.
    public enum Cause: Hashable, Sendable {
        /// The address cannot be used: malformed, or of a scheme nobody here fetches.
        case badAddress
        /// There is no such file, or it may not be read.
        case unreadable
        /// No connection: refused, unknown host, or lost before an answer came.
        case connection
        /// No connection that could be trusted: the certificate or the handshake of TLS failed.
        case insecure
        /// The address is one that may not be talked to.
        case forbidden
        /// The source took longer than a time limit allows.
        case timeout
        /// The server answered with this status.
        case status(Int)
        /// More redirects than allowed, a redirect without target, or to a forbidden one.
        case redirect
        /// The body ended before its announced length.
        case truncated
        /// The body is longer than the limit.
        case tooLarge(limit: Int)
        /// The caller's own code did not let it be sent.
        case refused
        /// The transfer was cancelled.
        case cancelled
        /// Something else.
        case other
    }

    /// What went wrong.
    public let cause: Cause
    /// The same in words, in one line, without the address.
    public let message: String
    /// How long the server asks to wait before it is asked again (`Retry-After`).
    public let retryAfter: Duration?
    /// Whether another try is of no use whatever the cause, as after a limit for all tries together.
    public let isFinal: Bool
    /// The error that a loader or a closure of the caller's own met; `nil` where there is none, as with `DataLoader`.
    public let underlying: (any Error)?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - message: the same in words, in one line, without the address.
    ///   - retryAfter: how long the server asks to wait. Default: it does not say.
    ///   - isFinal: whether another try is of no use. Default: as the cause says.
    ///   - underlying: the error that was met. Default: none. It is kept as long as this one, so it should hold nothing large.
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

    /// Whether all parts but the underlying errors, which need not be comparable, are equal.
    public static func == (a: DataLoadingError, b: DataLoadingError) -> Bool {
        a.cause == b.cause && a.message == b.message && a.retryAfter == b.retryAfter && a.isFinal == b.isFinal
    }

    /// By what counts for equality.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(cause)
        hasher.combine(message)
        hasher.combine(retryAfter)
        hasher.combine(isFinal)
    }

    /// What went wrong, in one line.
    public var description: String { message }
}
