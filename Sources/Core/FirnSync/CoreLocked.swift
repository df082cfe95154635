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
    // Safety: the value is read while the lock of one core is held, and changed while all are.
    @usableFromInline let value: UnsafeMutablePointer<Value>
    @usableFromInline let parts: PerCore<Locked<Part>>

    /// Guards `value`.
    ///
    /// - Parameter part: the first state of each part.
    @inlinable
    public init(_ value: consuming Value, part: Part) {
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
        parts = PerCore { Locked(part) }
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Reads the value. `body` may change the part of its core.
    @inlinable @inline(__always)
    public func read<Result>(_ body: (borrowing Value, inout Part) -> Result) -> Result {
        parts.current.pointee.withLock { body(value.pointee, &$0) }
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
        write(from: 0, visit, body)
    }

    /// Takes the locks from a core on, one inside the other.
    @usableFromInline
    func write<Result>(from core: Int, _ visit: (inout Part) -> Void, _ body: (inout Value) -> Result) -> Result {
        guard core < parts.count else { return body(&value.pointee) }
        return parts[core].pointee.withLock { part in
            visit(&part)
            return write(from: core + 1, visit, body)
        }
    }

    /// Calls `body` with the part of each core, one after the other. Readers on other cores may change theirs
    /// meanwhile.
    public func visit(_ body: (inout Part) -> Void) {
        for core in 0..<parts.count { parts[core].pointee.withLock { body(&$0) } }
    }
}
