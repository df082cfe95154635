import Glibc

/// What a writer sleeps on while there is nothing to write, and what others sleep on until something is written.
///
/// Safety: a mutex and a condition, initialized before they are shared and used through pthread calls only; their memory
/// lives as long as this object.
final class WriterBell: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var rings: UInt64 = 0

    init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// How often it has rung; to be read before looking for what may have changed.
    var count: UInt64 {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return rings
    }

    /// Wakes all who sleep.
    func ring() {
        pthread_mutex_lock(mutex)
        rings &+= 1
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Sleeps until it has rung once more than `count` times, or for some time.
    ///
    /// - Returns: whether it has rung.
    @discardableResult
    func wait(after count: UInt64, milliseconds: Int) -> Bool {
        var end = timespec()
        clock_gettime(CLOCK_REALTIME, &end)
        let rest = end.tv_nsec + milliseconds % 1000 * 1_000_000
        end.tv_sec += milliseconds / 1000 + rest / 1_000_000_000
        end.tv_nsec = rest % 1_000_000_000
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while rings == count {
            if pthread_cond_timedwait(condition, mutex, &end) == ETIMEDOUT { break }
        }
        return rings != count
    }
}
