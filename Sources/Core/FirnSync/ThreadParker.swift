package import Synchronization

/// A semaphore on which one of Firn's threads sleeps. One thread parks; any thread may unpark it.
///
/// The thread spins briefly before it sleeps. Work often arrives within that time, when a caller has received an image
/// and requests the next. This saves a sleep and a wake-up, which cost more than the request itself.
package final class ThreadParker: Sendable {
    private let semaphore = ThreadSemaphore()
    /// True while the thread counts as sleeping and still finishes something, which may block.
    package let isBusy = Atomic<Bool>(false)
    /// Shared by all threads, so that at most one of them spins.
    private static let spin = AdaptiveSpin()
    /// The time that a worker spins, in nanoseconds: slightly longer than the system takes to wake a caller, which then
    /// requests the next image.
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
        // The worker may wake early or late; its caller compares the deadline with the monotonic clock.
        return semaphore.wait(nanoseconds: moment - MonotonicClock.now())
    }

    /// Sleeps until `unpark` is called or the time has passed.
    ///
    /// - Returns: whether `unpark` was called.
    package func park(milliseconds: Int64) -> Bool {
        park(until: MonotonicClock.now() &+ milliseconds &* 1_000_000)
    }
}
