/// Freed mappings that are kept for reuse. A value that only decides; allocation and release happen elsewhere.
struct MappingCache {
    /// A mapping that is not in use.
    struct Mapping {
        let base: UnsafeMutableRawPointer
        let length: Int
        /// The time when it was freed, in nanoseconds.
        let since: Int64
    }

    /// In the order in which they were freed.
    private var mappings: [Mapping] = []
    private var bytes = 0

    var count: Int { mappings.count }

    /// Removes and returns the most recent mapping with at least `length` bytes and at most a quarter more, because it
    /// may still be in the processor's caches.
    mutating func take(_ length: Int) -> Mapping? {
        guard
            let place = mappings.lastIndex(where: { $0.length >= length && $0.length - length <= length / 4 })
        else { return nil }
        let mapping = mappings.remove(at: place)
        bytes -= mapping.length
        return mapping
    }

    /// Adds a mapping.
    ///
    /// - Returns: the mappings to release so that at most `most` bytes are kept; only the new one if it is longer.
    mutating func add(_ mapping: Mapping, most: Int) -> [Mapping] {
        guard mapping.length <= most else { return [mapping] }
        mappings.append(mapping)
        bytes += mapping.length
        var count = 0
        var rest = bytes
        while rest > most {
            rest -= mappings[count].length
            count += 1
        }
        return removeFirst(count)
    }

    /// Removes and returns the mappings that were freed at `moment` or before.
    mutating func remove(until moment: Int64) -> [Mapping] {
        removeFirst(mappings.firstIndex { $0.since > moment } ?? mappings.count)
    }

    private mutating func removeFirst(_ count: Int) -> [Mapping] {
        guard count > 0 else { return [] }
        let gone = Array(mappings[..<count])
        mappings.removeFirst(count)
        bytes -= gone.reduce(0) { $0 + $1.length }
        return gone
    }
}
