package import FirnSystem

/// The system's monotonic clock, for durations and deadlines.
package enum MonotonicClock {
    /// Nanoseconds since an arbitrary fixed moment.
    package static func now() -> Int64 { MonotonicClock.read(CLOCK_MONOTONIC) }

    /// Reads any clock of the system, in nanoseconds.
    package static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
