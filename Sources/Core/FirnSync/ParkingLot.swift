import FirnSystem

/// The mutex and the condition on which threads sleep while they wait for an ``InlineLock``. All locks share them,
/// since threads rarely wait.
@usableFromInline
enum ParkingLot {
    // Safety: Swift initializes it once, before any use; then only pthread calls use it, and it is never freed.
    nonisolated(unsafe) private static let lot:
        (
            mutex: UnsafeMutablePointer<pthread_mutex_t>, condition: UnsafeMutablePointer<pthread_cond_t>
        ) = {
            let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
            mutex.initialize(to: pthread_mutex_t())
            pthread_mutex_init(mutex, nil)
            let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
            condition.initialize(to: pthread_cond_t())
            pthread_cond_init(condition, nil)
            return (mutex, condition)
        }()

    /// Sleeps until `isFree` returns true. It is called after every wake-up.
    static func park(until isFree: () -> Bool) {
        pthread_mutex_lock(lot.mutex)
        while !isFree() { pthread_cond_wait(lot.condition, lot.mutex) }
        pthread_mutex_unlock(lot.mutex)
    }

    /// Wakes all sleeping threads.
    @usableFromInline
    static func unparkAll() {
        pthread_mutex_lock(lot.mutex)
        pthread_cond_broadcast(lot.condition)
        pthread_mutex_unlock(lot.mutex)
    }
}
