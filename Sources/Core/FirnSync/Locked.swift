public import FirnSystem

/// A value that is only accessible while its lock is held.
///
/// The lock type of the project: a `pthread_mutex_t`, in one allocation with its value. The thread sanitizer
/// recognizes it. Under contention a running thread gets it, whereas `Synchronization.Mutex` (a priority-inheriting
/// futex) passes the lock to a sleeping one: with five threads on two cores the engine's request benchmark then took
/// three times as long.
///
/// Not recursive. The body must not call code outside of the project.
///
/// Public and inlinable: a call of a generic function in another module costs ten times the lock itself unless it is
/// inlined, and the compiler (6.3.1) does not inline `package` functions. The module is not a product, so programs
/// cannot import it.
public struct Locked<Value>: @unchecked Sendable {
    // Safety: the value is accessed only while the mutex is held.
    @usableFromInline let buffer: ManagedBuffer<Value, pthread_mutex_t>

    /// Guards `value`.
    @inlinable
    public init(_ value: Value) {
        buffer = LockedBuffer<Value>.create(minimumCapacity: 1) { buffer in
            buffer.withUnsafeMutablePointerToElements { mutex in
                mutex.initialize(to: pthread_mutex_t())
                // Spins briefly before sleeping, since most bodies are shorter than a sleep and a wake-up.
                var attributes = pthread_mutexattr_t()
                pthread_mutexattr_init(&attributes)
                pthread_mutexattr_settype(&attributes, Int32(truncatingIfNeeded: PTHREAD_MUTEX_ADAPTIVE_NP))
                pthread_mutex_init(mutex, &attributes)
                pthread_mutexattr_destroy(&attributes)
            }
            return value
        }
    }

    /// Runs `body` with the value while holding the lock.
    @inlinable @inline(__always)
    public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try buffer.withUnsafeMutablePointers { value, mutex throws(Failure) in
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&value.pointee)
        }
    }

    /// Runs `body` with the value if no thread holds the lock; otherwise returns `nil` at once.
    public func withLockIfFree<Result>(_ body: (inout Value) -> Result) -> Result? {
        buffer.withUnsafeMutablePointers { value, mutex in
            guard pthread_mutex_trylock(mutex) == 0 else { return nil }
            defer { pthread_mutex_unlock(mutex) }
            return body(&value.pointee)
        }
    }
}

@usableFromInline
final class LockedBuffer<Value>: ManagedBuffer<Value, pthread_mutex_t> {
    deinit {
        withUnsafeMutablePointerToElements { mutex in
            _ = pthread_mutex_destroy(mutex)
        }
    }
}
