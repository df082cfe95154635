import FirnSystem
public import Synchronization

/// One element for each core, each on cache lines of its own: threads on different cores write to different lines.
///
/// A thread may move to another core while it uses an element. So elements are locks or atomics, which are rarely
/// contended, or are guarded by such a lock.
///
/// Public and inlinable for the reason that ``Locked`` gives.
public struct PerCore<Element: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Safety: the properties are written once, by the initializer. Elements are locks or atomics, or each has a lock
    // beside it. They stay initialized until this value ends.
    @usableFromInline let base: UnsafeMutableRawPointer
    @usableFromInline let stride: Int
    @usableFromInline let mask: Int
    @usableFromInline let core: @convention(c) () -> Int32

    /// The maximum number of elements. On larger machines cores share elements, so a writer never takes more locks than
    /// this.
    private static var maximum: Int { 32 }
    /// Two cache lines, since processors prefetch the adjacent line.
    private static var alignment: Int { 128 }

    /// The default number of elements: the machine's number of cores, as a power of two.
    public static var machineCount: Int {
        let cores = min(maximum, max(1, sysconf(Int32(clamping: _SC_NPROCESSORS_CONF))))
        return 1 << (Int.bitWidth - (cores - 1).leadingZeroBitCount)
    }

    /// Creates the elements.
    ///
    /// - Parameter count: the number of elements, a power of two. Default: ``machineCount``.
    public init(count: Int = machineCount, _ make: () -> Element) {
        let alignment = PerCore.alignment
        stride = (MemoryLayout<Element>.stride + alignment - 1) / alignment * alignment
        mask = count - 1
        base = .allocate(byteCount: stride * count, alignment: alignment)
        // The C library declares the function only under a feature macro, which Swift does not set.
        core =
            dlsym(nil, "sched_getcpu").map { unsafeBitCast($0, to: (@convention(c) () -> Int32).self) }
            ?? { Int32(truncatingIfNeeded: UInt(pthread_self()) >> 12) }
        for at in 0..<count {
            (base + at * stride).bindMemory(to: Element.self, capacity: 1).initialize(to: make())
        }
    }

    deinit {
        for at in 0...mask { self[at].deinitialize(count: 1) }
        base.deallocate()
    }

    /// The number of elements.
    @inlinable public var count: Int { mask + 1 }

    /// The index of the core that runs this thread.
    @inlinable @inline(__always)
    public var currentIndex: Int { Int(core()) & mask }

    /// The element of the core that runs this thread.
    @inlinable @inline(__always)
    public var current: UnsafeMutablePointer<Element> { self[currentIndex] }

    /// The element at an index below ``count``.
    @inlinable @inline(__always)
    public subscript(index: Int) -> UnsafeMutablePointer<Element> {
        (base + (index & mask) * stride).assumingMemoryBound(to: Element.self)
    }
}

/// A number that threads on different cores increment without writing to the same cache line.
public struct CoreCounter: ~Copyable, Sendable {
    @usableFromInline let parts = PerCore { Atomic<Int>(0) }

    /// Creates a counter at 0.
    public init() {}

    /// Increments the number.
    @inlinable @inline(__always)
    public func count() { parts.current.pointee.wrappingAdd(1, ordering: .relaxed) }

    /// Increments the number and returns a unique value; a later call may return a lower one.
    public func next() -> Int {
        let index = parts.currentIndex
        return parts[index].pointee.wrappingAdd(1, ordering: .relaxed).oldValue &* parts.count &+ index
    }

    /// The sum of all cores.
    public var total: Int { (0..<parts.count).reduce(0) { $0 &+ parts[$1].pointee.load(ordering: .relaxed) } }
}
