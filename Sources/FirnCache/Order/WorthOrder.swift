/// What is worth least for its bytes goes first: GreedyDual-Size, where every image costs the same to make again.
///
/// A slot's worth is 1 / bytes above the worth of what went last at the time it was used; so what is not used loses against what
/// is, the sooner the larger it is. Slots of nearly the same size (within a factor of √2) are in one class, in which the order of
/// worth is the order of use; only the classes' first members are compared.
///
/// Invariant: within a list of `classes` `worths` does not fall from first to last.
///
/// Source: P. Cao, S. Irani, Cost-aware WWW proxy caching algorithms (USITS 1997); classes as in S. Ghandeharizadeh et al.,
/// CAMP: a cost adaptive multi-queue eviction policy (Middleware 2014).
struct WorthOrder: SlotOrder {
    private var classes = SlotLists(count: 96)
    /// Bytes of each slot; negative where it is not held.
    private var sizes: [Int] = []
    private var worths: [Double] = []
    private let gains = WorthOrder.gains
    private var floor = 0.0
    private var bytes = 0
    private(set) var capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    func contains(_ slot: Int32) -> Bool { Int(slot) < sizes.count && sizes[Int(slot)] >= 0 }

    func knows(_ slot: Int32) -> Bool { contains(slot) }

    /// A slot that is held was asked for.
    @inline(__always)
    mutating func useHeld(_ slot: Int32) {
        let kind = WorthOrder.kind(sizes[Int(slot)])
        classes.moveToBack(slot, of: kind)
        worths[Int(slot)] = floor + gains[kind]
    }

    mutating func use(_ slot: Int32, bytes size: Int, left: inout [Int32]) {
        if contains(slot) { return useHeld(slot) }
        let kind = WorthOrder.kind(size)
        while sizes.count <= Int(slot) {
            sizes.append(-1)
            worths.append(0)
        }
        sizes[Int(slot)] = size
        worths[Int(slot)] = floor + gains[kind]
        bytes += size
        classes.append(slot, to: kind)
        shrink(&left)
    }

    mutating func forget(_ slot: Int32) {
        guard contains(slot) else { return }
        classes.remove(slot, from: WorthOrder.kind(sizes[Int(slot)]))
        bytes -= sizes[Int(slot)]
        sizes[Int(slot)] = -1
    }

    mutating func dropNext(left: inout [Int32]) -> Bool {
        var least = SlotList.none
        for kind in 0..<classes.count {
            let first = classes.first(of: kind)
            if first != SlotList.none, least == SlotList.none || worths[Int(first)] < worths[Int(least)] {
                least = first
            }
        }
        guard least != SlotList.none else { return false }
        floor = worths[Int(least)]
        forget(least)
        left.append(least)
        return true
    }

    mutating func setCapacity(_ bytes: Int, left: inout [Int32]) {
        capacity = bytes
        shrink(&left)
    }

    private mutating func shrink(_ left: inout [Int32]) {
        while bytes > capacity, dropNext(left: &left) {}
    }

    /// The class of a size: twice the binary logarithm, the half by the bit after the first.
    @inline(__always)
    private static func kind(_ size: Int) -> Int {
        let size = UInt64(max(2, size))
        let exponent = 63 - size.leadingZeroBitCount
        let half = (size >> UInt64(exponent - 1)) & 1
        return min(95, exponent * 2 + Int(half))
    }

    /// 1 / bytes of each class, by its middle.
    private static let gains: [Double] = (0..<96).map { kind in
        var size = 1.25
        for _ in 0..<(kind / 2) { size *= 2 }
        return 1 / (kind % 2 == 0 ? size : size * 1.4)
    }
}
