/// Whether a result of a source that may change is served.
///
/// - Source: RFC 5861 section 3 (stale-while-revalidate).
package enum ResultAge: Sendable, Equatable {
    case fresh
    /// Served, and made again in the background.
    case stale
    case expired

    /// - Parameters:
    ///   - now: the seconds since 1970. A result from the future is expired: a clock was set back.
    ///   - lifetime: how long a result is fresh.
    ///   - stale: how long it is stale after that.
    package init(_ result: ServedResult, now: Int, lifetime: Duration, stale: Duration) {
        let (age, overflow) = now.subtractingReportingOverflow(result.made)
        let fresh = lifetime.components.seconds
        if overflow || age < -ResultAge.tolerance {
            self = .expired
        } else if age < fresh {
            self = .fresh
        } else {
            self = age - Int(clamping: fresh) < stale.components.seconds ? .stale : .expired
        }
    }

    /// How far the clocks of two servers may lie apart, in seconds.
    private static let tolerance = 60
}
