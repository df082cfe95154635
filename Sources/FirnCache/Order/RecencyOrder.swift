/// Least recently used first.
///
/// Invariant: `bytes` is the sum over the members of `order`, and at most `capacity` after every call.
struct RecencyOrder: SlotOrder {
    private var order = SlotList()
    /// Bytes of each slot; negative where it is not held.
    private var sizes: [Int] = []
    private var bytes = 0
    private(set) var capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    func contains(_ slot: Int32) -> Bool { Int(slot) < sizes.count && sizes[Int(slot)] >= 0 }

    func knows(_ slot: Int32) -> Bool { contains(slot) }

    /// A slot that is held was asked for.
    ///
    /// - Returns: `false` if it was the last one anyway.
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
        shrink(&left)
    }

    mutating func forget(_ slot: Int32) {
        guard contains(slot) else { return }
        order.remove(slot)
        bytes -= sizes[Int(slot)]
        sizes[Int(slot)] = -1
    }

    mutating func dropNext(left: inout [Int32]) -> Bool {
        let oldest = order.first
        guard oldest != SlotList.none else { return false }
        forget(oldest)
        left.append(oldest)
        return true
    }

    mutating func setCapacity(_ bytes: Int, left: inout [Int32]) {
        capacity = bytes
        shrink(&left)
    }

    private mutating func shrink(_ left: inout [Int32]) {
        while bytes > capacity, dropNext(left: &left) {}
    }
}
