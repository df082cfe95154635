import FirnSystem

/// A mutex for work that may take long. Threads that need only the state wait for short work, and not for a decode.
///
/// Differs from ``FirnSync/Locked``, which is for a few instructions.
///
/// Safety: `isTaken` and `isDecoding` are accessed only while the mutex is held.
final class DecodingTurn: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let left: UnsafeMutablePointer<pthread_cond_t>
    private var isTaken = false
    /// True if who has the turn decodes.
    private var isDecoding = false

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

    /// Takes the turn, unless another thread decodes.
    ///
    /// - Returns: whether it was taken.
    func takeUnlessDecoding() -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while isTaken, !isDecoding { pthread_cond_wait(left, mutex) }
        if isTaken { return false }
        isTaken = true
        return true
    }

    /// Declares that what follows until ``leave()`` may take long. Requires the turn.
    func beginDecoding() {
        pthread_mutex_lock(mutex)
        isDecoding = true
        pthread_cond_broadcast(left)
        pthread_mutex_unlock(mutex)
    }

    /// Releases the turn.
    func leave() {
        pthread_mutex_lock(mutex)
        isTaken = false
        isDecoding = false
        pthread_cond_signal(left)
        pthread_mutex_unlock(mutex)
    }
}
