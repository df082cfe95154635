/// Evicts what the recently best of three policies would evict: LRU, LIRS or GreedyDual-Size.
///
/// Each of the three policies is simulated with slot numbers only, as if it had the whole capacity. A victim is a held
/// slot that the recently best policy no longer holds, in its order of eviction. So switching policies evicts nothing
/// by itself, and the table has few more misses than the best policy.
///
/// A pure value: it takes no lock, reads no clock and has no limit except ``capacity``. A hit is O(1) and does not
/// allocate.
///
/// A slot is a held image or a ghost: an evicted image that a policy still knows. For both, only the key's hash is
/// stored. The caller has the keys and images of held slots.
///
/// Invariant: `places` has the slots in use; the others are in `free`.
/// Invariant: `strays[p]` has the held slots that policy *p* would not hold.
/// Invariant: a policy knows every ghost.
/// Invariant: `byAge` has the held slots.
/// Invariant: `cost` and `count` are totals of the held slots.
///
/// Source: R. Subramanian, Y. Smaragdakis, G. Loh, Adaptive caches: effective shaping of cache behavior to workloads
/// (MICRO 2006). Documentation/Decisions/0011 has the figures.
struct AdaptiveTable {
    struct Label {
        var cost = 0
        /// The time of insertion, in nanoseconds of the caller's clock.
        var born: Int64 = 0
        var bits: UInt64 = 0
        var isHeld = false
    }

    var places = HashIndex()
    var labels: [Label] = []
    var free: [Int32] = []
    var byAge = SlotList()
    var lru: LRUPolicy
    var lirs: LIRSPolicy
    var greedyDualSize: GreedyDualSizePolicy
    var score = PolicyScore()
    /// The held slots that each policy no longer holds, in its order of eviction.
    var strays = [SlotList(), SlotList(), SlotList()]
    /// The `strays` that each slot is in, as bits.
    var strayMarks: [UInt8] = []
    /// The slots that a policy evicted in this call. A property so that its memory is reused.
    var left: [Int32] = []
    /// Sum of all costs.
    var cost = 0
    /// Number of held slots.
    var count = 0

    /// An empty table.
    ///
    /// - Parameter capacity: bytes for each simulated policy; see ``setCapacity(_:)``.
    init(capacity: Int) {
        lru = LRUPolicy(capacity: capacity)
        lirs = LIRSPolicy(capacity: capacity)
        greedyDualSize = GreedyDualSizePolicy(capacity: capacity)
    }

    /// Inserts an image as the youngest one and records a use. An image with the same key must have been removed.
    ///
    /// - Parameter bits: the well-mixed hash of the key.
    /// - Returns: its slot.
    mutating func insert(bits: UInt64, cost: Int, born: Int64) -> Int32 {
        // A ghost with the same key.
        var known = places.find(bits) { !labels[Int($0)].isHeld && labels[Int($0)].bits == bits }
        if let other = known, labels[Int(other)].cost != cost {
            forget(other)
            known = nil
        }
        let slot = known ?? makeSlot(bits)
        labels[Int(slot)] = Label(cost: cost, born: born, bits: bits, isHeld: true)
        byAge.append(slot)
        self.cost += cost
        count += 1
        touchAny(slot)
        return slot
    }

    /// Removes a held slot. No policy knows it afterwards.
    mutating func remove(_ slot: Int32) {
        let bits = labels[Int(slot)].bits
        if take(slot), places.find(bits, { $0 == slot }) != nil { forget(slot) }
    }

    /// The first slot inserted: the oldest one, unless the caller's clock ran backwards.
    var oldest: (slot: Int32, born: Int64)? {
        byAge.first() == SlotList.none ? nil : (byAge.first(), labels[Int(byAge.first())].born)
    }
}

/// Selects which of three policies had the most hits recently.
///
/// Counts only requests on which the policies differ. Older hits decay: after 1000 more requests, a hit counts a third.
struct PolicyScore {
    /// The number of requests after which a hit has decayed to 1/e.
    private static let memory = 1000.0
    /// The lead in hits that another policy needs. Keeps LRU until there is evidence.
    private static let margin = 4.0

    private var scores = (0.0, 0.0, 0.0)
    /// The best policy: 0, 1 or 2.
    private(set) var best = 0

    /// Records a request and the policies that would have had a hit.
    @inline(__always)
    mutating func note(_ first: Bool, _ second: Bool, _ third: Bool) {
        if first == second, second == third { return }
        let keep = 1 - 1 / PolicyScore.memory
        scores.0 = scores.0 * keep + (first ? 1 : 0)
        scores.1 = scores.1 * keep + (second ? 1 : 0)
        scores.2 = scores.2 * keep + (third ? 1 : 0)
        let present = best == 0 ? scores.0 : best == 1 ? scores.1 : scores.2
        if scores.0 > present + PolicyScore.margin { best = 0 }
        if scores.1 > present + PolicyScore.margin { best = 1 }
        if scores.2 > max(present + PolicyScore.margin, scores.1) { best = 2 }
    }
}
