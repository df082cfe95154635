/// LRU: evicts the least recently used slot first.
///
/// Invariant: `bytes` is the sum over the members of `order`, and at most `capacity` after every call.
struct LRUPolicy: EvictionPolicy {
    private var order = SlotList()
    /// Bytes of each slot; negative for a slot that is not held.
    private var sizes: [Int] = []
    private(set) var bytes = 0
    var capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    func contains(_ slot: Int32) -> Bool { Int(slot) < sizes.count && sizes[Int(slot)] >= 0 }

    func knows(_ slot: Int32) -> Bool { contains(slot) }

    /// Records a use of a held slot.
    ///
    /// - Returns: `false` if the slot was the most recently used one already.
    @inline(__always)
    mutating func useHeld(_ slot: Int32) -> Bool {
        if slot == order.last { return false }
        order.moveToBack(slot)
        return true
    }

    mutating func use(_ slot: Int32, bytes size: Int, left: inout [Int32]) {
        if contains(slot) { return order.moveToBack(slot) }
        while sizes.count <= Int(slot) { sizes.append(-1) }
        sizes[Int(slot)] = size
        bytes += size
        order.append(slot)
        evictSurplus(left: &left)
    }

    mutating func forget(_ slot: Int32) {
        guard contains(slot) else { return }
        order.remove(slot)
        bytes -= sizes[Int(slot)]
        sizes[Int(slot)] = -1
    }

    mutating func evictNext(left: inout [Int32]) -> Bool {
        let oldest = order.first
        guard oldest != SlotList.none else { return false }
        forget(oldest)
        left.append(oldest)
        return true
    }

}
