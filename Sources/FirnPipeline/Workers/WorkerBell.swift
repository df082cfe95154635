import Glibc

/// What a worker sleeps on.
///
/// Safety: a POSIX semaphore may be used by any thread; its memory lives as long as this object.
final class WorkerBell: @unchecked Sendable {
    private let semaphore: UnsafeMutablePointer<sem_t>

    init() {
        semaphore = .allocate(capacity: 1)
        semaphore.initialize(to: sem_t())
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Wakes the worker, or lets its next `wait` pass.
    func ring() { sem_post(semaphore) }

    /// Sleeps until the bell has rung.
    func wait() {
        while sem_wait(semaphore) != 0, errno == EINTR {}
    }

    /// Sleeps until the bell has rung or a moment of the monotonic clock has come.
    ///
    /// - Returns: whether the bell has rung.
    func wait(until moment: Int64?) -> Bool {
        guard let moment else {
            wait()
            return true
        }
        // A semaphore waits by the system's clock only. Should somebody set that meanwhile, the worker wakes at another time,
        // finds the moment still to come or long gone, and goes by that.
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let rest = max(0, moment - Int64(now.tv_sec) * 1_000_000_000 - Int64(now.tv_nsec))
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let nanoseconds = Int64(time.tv_nsec) + rest % 1_000_000_000
        time.tv_sec += Int(rest / 1_000_000_000 + nanoseconds / 1_000_000_000)
        time.tv_nsec = Int(nanoseconds % 1_000_000_000)
        while sem_timedwait(semaphore, &time) != 0 {
            if errno != EINTR { return false }
        }
        return true
    }
}
