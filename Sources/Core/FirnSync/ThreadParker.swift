import FirnSystem
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

/// A POSIX semaphore, for Firn's own threads.
// Safety: any thread may use a POSIX semaphore; its memory lives as long as this value.
package struct ThreadSemaphore: ~Copyable, @unchecked Sendable {
    private let semaphore: UnsafeMutablePointer<sem_t>

    /// Creates a semaphore whose count is zero.
    package init() {
        semaphore = .allocate(capacity: 1)
        semaphore.initialize(to: sem_t())
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Increments the count, and wakes a thread that waits for it.
    package func post() { sem_post(semaphore) }

    /// Decrements the count if it is positive.
    package func tryWait() -> Bool { sem_trywait(semaphore) == 0 }

    /// Sleeps until the count is positive, and decrements it.
    package func wait() { while sem_wait(semaphore) != 0, errno == EINTR {} }

    /// Like ``wait()``, but only for a time. Earlier or later if the wall clock is set meanwhile, since a semaphore
    /// has no other.
    ///
    /// - Returns: false if the time passed.
    package func wait(nanoseconds: Int64) -> Bool {
        let end = MonotonicClock.read(CLOCK_REALTIME).saturatingAdd(max(0, nanoseconds))
        var time = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
        while sem_timedwait(semaphore, &time) != 0 {
            if errno != EINTR { return false }
        }
        return true
    }
}

/// Spins until a condition is true that another thread usually sets before this one could sleep and wake.
///
/// Unsuccessful spins make later ones rarer: each about doubles the number of following calls that do not spin, up to
/// 31; each successful spin halves it. Threads may share a value: they share its history, and only one of them spins at
/// a time, so spinning takes no second core from working threads.
package struct AdaptiveSpin: ~Copyable, Sendable {
    /// The number of calls left that do not spin, and the number after the next unsuccessful spin.
    private let skips = Atomic<UInt8>(0)
    private let nextSkips = Atomic<UInt8>(0)
    private static let maximumSkips: UInt8 = 31
    private let isTaken = Atomic<Bool>(false)

    /// Creates a value whose next call spins.
    package init() {}

    /// Checks the condition repeatedly. Never yields: on a busy machine a yielding thread resumes milliseconds later.
    ///
    /// - Parameter nanoseconds: the maximum time.
    /// - Returns: whether the condition was true.
    package func wait(upTo nanoseconds: Int64, until condition: () -> Bool) -> Bool {
        let left = skips.load(ordering: .relaxed)
        if left > 0 {
            // Threads that meet here may lose a step, which only shifts the next spin.
            skips.store(left - 1, ordering: .relaxed)
            return false
        }
        guard !isTaken.exchange(true, ordering: .relaxed) else { return false }
        defer { isTaken.store(false, ordering: .relaxed) }
        let next = nextSkips.load(ordering: .relaxed)
        let start = MonotonicClock.now()
        repeat {
            for _ in 0..<8 where condition() {
                if next > 0 { nextSkips.store(next / 2, ordering: .relaxed) }
                return true
            }
        } while MonotonicClock.now() - start < nanoseconds
        skips.store(next, ordering: .relaxed)
        nextSkips.store(min(next * 2 + 1, AdaptiveSpin.maximumSkips), ordering: .relaxed)
        return false
    }
}
