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
    /// The lock and the part of a core.
    public struct Core: ~Copyable {
        @usableFromInline let lock = InlineLock()
        @usableFromInline var part: Part

        @usableFromInline init(part: Part) { self.part = part }
    }

    // Safety: the value is read while one lock is held, and changed while all are. A part is accessed while its lock is
    // held.
    @usableFromInline let value: UnsafeMutablePointer<Value>
    @usableFromInline let cores: PerCore<Core>

    /// Guards `value`.
    ///
    /// - Parameter part: the first state of each part.
    @inlinable
    public init(_ value: consuming Value, part: Part) {
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
        cores = PerCore { Core(part: part) }
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Reads the value. `body` may change the part of its core.
    @inlinable @inline(__always)
    public func read<Result>(_ body: (borrowing Value, inout Part) -> Result) -> Result {
        let core = cores.current
        return core.pointee.lock.withLock { body(value.pointee, &core.pointee.part) }
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
        for at in 0..<cores.count { cores[at].pointee.lock.lock() }
        defer { for at in 0..<cores.count { cores[at].pointee.lock.unlock() } }
        for at in 0..<cores.count { visit(&cores[at].pointee.part) }
        return body(&value.pointee)
    }

    /// Calls `body` with the part of each core, one after the other. Readers on other cores may change theirs
    /// meanwhile.
    public func visit(_ body: (inout Part) -> Void) {
        for at in 0..<cores.count {
            let core = cores[at]
            core.pointee.lock.withLock { body(&core.pointee.part) }
        }
    }
}
