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

    // MARK: Updates of the policies

    /// Records a use of a held slot in all policies.
    @inline(__always)
    mutating func touch(_ slot: Int32) {
        // The common case: all three policies hold the slot.
        guard strayMarks[Int(slot)] == 0 else { return touchAny(slot) }
        guard lru.useHeld(slot) else { return }
        greedyDualSize.useHeld(slot)
        if !lirs.useLIR(slot) { touchLIRS(slot) }
    }

    @inline(never)
    private mutating func touchLIRS(_ slot: Int32) {
        lirs.use(slot, bytes: labels[Int(slot)].cost, left: &left)
        settle(1)
    }

    /// Records a use of a slot that some policies may not hold.
    @inline(never)
    mutating func touchAny(_ slot: Int32) {
        let bytes = labels[Int(slot)].cost
        score.note(lru.contains(slot), lirs.contains(slot), greedyDualSize.contains(slot))
        lru.use(slot, bytes: bytes, left: &left)
        if !left.isEmpty { settle(0) }
        lirs.use(slot, bytes: bytes, left: &left)
        if !left.isEmpty { settle(1) }
        greedyDualSize.use(slot, bytes: bytes, left: &left)
        if !left.isEmpty { settle(2) }
        mark(slot)
    }

    /// Sets the capacity of the simulated policies. Evicts nothing itself; see ``nextVictim(after:)``.
    mutating func setCapacity(_ bytes: Int) {
        guard bytes != lru.capacity else { return }
        lru.setCapacity(bytes, left: &left)
        settle(0)
        lirs.setCapacity(bytes, left: &left)
        settle(1)
        greedyDualSize.setCapacity(bytes, left: &left)
        settle(2)
    }

    /// Returns the held slot to evict next; `nil` if there is none.
    ///
    /// - Parameter passed: the slot that was returned before and cannot be evicted; the search continues after it.
    mutating func nextVictim(after passed: Int32 = SlotList.none) -> Int32? {
        let best = score.best
        while true {
            let next = passed == SlotList.none ? strays[best].first() : strays[best].next(passed)
            if next != SlotList.none { return next }
            guard evictNext(best) else { return nil }
            settle(best)
        }
    }

    /// Moves a victim that cannot be evicted behind all others.
    mutating func passOver(_ slot: Int32) {
        if strayMarks[Int(slot)] & 1 << UInt8(score.best) != 0 { strays[score.best].moveToBack(slot) }
    }

    /// Evicts a held slot. Policies that know the slot keep it as a ghost.
    ///
    /// - Returns: whether it was held.
    @discardableResult
    mutating func take(_ slot: Int32) -> Bool {
        guard labels[Int(slot)].isHeld else { return false }
        labels[Int(slot)].isHeld = false
        byAge.remove(slot)
        cost -= labels[Int(slot)].cost
        count -= 1
        for policy in 0..<3 { unmark(slot, policy) }
        freeIfUnknown(slot)
        return true
    }

    /// Removes a ghost from every policy.
    mutating func forget(_ slot: Int32) {
        lru.forget(slot)
        lirs.forget(slot)
        greedyDualSize.forget(slot)
        freeIfUnknown(slot)
    }

    /// Returns a new slot for a key with this hash.
    mutating func makeSlot(_ bits: UInt64) -> Int32 {
        let slot: Int32
        if let reused = free.popLast() {
            slot = reused
        } else {
            slot = Int32(labels.count)
            labels.append(Label())
            strayMarks.append(0)
        }
        places.insert(slot, bits)
        return slot
    }

    // MARK: Strays

    /// Applies a policy's evictions: frees unknown ghosts, and marks held slots as strays.
    private mutating func settle(_ policy: Int) {
        for slot in left {
            if labels[Int(slot)].isHeld { mark(slot) } else { freeIfUnknown(slot) }
        }
        left.removeAll(keepingCapacity: true)
    }

    /// Updates the stray lists of a held slot.
    @inline(__always)
    private mutating func mark(_ slot: Int32) {
        let marks: UInt8 =
            (lru.contains(slot) ? 0 : 1) | (lirs.contains(slot) ? 0 : 2) | (greedyDualSize.contains(slot) ? 0 : 4)
        if marks == strayMarks[Int(slot)] { return }
        for policy in 0..<3 {
            let bit: UInt8 = 1 << UInt8(policy)
            if marks & bit == 0 {
                unmark(slot, policy)
            } else if strayMarks[Int(slot)] & bit == 0 {
                strays[policy].append(slot)
                strayMarks[Int(slot)] |= bit
            }
        }
    }

    private mutating func unmark(_ slot: Int32, _ policy: Int) {
        let bit: UInt8 = 1 << UInt8(policy)
        guard strayMarks[Int(slot)] & bit != 0 else { return }
        strays[policy].remove(slot)
        strayMarks[Int(slot)] &= ~bit
    }

    private mutating func freeIfUnknown(_ slot: Int32) {
        let (bits, isHeld) = (labels[Int(slot)].bits, labels[Int(slot)].isHeld)
        guard !isHeld, !lru.knows(slot), !lirs.knows(slot), !greedyDualSize.knows(slot) else { return }
        // Order: the eviction by an earlier policy may already have freed the slot.
        guard places.find(bits, { $0 == slot }) != nil else { return }
        places.remove(slot, bits)
        labels[Int(slot)].bits = 0
        free.append(slot)
    }

    private mutating func evictNext(_ policy: Int) -> Bool {
        switch policy {
        case 0: lru.evictNext(left: &left)
        case 1: lirs.evictNext(left: &left)
        default: greedyDualSize.evictNext(left: &left)
        }
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
