import FirnSync
import FirnSystem
import Synchronization

/// Keeps freed mappings of images briefly, so that the next images reuse them.
///
/// In a new mapping, the first access to each page faults while the system allocates and zeroes it, and unmapping
/// interrupts the other cores. Consecutive images have similar sizes, so reuse is frequent.
///
/// Invariant: at most ``most`` bytes are kept; the oldest mappings are released first. ``trim(unusedFor:)`` releases
/// unused mappings; workers call it before a long sleep. If memory is short, all are released.
package enum PixelMappings {
    /// The maximum bytes kept: an image of four megapixels, or a hundred thumbnails.
    static let most = 16 << 20
    private static let kept = Locked<MappingCache>(MappingCache())
    /// The number of mappings in `kept`, readable without the lock.
    private static let count = Atomic<Int>(0)

    /// True if nothing is kept. Takes no lock.
    package static var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    /// Returns a kept mapping with undefined contents; `nil` if none fits.
    ///
    /// - Parameter length: the bytes needed. The mapping may have a quarter more.
    static func take(_ length: Int) -> (base: UnsafeMutableRawPointer, length: Int)? {
        if isEmpty { return nil }
        return change { $0.take(length) }.map { ($0.base, $0.length) }
    }

    /// Keeps a mapping, or unmaps it.
    static func recycle(_ base: UnsafeMutableRawPointer, _ length: Int) {
        let mapping = MappingCache.Mapping(base: base, length: length, since: now())
        unmap(change { $0.add(mapping, most: most) })
    }

    /// Unmaps mappings that have not been used for `age` nanoseconds. Default: all.
    package static func trim(unusedFor age: Int64 = 0) {
        if isEmpty { return }
        let end = now() &- age
        unmap(change { $0.remove(until: end) })
    }

    private static func change<Result>(_ body: (inout MappingCache) -> Result) -> Result {
        kept.withLock { kept in
            defer { count.store(kept.count, ordering: .relaxed) }
            return body(&kept)
        }
    }

    /// Order: called without the lock, because unmapping takes time while other threads allocate images.
    private static func unmap(_ mappings: [MappingCache.Mapping]) {
        for mapping in mappings { munmap(mapping.base, mapping.length) }
    }

    /// Returns the monotonic time in nanoseconds, up to a few milliseconds late; this costs a tenth of reading the
    /// exact time.
    private static func now() -> Int64 { MonotonicClock.read(CLOCK_MONOTONIC_COARSE) }
}
