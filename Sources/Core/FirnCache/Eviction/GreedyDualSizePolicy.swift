/// GreedyDual-Size with a cost of 1 for each image: evicts the slot with the lowest H value.
///
/// A use sets a slot's H to L + 1 / bytes. L is the H of the last evicted slot. So unused slots fall behind, large ones
/// sooner. Slots of nearly the same size (within a factor of √2) form a class, in which the order of H is the order of
/// use. Only the first members of the classes are compared.
///
/// Invariant: `values` does not decrease along a list of `classes`.
///
/// Source: P. Cao, S. Irani, Cost-aware WWW proxy caching algorithms (USITS 1997); classes as in S. Ghandeharizadeh et
/// al., CAMP: a cost adaptive multi-queue eviction policy (Middleware 2014).
struct GreedyDualSizePolicy: GhostlessPolicy {
    private static let classCount: Int32 = 96
    private var classes = SlotList(lists: classCount)
    private(set) var sizes = SlotSizes()
    /// H of each slot.
    private var values: [Double] = []
    private let gains = GreedyDualSizePolicy.gains
    /// L.
    private var inflation = 0.0
    var capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    /// Records a use of a held slot.
    @inline(__always)
    mutating func useHeld(_ slot: Int32) {
        let kind = GreedyDualSizePolicy.kind(sizes[slot])
        classes.moveToBack(slot, of: kind)
        values[Int(slot)] = inflation + gains[Int(kind)]
    }

    mutating func use(_ slot: Int32, bytes size: Int, left: inout [Int32]) {
        if contains(slot) { return useHeld(slot) }
        let kind = GreedyDualSizePolicy.kind(size)
        while values.count <= Int(slot) { values.append(0) }
        sizes.add(slot, size)
        values[Int(slot)] = inflation + gains[Int(kind)]
        classes.append(slot, to: kind)
        evictSurplus(left: &left)
    }

    mutating func forget(_ slot: Int32) {
        if sizes.remove(slot) { classes.remove(slot) }
    }

    mutating func evictNext(left: inout [Int32]) -> Bool {
        var least = SlotList.none
        for kind in 0..<GreedyDualSizePolicy.classCount {
            let first = classes.first(of: kind)
            if first != SlotList.none, least == SlotList.none || values[Int(first)] < values[Int(least)] {
                least = first
            }
        }
        guard least != SlotList.none else { return false }
        inflation = values[Int(least)]
        forget(least)
        left.append(least)
        return true
    }

    /// The class of a size: twice the binary logarithm; the bit after the first gives the half.
    @inline(__always)
    private static func kind(_ size: Int) -> Int32 {
        let size = UInt64(max(2, size))
        let exponent = 63 - size.leadingZeroBitCount
        let half = (size >> UInt64(exponent - 1)) & 1
        return min(classCount - 1, Int32(truncatingIfNeeded: exponent * 2) + Int32(truncatingIfNeeded: half))
    }

    /// 1 / bytes for each class, at its midpoint.
    private static let gains: [Double] = (0..<classCount).map { kind in
        var size = 1.25
        for _ in 0..<(kind / 2) { size *= 2 }
        return 1 / (kind % 2 == 0 ? size : size * 1.4)
    }
}
