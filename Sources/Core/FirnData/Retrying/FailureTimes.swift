/// The times for which failures are remembered, so that a missing image is not requested again at every scroll.
///
/// Never forever. Failures that do not concern the address, such as a lost connection, are not remembered.
package struct FailureTimes: Hashable, Sendable {
    /// After status 410 (permanently gone). Default: 10 minutes.
    package var gone = Duration.seconds(600)
    /// After 404, and after failures caused by the address itself: endless redirects, a body over the limit. Default:
    /// 60 seconds.
    package var missing = Duration.seconds(60)
    /// After other statuses of 400 to 499, except 408 and 429. Default: 20 seconds, since the user may log in.
    package var refused = Duration.seconds(20)
    /// After 408, 429 and 500 to 599. Default: 5 seconds, or the server's `Retry-After`, up to ``longest``.
    package var unavailable = Duration.seconds(5)
    /// The maximum `Retry-After` that is honored. Default: 60 seconds.
    package var longest = Duration.seconds(60)
    /// The maximum number of addresses. The oldest failures are dropped first. Default: 1000.
    package var count = 1000

    /// Creates the default times.
    package init() {}

    /// Remembers nothing.
    package static var none: FailureTimes {
        var times = FailureTimes()
        times.count = 0
        return times
    }

    /// Returns how long a failure is remembered; `nil` if it is not.
    package func time(for error: DataLoadingError) -> Duration? {
        switch error.cause {
        case .status(410): gone
        case .status(404): missing
        case .status(408), .status(429), .status(500...599): min(error.retryAfter ?? unavailable, longest)
        case .status(400..<500): refused
        case .redirect, .tooLarge: missing
        default: nil
        }
    }
}
