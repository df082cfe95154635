import FirnImage
import FirnSync

/// An LRU cache of color transforms: creating one costs as much as thousands of pixels, and most images share a few
/// profiles.
final class ColorTransformCache: Sendable {
    /// The cache that all sessions use.
    static let shared = ColorTransformCache(capacity: 16)

    private struct Key: Hashable {
        var source: ColorSource
        var from: SampleLayout
        var to: SampleLayout
    }

    private struct Entry {
        var key: Key
        /// `nil` if no conversion is needed.
        var transform: ColorTransform?
    }

    private let capacity: Int
    /// The entries, least recently used first.
    private let entries = Locked<[Entry]>([])

    init(capacity: Int) { self.capacity = capacity }

    /// Returns the transform of a source's colors from one layout to another, or `nil` if no conversion is needed.
    func transform(_ source: ColorSource, from: SampleLayout, to: SampleLayout) -> ColorTransform? {
        let key = Key(source: source, from: from, to: to)
        let known = entries.withLock { (entries: inout [Entry]) -> Entry? in
            guard let index = entries.lastIndex(where: { $0.key == key }) else { return nil }
            let entry = entries.remove(at: index)
            entries.append(entry)
            return entry
        }
        if let known { return known.transform }
        // Order: created outside the lock. Two threads may create the same transform; one of the two is dropped.
        let made = ColorTransform.make(source, from: from, to: to)
        entries.withLock { entries in
            entries.removeAll { $0.key == key }
            entries.append(Entry(key: key, transform: made))
            if entries.count > capacity { entries.removeFirst() }
        }
        return made
    }
}
