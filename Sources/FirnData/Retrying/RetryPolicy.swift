/// Says whether a failed request is sent again, and after which delay.
///
/// A value: it is told of a failure and answers with a delay. It reads no clock and draws no random number.
/// Delays double, up to a limit, and a random part of each is left out, so that clients that failed together do not come
/// back together. What a server asks for with `Retry-After` counts instead.
///
/// ```swift
/// var configuration = ImagePipeline.Configuration.standard()
/// configuration.retries.limit = 4
/// configuration.retries.statuses.insert(500)
/// ```
public struct RetryPolicy: Hashable, Sendable {
    /// Kinds of failures.
    package struct Failures: OptionSet, Hashable, Sendable {
        /// The bits.
        package let rawValue: UInt8

        /// Failures from bits.
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// No connection, or one that was lost before an answer came.
        package static let connection = Failures(rawValue: 1)
        /// The connection was lost in the middle of the body.
        package static let cutShort = Failures(rawValue: 2)
        /// The source took too long.
        package static let timeout = Failures(rawValue: 4)
        /// The server answered with one of ``RetryPolicy/statuses``.
        package static let status = Failures(rawValue: 8)
        /// All of them.
        package static let all: Failures = [.connection, .cutShort, .timeout, .status]
    }

    /// How often one request is sent again. 2: with the delays below a fault of two seconds goes unseen, and who waits in
    /// vain waits little longer.
    public var limit = 2
    /// Which failures are worth another try. All.
    package var failures = Failures.all
    /// The statuses that may be gone the next time: 408, 429, 502, 503, 504.
    public var statuses: Set<Int> = [408, 429, 502, 503, 504]
    /// The methods that may be sent twice without harm: the safe and the idempotent ones (RFC 9110 §9.2).
    public var methods: Set<String> = ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]
    /// The delay before the first retry. 500 ms.
    public var firstDelay = Duration.milliseconds(500)
    /// The longest delay of our own choice. 30 s.
    public var longestDelay = Duration.seconds(30)
    /// The longest that a server may ask to wait; if it asks for more, nothing is sent again. 60 s: nobody watches longer.
    public var longestRetryAfter = Duration.seconds(60)
    /// How long tries may take together that time out and bring less than 1 KiB a second; after that the request is not sent
    /// again. 45 s: with the default limits of the loader (10 s to connect, 30 s of silence, 30 s of slowness) a source that
    /// stalls is given up within two minutes.
    public var stallLimit = Duration.seconds(45)
    /// The part of a delay that chance decides, from 0 to 1. Half.
    public var jitter = 0.5

    /// Creates the defaults.
    public init() {}

    /// Nothing is sent again.
    public static var none: RetryPolicy {
        var policy = RetryPolicy()
        policy.limit = 0
        return policy
    }

    /// How long to wait before the request is sent again; `nil` if it is not.
    ///
    /// - Parameters:
    ///   - retry: how often it was sent again before; 0 after the first failure.
    ///   - random: a random number from 0 up to 1.
    ///   - stalled: how long the tries took together that timed out and brought less than 1 KiB a second.
    public func delay(
        beforeRetry retry: Int, after error: DataLoadingError, method: String, random: Double,
        stalled: Duration = .zero
    ) -> Duration? {
        guard retry >= 0, retry < limit, methods.contains(method), isWorthwhile(error) else { return nil }
        if error.cause == .timeout, stalled > stallLimit { return nil }
        if let asked = error.retryAfter {
            guard asked <= longestRetryAfter else { return nil }
            return max(.zero, asked)
        }
        // Order: the exponent is held down before it is used, so that nothing overflows.
        let whole = min(firstDelay * (1 << min(retry, 30)), longestDelay)
        let part = min(max(jitter, 0), 1) * min(max(random, 0), 1)
        return max(.zero, whole * (1 - part))
    }

    private func isWorthwhile(_ error: DataLoadingError) -> Bool {
        if error.isFinal { return false }
        return switch error.cause {
        case .connection: failures.contains(.connection)
        case .truncated: failures.contains(.cutShort)
        case .timeout: failures.contains(.timeout)
        case .status(let status): failures.contains(.status) && statuses.contains(status)
        case .badAddress, .unreadable, .insecure, .forbidden, .redirect, .tooLarge, .refused, .cancelled, .other: false
        }
    }
}
