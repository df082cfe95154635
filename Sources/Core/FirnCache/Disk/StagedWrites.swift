/// Entries that are not yet written: lookups find them at once, and they are written in the order of staging.
///
/// A pure value: it takes no lock and writes nothing.
///
/// Invariants:
/// - a key has at most one current entry: the last one staged, unless it was dropped or written;
/// - `bytes` counts waiting entries and entries being written, including those that are no longer current.
struct StagedWrites<Key: Hashable, Entry> {
    /// A staged entry.
    struct Write {
        let number: UInt64
        let key: Key
        let entry: Entry
        let bytes: Int
    }

    /// The number of bytes at which no more entries are accepted.
    let limit: Int
    private var current: [Key: Write] = [:]
    /// Numbers and keys of waiting entries, oldest first. Replaced and dropped ones are skipped.
    private var queue: [(number: UInt64, key: Key)] = []
    private var head = 0
    private var lastNumber: UInt64 = 0
    /// Numbers of entries that are being written.
    private var begun: Set<UInt64> = []
    private(set) var bytes = 0

    init(limit: Int) { self.limit = limit }

    /// True if nothing waits and nothing is being written.
    var isEmpty: Bool { begun.isEmpty && head == queue.count }
    /// True if nothing waits.
    var isIdle: Bool { head == queue.count }
    /// The number of entries that lookups find.
    var count: Int { current.count }

    /// Returns whether an entry of this size is accepted. The first one always is.
    func hasRoom(_ count: Int) -> Bool { bytes == 0 || count <= limit - bytes }

    /// Returns the entry that a lookup of a key finds.
    func entry(for key: Key) -> Entry? { current[key]?.entry }

    /// Adds an entry.
    ///
    /// - Returns: the replaced entry, which will not be written; `nil` if there was none or it was being written.
    mutating func put(_ entry: Entry, for key: Key, bytes count: Int) -> Write? {
        let replaced = drop(key)
        lastNumber += 1
        current[key] = Write(number: lastNumber, key: key, entry: entry, bytes: count)
        queue.append((lastNumber, key))
        bytes += count
        return replaced
    }

    /// Returns the next entries to write and marks them as begun. ``finish(_:)`` must follow for each.
    ///
    /// - Returns: an empty array if none waits; otherwise one entry, or up to `count` while their total is at most
    ///   `limit` bytes.
    mutating func next(most count: Int, bytes limit: Int) -> [Write] {
        guard let first = next() else { return [] }
        var writes = [first]
        var room = limit - first.bytes
        while writes.count < count, let write = next(upTo: room) {
            writes.append(write)
            room -= write.bytes
        }
        return writes
    }

    /// Returns the next entry to write if it is at most `limit` bytes, and marks it as begun.
    mutating func next(upTo limit: Int = .max) -> Write? {
        while head < queue.count {
            let (number, key) = queue[head]
            let write = current[key].flatMap { $0.number == number ? $0 : nil }
            if let write, write.bytes > limit { return nil }
            head += 1
            if head == queue.count { forgetQueue() }
            guard let write else { continue }
            begun.insert(number)
            return write
        }
        return nil
    }

    /// Returns whether an entry that is being written has not been replaced or dropped.
    func isCurrent(_ write: Write) -> Bool { current[write.key]?.number == write.number }

    /// Ends a write.
    mutating func finish(_ write: Write) {
        guard begun.remove(write.number) != nil else { return }
        bytes -= write.bytes
        if isCurrent(write) { current[write.key] = nil }
    }

    /// Drops the entry for a key.
    ///
    /// - Returns: the entry, unless it was being written; it is then no longer current and ends with ``finish(_:)``.
    @discardableResult
    mutating func drop(_ key: Key) -> Write? {
        guard let write = current.removeValue(forKey: key), !begun.contains(write.number) else { return nil }
        bytes -= write.bytes
        return write
    }

    /// Drops all entries.
    ///
    /// - Returns: the entries that were not being written.
    mutating func dropAll() -> [Write] {
        let dropped = current.keys.compactMap { drop($0) }
        forgetQueue()
        return dropped
    }

    private mutating func forgetQueue() {
        queue.removeAll(keepingCapacity: true)
        head = 0
    }
}
