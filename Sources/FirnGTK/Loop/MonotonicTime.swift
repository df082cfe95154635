import FirnSystem

/// The time of a monotonic clock.
package enum MonotonicTime {
    package static var nanoseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    package static var duration: Duration { .nanoseconds(nanoseconds) }
}
