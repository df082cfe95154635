import FirnSystem

/// A mutex for work that takes long, which can be tried without blocking.
///
/// Differs from ``FirnSync/Locked``, which is for a few instructions.
///
/// Safety: `isTaken` is accessed only while the mutex is held.
final class DecodingTurn: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let left: UnsafeMutablePointer<pthread_cond_t>
    private var isTaken = false

    init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        left = .allocate(capacity: 1)
        left.initialize(to: pthread_cond_t())
        pthread_cond_init(left, nil)
    }

    deinit {
        pthread_cond_destroy(left)
        left.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Blocks until the turn is free and takes it. Not recursive.
    func take() {
        pthread_mutex_lock(mutex)
        while isTaken { pthread_cond_wait(left, mutex) }
        isTaken = true
        pthread_mutex_unlock(mutex)
    }

    /// Takes the turn if it is free.
    ///
    /// - Returns: whether it was taken.
    func takeIfFree() -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        if isTaken { return false }
        isTaken = true
        return true
    }

    /// Releases the turn.
    func leave() {
        pthread_mutex_lock(mutex)
        isTaken = false
        pthread_cond_signal(left)
        pthread_mutex_unlock(mutex)
    }
}
