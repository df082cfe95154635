import FirnSystem

/// A mutex and a condition on which threads sleep.
package final class ParkingLot: @unchecked Sendable {
    // Safety: the two pointers are constant, and this object owns their memory. Only pthread calls use them, and any
    // thread may make those.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    /// The lot shared by all ``InlineLock``s, since threads rarely wait for one.
    static let ofLocks = ParkingLot()

    /// Creates a lot without threads.
    package init() {
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

    /// Sleeps until `isFree` returns true. Calls it with the mutex held, first at once and then after every wake-up.
    package func park(until isFree: () -> Bool) {
        pthread_mutex_lock(mutex)
        while !isFree() { pthread_cond_wait(condition, mutex) }
        pthread_mutex_unlock(mutex)
    }

    /// Makes a change with the mutex held, then wakes all sleeping threads.
    package func unparkAll(_ change: () -> Void = {}) {
        pthread_mutex_lock(mutex)
        change()
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }
}
