public import Synchronization

/// A lock that is stored in the object that it guards: one word, without an allocation.
///
/// For small and numerous objects that hold the lock briefly: with a ``Locked`` value, such an object needs a second
/// allocation of more than its own size. The object keeps its state in a property next to the lock and accesses it
/// only inside `withLock`. For contended state use ``Locked``: all threads that wait for an ``InlineLock`` sleep on
/// one condition variable.
///
/// Not recursive. The body must not call code outside of the project. The thread sanitizer recognizes the lock: it
/// consists of an atomic with acquire and release, and of a pthread mutex.
///
/// States of the word: 0 unlocked, 1 locked, 2 locked with possible sleepers.
public struct InlineLock: ~Copyable, Sendable {
    @usableFromInline let word = Atomic<UInt8>(0)

    /// Creates an unlocked lock.
    @inlinable
    public init() {}

    /// Runs `body` while holding the lock.
    @inlinable @inline(__always)
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body()
    }

    /// Locks, for a caller that holds several locks at once.
    @inlinable @inline(__always)
    borrowing func lock() {
        if !word.compareExchange(expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed)
            .exchanged
        {
            wait()
        }
    }

    /// Unlocks.
    @inlinable @inline(__always)
    borrowing func unlock() {
        if word.exchange(0, ordering: .releasing) == 2 { wakeOthers() }
    }

    @usableFromInline @inline(never)
    borrowing func wait() {
        for _ in 0..<32 {
            if word.load(ordering: .relaxed) == 0,
                word.compareExchange(expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed)
                    .exchanged
            {
                return
            }
        }
        // Order: the word is set to 2 before the thread sleeps, and the unlocking thread has to take the lot's mutex
        // to wake it, so no wake-up is lost.
        ParkingLot.ofLocks.park { word.exchange(2, ordering: .acquiring) == 0 }
    }

    @usableFromInline @inline(never)
    borrowing func wakeOthers() { ParkingLot.ofLocks.unparkAll() }
}
