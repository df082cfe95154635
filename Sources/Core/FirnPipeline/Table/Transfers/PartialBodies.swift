/// The first bytes of bodies whose transfers were cancelled or failed. A later transfer resumes from them.
///
/// A value without bytes or a clock. Evicts the least recently stored entry first.
///
/// Invariants:
/// - entries are in the order in which they were stored, each key once;
/// - together they are within the limits after every call.
struct PartialBodies<Key: Hashable, Body> {
    private struct Entry {
        let key: Key
        let body: Body
        let count: Int
        let keptAt: Moment
    }

    private var entries: [Entry] = []
    /// Evicted bodies. The owner takes them and releases them outside of the lock.
    private var left: [Body] = []
    private(set) var limits: PartialLimits
    private(set) var bytes = 0
    /// The number of bytes that were dropped without having been used.
    private(set) var wasted = 0
    /// The number of bytes from which transfers resumed.
    private(set) var resumed = 0

    var count: Int { entries.count }

    init(limits: PartialLimits = PartialLimits()) { self.limits = limits }

    /// Stores a body of `count` bytes. If the key already has one, the longer one is kept.
    mutating func keep(_ body: Body, of key: Key, count: Int, now: Moment) {
        expire(now: now)
        guard count >= PartialLimits.minimumBytes, count <= limits.bytes, limits.count > 0 else {
            return waste(body, count)
        }
        if let index = entries.firstIndex(where: { $0.key == key }) {
            guard entries[index].count < count else { return waste(body, count) }
            remove(at: index)
        }
        entries.append(Entry(key: key, body: body, count: count, keptAt: now))
        bytes += count
        trim()
    }

    /// Removes and returns the body of a key, for a transfer to resume.
    mutating func take(_ key: Key, now: Moment) -> Body? {
        guard !entries.isEmpty else { return nil }
        expire(now: now)
        guard let index = entries.firstIndex(where: { $0.key == key }) else { return nil }
        let entry = entries.remove(at: index)
        bytes -= entry.count
        resumed += entry.count
        return entry.body
    }

    mutating func drop(_ key: Key) {
        if let index = entries.firstIndex(where: { $0.key == key }) { remove(at: index) }
    }

    mutating func removeAll() {
        while !entries.isEmpty { remove(at: 0) }
    }

    mutating func setLimits(_ limits: PartialLimits, now: Moment) {
        self.limits = limits
        trim()
        expire(now: now)
    }

    /// Removes and returns the bodies that were evicted since the last call.
    mutating func takeLeft() -> [Body] { exchange(&left, with: []) }

    private mutating func expire(now: Moment) {
        while let first = entries.first, now - first.keptAt > limits.time { remove(at: 0) }
    }

    private mutating func trim() {
        while entries.count > max(0, limits.count) || bytes > max(0, limits.bytes), !entries.isEmpty { remove(at: 0) }
    }

    private mutating func remove(at index: Int) {
        let entry = entries.remove(at: index)
        bytes -= entry.count
        waste(entry.body, entry.count)
    }

    private mutating func waste(_ body: Body, _ count: Int) {
        wasted += count
        left.append(body)
    }
}

/// The limits of stored partial bodies: their number, total size and age.
struct PartialLimits: Hashable, Sendable {
    var count = 32
    var bytes = 8 << 20
    var time: Moment = 300_000_000_000

    /// The minimum size of a stored body. Below it, requesting the rest takes as long as requesting the whole.
    static let minimumBytes = 16 << 10
}
