/// Values by key, with the two orders that eviction needs: least recently used first, and oldest first.
///
/// A pure value: it takes no lock, reads no clock and has no limit. Every operation is O(1); a hit allocates nothing.
///
/// Invariant: `places`, `byUse` and `byAge` have the same members, which are the slots with an entry; the others are in
/// `free`.
/// Invariant: `families` has the slots whose key has a family.
/// Invariant: `cost` is the sum of the entries' costs.
struct LRUTable<Key: HashedKey, Value> {
    typealias Entry = TableEntry<Key, Value>

    private struct Label {
        var cost: Int
        var born: Int64
    }

    private var places = HashIndex()
    /// The slots of all keys that have a family, by the family's hash.
    private var families = HashIndex()
    // Separate arrays, so that a hit reads a key and a value and nothing else.
    private var keys: [Key?] = []
    private var values: [Value?] = []
    private var labels: [Label] = []
    private var free: [Int32] = []
    private var byUse = SlotList()
    private var byAge = SlotList()
    /// Sum of all costs.
    private(set) var cost = 0

    /// Number of entries.
    var count: Int { places.count }

    /// Returns the value of a key and makes it the most recently used.
    @inline(__always)
    mutating func use(_ key: Key) -> Value? {
        guard let slot = place(key) else { return nil }
        byUse.moveToBack(slot)
        return values[Int(slot)]
    }

    /// Returns the entry of a key. Records no use.
    func peek(_ key: Key) -> Entry? {
        place(key).flatMap { entry(at: $0) }
    }

    /// Returns the other values of a key's family, in no order. Records no use.
    func relatives(of key: Key) -> [Value] { families.relatives(of: key, keys, values) }

    /// Changes the value of an entry, if it exists. Keeps both orders.
    mutating func setValue(_ value: Value, for key: Key) {
        if let slot = place(key) { values[Int(slot)] = value }
    }

    /// Inserts an entry as the most recently used and the youngest.
    ///
    /// - Returns: the entry that had the key before.
    mutating func insert(_ entry: Entry) -> Entry? {
        let older = remove(entry.key)
        let slot: Int32
        if let reused = free.popLast() {
            slot = reused
        } else {
            slot = Int32(values.count)
            values.append(nil)
            keys.append(nil)
            labels.append(Label(cost: 0, born: 0))
        }
        values[Int(slot)] = entry.value
        keys[Int(slot)] = entry.key
        labels[Int(slot)] = Label(cost: entry.cost, born: entry.born)
        places.insert(slot, entry.key.bits)
        if let family = entry.key.familyBits { families.insert(slot, family) }
        byUse.append(slot)
        byAge.append(slot)
        cost += entry.cost
        return older
    }

    /// Removes the entry of a key.
    mutating func remove(_ key: Key) -> Entry? {
        guard let slot = place(key), let entry = entry(at: slot) else { return nil }
        places.remove(slot, key.bits)
        if let family = entry.key.familyBits { families.remove(slot, family) }
        values[Int(slot)] = nil
        keys[Int(slot)] = nil
        free.append(slot)
        byUse.remove(slot)
        byAge.remove(slot)
        cost -= entry.cost
        return entry
    }

    /// The least recently used entry.
    var leastRecent: Entry? { entry(at: byUse.first) }

    /// The entry that was inserted first: the oldest one, unless the caller's clock ran backwards.
    var oldest: Entry? { entry(at: byAge.first) }

    /// All entries, least recently used first.
    var entries: [Entry] {
        var all: [Entry] = []
        all.reserveCapacity(count)
        var slot = byUse.first
        while slot != SlotList.none {
            if let entry = entry(at: slot) { all.append(entry) }
            slot = byUse.next(slot)
        }
        return all
    }

    @inline(__always)
    private func place(_ key: Key) -> Int32? {
        places.find(key.bits) { keys[Int($0)] == key }
    }

    private func entry(at slot: Int32) -> Entry? {
        guard slot != SlotList.none, let value = values[Int(slot)], let key = keys[Int(slot)] else { return nil }
        let label = labels[Int(slot)]
        return Entry(key: key, value: value, cost: label.cost, born: label.born)
    }
}

/// A key with a well-mixed 64-bit hash.
protocol HashedKey: Equatable {
    /// Equal for equal keys.
    var bits: UInt64 { get }

    /// Equal for all keys of a family; `nil` for a key without one.
    var familyBits: UInt64? { get }

    /// Returns whether both belong to one family.
    func isRelative(of other: Self) -> Bool
}

/// By default, keys have no family.
extension HashedKey {
    var familyBits: UInt64? { nil }

    func isRelative(of other: Self) -> Bool { false }
}

/// An entry of an eviction table.
struct TableEntry<Key, Value> {
    let key: Key
    var value: Value
    var cost: Int
    /// The time when it was inserted, in nanoseconds of the caller's clock.
    var born: Int64
}
