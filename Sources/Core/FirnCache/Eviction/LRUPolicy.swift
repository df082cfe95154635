/// LRU: evicts the least recently used slot first.
///
/// Invariant: `sizes` has the members of `order`, and its total is at most `capacity` after every call.
struct LRUPolicy: GhostlessPolicy {
    private var order = SlotList()
    private(set) var sizes = SlotSizes()
    var capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    /// Records a use of a held slot.
    ///
    /// - Returns: `false` if the slot already was the most recently used one.
    @inline(__always)
    mutating func useHeld(_ slot: Int32) -> Bool {
        if slot == order.last() { return false }
        order.moveToBack(slot)
        return true
    }

    mutating func use(_ slot: Int32, bytes size: Int, left: inout [Int32]) {
        if contains(slot) { return order.moveToBack(slot) }
        sizes.add(slot, size)
        order.append(slot)
        evictSurplus(left: &left)
    }

    mutating func forget(_ slot: Int32) {
        if sizes.remove(slot) { order.remove(slot) }
    }

    mutating func evictNext(left: inout [Int32]) -> Bool {
        let oldest = order.first()
        guard oldest != SlotList.none else { return false }
        forget(oldest)
        left.append(oldest)
        return true
    }
}
