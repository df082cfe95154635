/// A value that many threads read concurrently and that rarely changes.
///
/// A big-reader lock: each core has a lock. A reader takes the lock of its core, which is in the cache of that core
/// and almost never contended. A writer takes the locks of all cores. So a reader never sees a value that is being
/// changed or was freed, and two readers on different cores write to no common cache line. A write takes longer the
/// more cores there are.
///
/// A reader may change the part of the value that belongs to its core, such as the element of a ``PerCore``.
///
/// Not recursive, neither reads nor writes. The bodies must not call code outside of the project. The thread sanitizer
/// recognizes the locks.
public struct CoreLocked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Safety: `value` is read while the lock of one core is held, and changed while all are.
    @usableFromInline let value: UnsafeMutablePointer<Value>
    @usableFromInline let locks = PerCore { InlineLock() }

    /// Guards `value`.
    @inlinable
    public init(_ value: consuming Value) {
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Reads the value. `body` gets the index of the core whose lock is held, and may change that core's part of the
    /// value.
    @inlinable @inline(__always)
    public func read<Result>(_ body: (borrowing Value, Int) -> Result) -> Result {
        let core = locks.currentIndex
        return locks[core].pointee.withLock { body(value.pointee, core) }
    }

    /// Reads the value once for each core, in sequence. Meanwhile, readers on other cores may change their parts.
    public func readEach(_ body: (borrowing Value, Int) -> Void) {
        for core in 0..<locks.count { locks[core].pointee.withLock { body(value.pointee, core) } }
    }

    /// Changes the value, including the parts of all cores.
    @inlinable
    public func write<Result>(_ body: (inout Value) -> Result) -> Result {
        for core in 0..<locks.count { locks[core].pointee.lock() }
        defer { for core in 0..<locks.count { locks[core].pointee.unlock() } }
        return body(&value.pointee)
    }
}
