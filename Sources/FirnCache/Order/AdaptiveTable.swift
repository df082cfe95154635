/// Values by key, let go of as the best of three policies would: order of use, closeness of uses (LIRS), worth for their bytes
/// (GreedyDual-Size).
///
/// All three are played with slot numbers alone, as if each had the whole capacity. What goes is what the one that did best of
/// late would not hold, in the order in which it let go of it. So a change of mind costs nothing at once, and no more misses than the
/// best has are made for long, whatever the others do.
///
/// A pure value: it takes no lock, reads no clock and knows of no limit but ``capacity``. A hit is O(1) and allocates nothing.
///
/// A slot is an image that is held, or one that was and that a policy still knows. Of the latter only the key's hash is kept.
///
/// Invariant: `places` has the slots in use; the others are in `free`.
/// Invariant: `strays[p]` has the held slots that policy *p* would not hold.
/// Invariant: a slot that is not held is known to a policy.
/// Invariant: `families` has the held slots whose key has a family. `byAge` has the held slots.
/// Invariant: `cost` and `count` are of the held slots.
///
/// Source: R. Subramanian, Y. Smaragdakis, G. Loh, Adaptive caches: effective shaping of cache behavior to workloads (MICRO
/// 2006). Documentation/Decisions/0011 has the figures.
struct AdaptiveTable<Key: HashedKey, Value> {
    struct Entry {
        let key: Key
        var value: Value
        var cost: Int
        /// When it was made, in nanoseconds of the caller's clock.
        var born: Int64
    }

    struct Label {
        var cost: Int
        var born: Int64
        var bits: UInt64
    }

    var places = HashIndex()
    var families = HashIndex()
    // Apart, so that a hit touches a key and a value and little else.
    var keys: [Key?] = []
    var values: [Value?] = []
    var labels: [Label] = []
    var free: [Int32] = []
    var byAge = SlotList()
    var recency: RecencyOrder
    var reuse: ReuseOrder
    var worth: WorthOrder
    var score = PolicyScore()
    /// The held slots that each policy would not hold, in the order in which they left it.
    var strays = [SlotList(), SlotList(), SlotList()]
    /// Which of `strays` a slot is in: a bit each.
    var strayMarks: [UInt8] = []
    /// What left a policy. A variable so that its memory is used again.
    var left: [Int32] = []
    /// Sum of all costs.
    var cost = 0
    /// Number of entries.
    var count = 0

    /// An empty table.
    ///
    /// - Parameter capacity: what the policies are played with; see ``setCapacity(_:)``.
    init(capacity: Int) {
        recency = RecencyOrder(capacity: capacity)
        reuse = ReuseOrder(capacity: capacity)
        worth = WorthOrder(capacity: capacity)
    }

    /// The value of a key, which has thereby been used.
    @inline(__always)
    mutating func use(_ key: Key) -> Value? {
        guard let slot = place(key) else { return nil }
        touch(slot)
        return values[Int(slot)]
    }

    /// The values of a key's family but for its own, in no order. No use of them.
    func relatives(of key: Key) -> [Value] {
        guard families.count > 0, let bits = key.familyBits else { return [] }
        var found: [Value] = []
        _ = families.find(bits) { slot in
            if let other = keys[Int(slot)], let value = values[Int(slot)], other != key, other.isRelative(of: key) {
                found.append(value)
            }
            return false
        }
        return found
    }

    /// Puts an entry in, which has thereby been used, and is the youngest.
    ///
    /// - Returns: the entry that had the key before, and the slot of the new one.
    mutating func insert(_ entry: Entry) -> (older: Entry?, slot: Int32) {
        let older = place(entry.key).flatMap { take($0) }
        let bits = entry.key.bits
        // What was held before, and is known still.
        var known = places.find(bits) { keys[Int($0)] == nil && labels[Int($0)].bits == bits }
        if let other = known, labels[Int(other)].cost != entry.cost {
            forget(other)
            known = nil
        }
        let slot = known ?? makeSlot(bits)
        keys[Int(slot)] = entry.key
        values[Int(slot)] = entry.value
        labels[Int(slot)] = Label(cost: entry.cost, born: entry.born, bits: bits)
        if let family = entry.key.familyBits { families.insert(slot, family) }
        byAge.append(slot)
        cost += entry.cost
        count += 1
        touchAny(slot)
        return (older, slot)
    }

    /// Takes the entry of a key out, for good: no policy knows of it any more.
    mutating func remove(_ key: Key) -> Entry? {
        guard let slot = place(key), let entry = take(slot) else { return nil }
        if places.find(entry.key.bits, { $0 == slot }) != nil { forget(slot) }
        return entry
    }

    /// The entry that was put in first. The oldest one, as far as the caller's clock did not run backwards.
    var oldest: Entry? { entry(at: byAge.first) }

    /// All values, in no order.
    var allValues: [Value] { values.compactMap { $0 } }

    @inline(__always)
    func place(_ key: Key) -> Int32? {
        places.find(key.bits) { keys[Int($0)] == key }
    }

    func entry(at slot: Int32) -> Entry? {
        guard slot != SlotList.none, let value = values[Int(slot)], let key = keys[Int(slot)] else { return nil }
        let label = labels[Int(slot)]
        return Entry(key: key, value: value, cost: label.cost, born: label.born)
    }
}
