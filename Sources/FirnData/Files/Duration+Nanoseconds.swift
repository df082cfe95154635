import FirnSystem

extension Duration {
    /// Whole nanoseconds, held inside the numbers there are.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, tooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflow) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return tooLarge || overflow ? (seconds < 0 ? .min : .max) : sum
    }

    /// Time since 1970 by the system's clock.
    package static func sinceEpoch() -> Duration { read(CLOCK_REALTIME) }

    /// Time since some fixed moment, by a clock that nobody sets.
    package static func monotonic() -> Duration { read(CLOCK_MONOTONIC) }

    private static func read(_ clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
