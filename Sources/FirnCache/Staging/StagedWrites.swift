/// What is to be written and is not yet: found at once by who looks for it, and written in the order in which it came.
///
/// A pure value: it takes no lock and writes nothing.
///
/// Invariants:
/// - of a key there is one entry at most that is current: the last that was put in, unless it was dropped or is written;
/// - `bytes` counts the entries that wait and those that are being written, also those that are no longer current.
struct StagedWrites<Key: Hashable, Entry> {
    /// An entry on its way.
    struct Write {
        let number: UInt64
        let key: Key
        let entry: Entry
        let bytes: Int
    }

    /// Bytes from which on nothing more is taken.
    let limit: Int
    private var current: [Key: Write] = [:]
    /// Numbers and keys of those that wait, oldest first; those that were replaced or dropped are passed over.
    private var queue: [(number: UInt64, key: Key)] = []
    private var head = 0
    private var lastNumber: UInt64 = 0
    /// Numbers of those that are being written.
    private var begun: Set<UInt64> = []
    private(set) var bytes = 0

    init(limit: Int) { self.limit = limit }

    /// Whether nothing waits and nothing is being written.
    var isEmpty: Bool { begun.isEmpty && head == queue.count }
    /// Whether nothing waits.
    var isIdle: Bool { head == queue.count }
    /// Entries that a lookup finds here.
    var count: Int { current.count }

    /// Whether so many bytes may be put in. One entry always may, however large, if there is none.
    func hasRoom(_ count: Int) -> Bool { bytes == 0 || count <= limit - bytes }

    /// The entry that a lookup of a key is to find.
    func entry(for key: Key) -> Entry? { current[key]?.entry }

    /// Puts an entry in.
    ///
    /// - Returns: the one that it replaced, if that had not been begun: nobody will write it.
    mutating func put(_ entry: Entry, for key: Key, bytes count: Int) -> Write? {
        let replaced = drop(key)
        lastNumber += 1
        current[key] = Write(number: lastNumber, key: key, entry: entry, bytes: count)
        queue.append((lastNumber, key))
        bytes += count
        return replaced
    }

    /// The entries to write next, which have then been begun; each is to be followed by ``finish(_:)``.
    ///
    /// - Returns: one, if there is any; more, up to `count`, while they come to `limit` bytes at most.
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

    /// The entry to write next, if it is not larger than `limit`; it has then been begun.
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

    /// Whether a write that was begun is still wanted.
    func isCurrent(_ write: Write) -> Bool { current[write.key]?.number == write.number }

    /// A write that was begun is over.
    mutating func finish(_ write: Write) {
        guard begun.remove(write.number) != nil else { return }
        bytes -= write.bytes
        if isCurrent(write) { current[write.key] = nil }
    }

    /// A key's entry is no longer wanted.
    ///
    /// - Returns: the entry, if it had not been begun; else it stops being current, and is over with ``finish(_:)``.
    @discardableResult
    mutating func drop(_ key: Key) -> Write? {
        guard let write = current.removeValue(forKey: key), !begun.contains(write.number) else { return nil }
        bytes -= write.bytes
        return write
    }

    /// Nothing is wanted any more.
    ///
    /// - Returns: those that had not been begun.
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
