import FirnSystem

/// A semaphore on which one of Firn's threads sleeps. One thread parks; any thread may unpark it.
///
/// The thread spins briefly before it sleeps. Work often arrives within that time, from a caller that has received an
/// image and requests the next one. This avoids a sleep and a wake-up, which cost more than the request itself.
package final class ThreadParker: Sendable {
    private let semaphore = ThreadSemaphore()
    /// One for all threads, so that at most one of them spins.
    private static let spin = AdaptiveSpin()
    /// The time that a worker spins, in nanoseconds: a little longer than the system takes to wake the thread of a
    /// caller that then requests the next image.
    private static let alertness: Int64 = 50_000

    /// Creates a parker without a pending wake-up.
    package init() {}

    /// Wakes the thread, or makes its next `park` return at once.
    package func unpark() { semaphore.post() }

    /// Sleeps until `unpark` is called or a moment of the monotonic clock has passed. Default: no time limit.
    ///
    /// - Returns: whether `unpark` was called.
    package func park(until moment: Int64?) -> Bool {
        if ThreadParker.spin.wait(upTo: ThreadParker.alertness, until: { semaphore.tryWait() }) { return true }
        guard let moment else {
            semaphore.wait()
            return true
        }
        // A semaphore waits by the system's clock only. If that clock is set meanwhile, the worker wakes at another
        // time, and its caller compares the deadline with the monotonic clock.
        let rest = max(0, moment - MonotonicClock.now())
        let end = MonotonicClock.read(CLOCK_REALTIME).saturatingAdd(rest)
        return semaphore.wait(until: timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000)))
    }

    /// Sleeps until `unpark` is called or the time is over.
    ///
    /// - Returns: whether `unpark` was called.
    package func park(milliseconds: Int64) -> Bool {
        park(until: MonotonicClock.now() &+ milliseconds &* 1_000_000)
    }
}
