import FirnSync
import FirnSystem

extension Duration {
    /// The whole nanoseconds, clamped to the range of `Int64`.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds.saturatingMultiply(1_000_000_000).saturatingAdd(attoseconds / 1_000_000_000)
    }

    /// Returns the time since 1970 by the system's clock.
    package static func sinceEpoch() -> Duration { .nanoseconds(MonotonicClock.read(CLOCK_REALTIME)) }

    /// Returns the time since an arbitrary fixed moment, by the monotonic clock.
    package static func monotonic() -> Duration { .nanoseconds(MonotonicClock.now()) }
}

// Times in nanoseconds since 1970.
extension Int64 {
    /// The maximum number of nanoseconds by which a stored time may lie in the future, since the clocks of machines
    /// that share a cache differ slightly: one minute.
    package static let clockSkew: Int64 = 60_000_000_000

    /// Returns whether this time is so far after `moment` that the clock must have been ahead when it was recorded.
    package func isFromFuture(at moment: Int64) -> Bool { saturatingSubtract(moment) > Int64.clockSkew }
}
