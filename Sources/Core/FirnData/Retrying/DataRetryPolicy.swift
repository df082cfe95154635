/// Decides whether a failed request is sent again, and after which delay.
///
/// A pure value: it reads no clock and generates no random numbers. Delays double up to a limit, and a random part of
/// each is subtracted, so that clients that failed together do not retry together. A server's `Retry-After` takes
/// precedence.
///
/// ```swift
/// var configuration = ImagePipeline.Configuration()
/// configuration.retries.limit = 4
/// configuration.retries.statuses.insert(500)
/// ```
public struct DataRetryPolicy: Hashable, Sendable {
    package enum Failure: CaseIterable, Sendable {
        /// There was no connection, or it was lost before a response arrived.
        case connection
        /// The connection was lost in the middle of the body.
        case cutShort
        /// A time limit was exceeded.
        case timeout
        /// The server responded with one of ``DataRetryPolicy/statuses``.
        case status
    }

    /// The maximum number of retries of a request. Default: 2, which with the default delays hides a two-second fault
    /// and barely delays a permanent failure.
    public var limit = 2
    /// The failures that are retried. Default: all.
    package var failures = Set(Failure.allCases)
    /// The statuses that are retried, since they may be temporary. Default: 408, 429, 502, 503, 504.
    public var statuses: Set<Int> = [408, 429, 502, 503, 504]
    /// The methods that may safely be sent twice. Default: the safe and idempotent ones (RFC 9110 §9.2).
    public var methods: Set<String> = ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]
    /// The delay before the first retry. Default: 500 milliseconds.
    public var firstDelay = Duration.milliseconds(500)
    /// The maximum delay, unless the server requests a longer one. Default: 30 seconds.
    public var longestDelay = Duration.seconds(30)
    /// The maximum `Retry-After` that is honored. A longer one ends the retries. Default: 60 seconds, since users wait
    /// no longer.
    public var longestRetryAfter = Duration.seconds(60)
    /// The maximum total time of attempts that timed out and received fewer than 1 KiB a second. No retry follows.
    /// Default: 45 seconds. With the loader's default limits (10 s to connect, 30 s of silence, 30 s of low speed), a
    /// source that stalls fails within two minutes.
    public var stallLimit = Duration.seconds(45)
    /// The random part of a delay, from 0 to 1. Default: 0.5.
    public var jitter = 0.5

    /// Creates the default policy.
    public init() {}

    /// Retries nothing.
    public static var none: DataRetryPolicy {
        var policy = DataRetryPolicy()
        policy.limit = 0
        return policy
    }

    /// Returns the delay before the next retry; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - retry: the number of retries so far; 0 after the first failure.
    ///   - error: the failure.
    ///   - method: the request's HTTP method.
    ///   - random: a random number from 0 up to 1.
    ///   - stalled: the total time of attempts that timed out and received fewer than 1 KiB a second. Default: zero.
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
        // Order: the exponent is clamped first, so nothing overflows.
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
