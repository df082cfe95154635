/// The times for which failures are remembered, so that a list that is scrolled to and fro does not ask for a missing image again
/// and again.
///
/// Never forever. What says nothing of the address, as a lost connection does, is not remembered.
public struct FailureTimes: Hashable, Sendable {
    /// After status 410 (gone, and the server says so). 10 min.
    public var gone = Duration.seconds(600)
    /// After 404, and after what the address itself is the cause of: redirects without end, a body over the limit. 60 s.
    public var missing = Duration.seconds(60)
    /// After other statuses of 400…499, but 408 and 429. 20 s: somebody may log in.
    public var refused = Duration.seconds(20)
    /// After 408, 429 and 500…599. 5 s, or as long as `Retry-After` says, up to ``longest``.
    public var unavailable = Duration.seconds(5)
    /// The longest that a server may ask for. 60 s.
    public var longest = Duration.seconds(60)
    /// How many addresses are remembered; those that failed first are forgotten first. 1000.
    public var count = 1000

    /// Creates the defaults.
    public init() {}

    /// Nothing is remembered.
    public static var none: FailureTimes {
        var times = FailureTimes()
        times.count = 0
        return times
    }

    /// For how long a failure is remembered; `nil` for not at all.
    public func time(for error: DataLoadingError) -> Duration? {
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
