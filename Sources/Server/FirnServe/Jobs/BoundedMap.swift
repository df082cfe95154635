/// Values by key up to a total cost. Evicts the least recently used values.
///
/// A pure value. Look-ups and stores take constant time.
struct BoundedMap<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let limit: Int
    private let largest: Int
    private var slots: [(key: Key, value: Value, cost: Int)?] = []
    private var free: [Int32] = []
    private var indices: [Key: Int32] = [:]
    /// The slots in use, the least recently used first.
    private var order = SlotList()
    private(set) var cost = 0

    /// - Parameters:
    ///   - limit: the largest sum of costs.
    ///   - largest: the largest cost of one value; values above it are not stored. Default: the limit.
    init(limit: Int, largest: Int? = nil) {
        self.limit = max(0, limit)
        self.largest = min(max(0, limit), largest ?? limit)
    }

    var count: Int { indices.count }

    func contains(_ key: Key) -> Bool { indices[key] != nil }

    /// Returns a value, and makes it the most recently used.
    mutating func value(for key: Key) -> Value? {
        guard let slot = indices[key] else { return nil }
        order.moveToBack(slot)
        return slots[Int(slot)]?.value
    }

    /// Stores a value and evicts others to make room.
    ///
    /// - Parameter cost: at least 0. Default: 1, so that the limit is a number of values.
    mutating func store(_ value: Value, for key: Key, cost: Int = 1) {
        _ = remove(key)
        guard cost <= largest else { return }
        while self.cost > limit - cost, removeLast() != nil {}
        let slot = free.popLast() ?? Int32(slots.count)
        if Int(slot) == slots.count { slots.append(nil) }
        slots[Int(slot)] = (key, value, cost)
        indices[key] = slot
        self.cost += cost
        order.append(slot)
    }

    /// Removes the least recently used value and returns its key.
    mutating func removeLast() -> Key? {
        let slot = order.first()
        guard slot != SlotList.none, let key = slots[Int(slot)]?.key else { return nil }
        _ = remove(key)
        return key
    }

    /// Removes a value and returns whether there was one.
    mutating func remove(_ key: Key) -> Bool {
        guard let slot = indices.removeValue(forKey: key), let entry = slots[Int(slot)].take() else { return false }
        order.remove(slot)
        free.append(slot)
        cost -= entry.cost
        return true
    }
}
