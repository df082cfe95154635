import FirnSync
import FirnSystem
import Synchronization

/// Mappings that images had, kept for a moment for the next ones.
///
/// The first touch of each page of a new mapping is a fault, in which the system finds and zeroes it, and giving a mapping back
/// interrupts the other cores. Images come and go in like sizes, so what one leaves serves the next (measured: the decode of a JPEG
/// of 2.8 megapixels 5.4 → 3.7 ms, a jump in a grid 203 → 170 ms).
///
/// Invariant: at most ``most`` bytes are kept; the oldest go first. What nobody has asked for in a while goes with
/// ``trim(unusedFor:)``, which the engine's workers call before they sleep for long, and all goes when memory is short.
package enum PixelMappings {
    /// Bytes kept at most: an image of four megapixels, or a hundred thumbnails.
    static let most = 16 << 20
    private static let kept = Locked<KeptMappings>(KeptMappings())
    /// What is in `kept`, for those who only want to know whether there is something.
    private static let count = Atomic<Int>(0)

    /// Whether nothing is kept. Without a lock.
    package static var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    /// A mapping that somebody had, with whatever was written there; `nil` if none fits.
    ///
    /// - Parameter length: bytes wanted. The mapping may have a quarter more.
    static func take(_ length: Int) -> (base: UnsafeMutableRawPointer, length: Int)? {
        if isEmpty { return nil }
        return kept.withLock { kept in
            defer { count.store(kept.count, ordering: .relaxed) }
            return kept.take(length).map { ($0.base, $0.length) }
        }
    }

    /// Keeps a mapping, or gives it back to the system.
    static func give(_ base: UnsafeMutableRawPointer, _ length: Int) {
        let mapping = KeptMappings.Mapping(base: base, length: length, since: now())
        unmap(
            kept.withLock { kept in
                defer { count.store(kept.count, ordering: .relaxed) }
                return kept.add(mapping, most: most)
            })
    }

    /// Gives back what nobody has asked for in so many nanoseconds. Default: everything.
    package static func trim(unusedFor age: Int64 = 0) {
        if isEmpty { return }
        let end = now() &- age
        unmap(
            kept.withLock { kept in
                defer { count.store(kept.count, ordering: .relaxed) }
                return kept.remove(until: end)
            })
    }

    /// Order: without the lock. It takes time, and other threads want images.
    private static func unmap(_ mappings: [KeptMappings.Mapping]) {
        for mapping in mappings { munmap(mapping.base, mapping.length) }
    }

    /// Nanoseconds of the monotonic clock, a few milliseconds late: that costs a tenth.
    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
