import FirnSystem

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
