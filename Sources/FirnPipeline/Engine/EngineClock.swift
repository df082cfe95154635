import FirnSystem

/// The clock of the engine.
enum EngineClock {
    /// Nanoseconds of the monotonic clock.
    static func now() -> Moment {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Moment(time.tv_sec) &* 1_000_000_000 &+ Moment(time.tv_nsec)
    }
}
