import FirnSync
import FirnSystem

extension Duration {
    /// The whole nanoseconds, clamped to the range of `Int64`.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, tooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflow) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return tooLarge || overflow ? (seconds < 0 ? .min : .max) : sum
    }

    /// Returns the time since 1970 by the system's clock.
    package static func sinceEpoch() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Returns the time since an arbitrary fixed moment, by a clock that is never set.
    package static func monotonic() -> Duration { .nanoseconds(MonotonicClock.now()) }
}
