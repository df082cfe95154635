import FirnSystem

/// Where threads sleep that wait for an ``InlineLock``: one place for all locks, since threads rarely wait.
@usableFromInline
enum WaitingRoom {
    /// Safety: initialized before it is shared, used through pthread calls only, never freed.
    nonisolated(unsafe) private static let room:
        (
            mutex: UnsafeMutablePointer<pthread_mutex_t>, bell: UnsafeMutablePointer<pthread_cond_t>
        ) = {
            let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
            mutex.initialize(to: pthread_mutex_t())
            pthread_mutex_init(mutex, nil)
            let bell = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
            bell.initialize(to: pthread_cond_t())
            pthread_cond_init(bell, nil)
            return (mutex, bell)
        }()

    /// Sleeps until `isFree` returns true. It is called after every wake-up.
    static func enter(until isFree: () -> Bool) {
        pthread_mutex_lock(room.mutex)
        while !isFree() { pthread_cond_wait(room.bell, room.mutex) }
        pthread_mutex_unlock(room.mutex)
    }

    /// Wakes all sleeping threads.
    @usableFromInline
    static func wakeAll() {
        pthread_mutex_lock(room.mutex)
        pthread_cond_broadcast(room.bell)
        pthread_mutex_unlock(room.mutex)
    }
}
