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
}
