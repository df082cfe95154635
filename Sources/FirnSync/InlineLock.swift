public import Synchronization

/// A lock that lies in the object it guards: a word, and no allocation.
///
/// For small and numerous objects that hold the lock briefly: with a ``Locked`` value, such an object needs a second
/// allocation of more than its own size. The object keeps its state in a property next to the lock and touches it
/// inside `withLock` only. For contended state use ``Locked``: all threads that wait for an ``InlineLock`` share one
/// place to sleep.
///
/// Not recursive. The body must not call out to code of a user. The thread sanitizer sees it: it consists of an atomic
/// with acquire and release, and of a pthread mutex.
///
/// States of the word: 0 open, 1 held, 2 held and a thread may sleep.
public struct InlineLock: ~Copyable, Sendable {
    @usableFromInline let word = Atomic<UInt8>(0)

    /// An open lock.
    @inlinable
    public init() {}

    /// Runs `body` while holding the lock.
    @inlinable @inline(__always)
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if !word.compareExchange(expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed)
            .exchanged
        {
            wait()
        }
        defer {
            if word.exchange(0, ordering: .releasing) == 2 { ParkingLot.unparkAll() }
        }
        return try body()
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
        // Order: the word is set to 2 before the thread sleeps, and the thread that unlocks has to take the lot's mutex
        // to wake it, so no wake-up is lost.
        ParkingLot.park(until: { word.exchange(2, ordering: .acquiring) == 0 })
    }
}
