import FirnSystem

/// A semaphore on which one of Firn's threads sleeps. One thread parks; any thread may unpark it.
///
/// A worker spins briefly before it sleeps: it yields to other threads and checks again. Work often arrives within
/// that time, from a caller that has received an image and requests the next one. This avoids a sleep and a wake-up,
/// which cost more than the request itself.
package final class ThreadParker: Sendable {
    private let semaphore = ThreadSemaphore()
    /// How long a worker spins: a little longer than the system takes to wake a thread.
    private static let alertness: Int64 = 20_000

    /// Creates a parker without a pending wake-up.
    package init() {}

    /// Wakes the thread, or makes its next `park` return at once.
    package func unpark() { semaphore.post() }

    /// Sleeps until `unpark` is called or a moment of the monotonic clock has passed. Default: no time limit.
    ///
    /// - Returns: whether `unpark` was called.
    package func park(until moment: Int64?) -> Bool {
        if spin() { return true }
        guard let moment else {
            semaphore.wait()
            return true
        }
        // A semaphore waits by the system's clock only. If that clock is set meanwhile, the worker wakes at another
        // time, and its caller compares the deadline with the monotonic clock.
        let rest = max(0, moment - ThreadParker.now(CLOCK_MONOTONIC))
        let (end, overflow) = ThreadParker.now(CLOCK_REALTIME).addingReportingOverflow(rest)
        var time = timespec()
        time.tv_sec = Int((overflow ? Int64.max : end) / 1_000_000_000)
        time.tv_nsec = Int((overflow ? Int64.max : end) % 1_000_000_000)
        return semaphore.wait(until: time)
    }

    /// Sleeps until `unpark` is called or the time is over.
    ///
    /// - Returns: whether `unpark` was called.
    package func park(milliseconds: Int64) -> Bool {
        park(until: ThreadParker.now(CLOCK_MONOTONIC) &+ milliseconds &* 1_000_000)
    }

    /// Spins for a short time and yields between the checks.
    private func spin() -> Bool {
        let end = ThreadParker.now(CLOCK_MONOTONIC) &+ ThreadParker.alertness
        repeat {
            if semaphore.tryWait() { return true }
            sched_yield()
        } while ThreadParker.now(CLOCK_MONOTONIC) < end
        return false
    }

    private static func now(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
