/// A value that threads read at the same time and that few change, with a part for each core that readers may change.
///
/// A big-reader lock: each core has a lock. A reader takes the lock of its core, which is in the cache of that core
/// and almost never contended, and changes the part of its core under it. A writer takes the locks of all cores. So a
/// reader never sees a value that is being changed or was freed, and two readers on different cores write to no common
/// cache line. A write takes longer the more cores there are.
///
/// Not recursive, neither reads nor writes. The bodies must not call code outside of the project. The thread sanitizer
/// recognizes the locks.
public struct CoreLocked<Value: ~Copyable, Part>: ~Copyable, @unchecked Sendable {
    // Safety: `value` is read while the lock of one core is held, and changed while all are. A part is accessed while
    // the lock of its core is held.
    @usableFromInline let value: UnsafeMutablePointer<Value>
    @usableFromInline let locks = PerCore { InlineLock() }
    @usableFromInline let parts: PerCore<Part>

    /// Guards `value`.
    ///
    /// - Parameter part: the first state of each part.
    @inlinable
    public init(_ value: consuming Value, part: Part) {
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
        parts = PerCore { part }
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Reads the value. `body` may change the part of its core.
    @inlinable @inline(__always)
    public func read<Result>(_ body: (borrowing Value, inout Part) -> Result) -> Result {
        let core = locks.currentIndex
        // A pointer of its own: for the thread sanitizer, a change through `parts` is one of all elements.
        let part = parts[core]
        return locks[core].pointee.withLock { body(value.pointee, &part.pointee) }
    }

    /// Changes the value.
    ///
    /// - Parameters:
    ///   - visit: called with the part of each core first.
    ///   - body: changes the value.
    @inlinable
    public func write<Result>(
        visiting visit: (inout Part) -> Void, _ body: (inout Value) -> Result
    ) -> Result {
        for core in 0..<locks.count { locks[core].pointee.lock() }
        defer { for core in 0..<locks.count { locks[core].pointee.unlock() } }
        for core in 0..<locks.count {
            let part = parts[core]
            visit(&part.pointee)
        }
        return body(&value.pointee)
    }

    /// Calls `body` with the part of each core, one after the other. Readers on other cores may change theirs
    /// meanwhile.
    public func visit(_ body: (inout Part) -> Void) {
        for core in 0..<locks.count {
            let part = parts[core]
            locks[core].pointee.withLock { body(&part.pointee) }
        }
    }
}
