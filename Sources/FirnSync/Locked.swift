public import FirnSystem

/// A value that is only reachable while its lock is held.
///
/// The lock type of the project: a `pthread_mutex_t`, in one allocation with its value. The thread sanitizer
/// sees it, and under contention a running thread gets it, where `Synchronization.Mutex` (a priority-inheriting
/// futex) passes the lock to a sleeping one: with five threads on two cores the engine's request benchmark then took
/// three times as long.
///
/// Not recursive. The body must not call out to code of a user.
///
/// Public and inlinable, since a generic of another module that is not inlined costs ten times the lock itself, and the
/// compiler (6.3.1) does not inline what is `package`. The module is no product, so users do not see it.
public struct Locked<Value>: @unchecked Sendable {
    // Safety: the value is only touched while the mutex is held.
    @usableFromInline let buffer: ManagedBuffer<Value, pthread_mutex_t>

    /// Guards `value`.
    @inlinable
    public init(_ value: Value) {
        buffer = LockedBuffer<Value>.create(minimumCapacity: 1) { buffer in
            buffer.withUnsafeMutablePointerToElements { mutex in
                mutex.initialize(to: pthread_mutex_t())
                pthread_mutex_init(mutex, nil)
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
}

@usableFromInline
final class LockedBuffer<Value>: ManagedBuffer<Value, pthread_mutex_t> {
    deinit {
        withUnsafeMutablePointerToElements { mutex in
            _ = pthread_mutex_destroy(mutex)
        }
    }
}
