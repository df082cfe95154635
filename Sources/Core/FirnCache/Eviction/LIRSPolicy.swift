/// LIRS: keeps slots with a low inter-reference recency, the number of slots used between the last two uses of a slot.
///
/// In a loop longer than the cache it hits some of the slots, where LRU hits none. A single scan of many slots evicts
/// few.
///
/// A slot is *LIR* (held, low inter-reference recency), *resident HIR* (held, in `queue`) or *non-resident HIR* (a
/// ghost: not held, its last use known). `stack` is LIRS's stack S: the LIR slots and all slots used since the bottom
/// LIR slot, by last use. `queue` is its queue Q. An HIR slot that is used while in the stack becomes LIR; the bottom
/// LIR slot then becomes HIR and enters the queue.
///
/// Invariant: the first member of `stack` is LIR, if there is an LIR slot.
/// Invariant: `lirBytes + hirBytes` is at most `capacity` after every call. `lirBytes` is at most its share, except for
/// the first slot.
/// Invariant: ghosts are in `stack` and in `ghosts`, at most `capacity` bytes of them.
///
/// Source: S. Jiang, X. Zhang, LIRS: an efficient low inter-reference recency set replacement policy (SIGMETRICS 2002);
/// in bytes.
struct LIRSPolicy: EvictionPolicy {
    private enum Kind: UInt8 { case unknown, lir, residentHIR, nonResidentHIR }

    /// The share of the capacity for resident HIR slots.
    private static let queueShare = 0.01

    private var stack = SlotList()
    /// Resident HIR slots, the next victim first.
    private var queue = SlotList()
    private var ghosts = SlotList()
    private var kinds: [Kind] = []
    private var isStacked: [Bool] = []
    private var sizes: [Int] = []
    private var (lirBytes, hirBytes, ghostBytes) = (0, 0, 0)
    var capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    private var lirCapacity: Int { capacity - Int(Double(capacity) * LIRSPolicy.queueShare) }

    func contains(_ slot: Int32) -> Bool {
        guard Int(slot) < kinds.count else { return false }
        return kinds[Int(slot)] == .lir || kinds[Int(slot)] == .residentHIR
    }

    func knows(_ slot: Int32) -> Bool { Int(slot) < kinds.count && kinds[Int(slot)] != .unknown }

    /// Records a use of a held slot if it only moves an LIR slot.
    ///
    /// - Returns: `false` if ``use(_:bytes:left:)`` must be called instead.
    @inline(__always)
    mutating func useLIR(_ slot: Int32) -> Bool {
        guard kinds[Int(slot)] == .lir else { return false }
        stack.moveToBack(slot)
        return kinds[Int(stack.first())] == .lir
    }

    mutating func use(_ slot: Int32, bytes size: Int, left: inout [Int32]) {
        while kinds.count <= Int(slot) {
            kinds.append(.unknown)
            isStacked.append(false)
            sizes.append(0)
        }
        switch kinds[Int(slot)] {
        case .lir:
            stack.moveToBack(slot)
            prune(&left)
        case .residentHIR:
            guard isStacked[Int(slot)] else {
                push(slot)
                queue.moveToBack(slot)
                return
            }
            leaveQueue(slot)
            becomeLIR(slot)
            stack.moveToBack(slot)
            limitLIR(&left)
        case .nonResidentHIR:
            ghosts.remove(slot)
            ghostBytes -= sizes[Int(slot)]
            sizes[Int(slot)] = size
            becomeLIR(slot)
            stack.moveToBack(slot)
            limitLIR(&left)
            evictSurplus(left: &left)
        case .unknown:
            sizes[Int(slot)] = size
            push(slot)
            if lirBytes + size <= lirCapacity, queue.first() == SlotList.none { becomeLIR(slot) } else { enqueue(slot) }
            evictSurplus(left: &left)
        }
    }

    mutating func forget(_ slot: Int32) {
        guard knows(slot) else { return }
        let size = sizes[Int(slot)]
        switch kinds[Int(slot)] {
        case .lir: lirBytes -= size
        case .residentHIR: leaveQueue(slot)
        case .nonResidentHIR:
            ghosts.remove(slot)
            ghostBytes -= size
        case .unknown: break
        }
        kinds[Int(slot)] = .unknown
        unstack(slot)
    }

    mutating func evictNext(left: inout [Int32]) -> Bool {
        var oldest = queue.first()
        if oldest == SlotList.none {
            demote(&left)
            oldest = queue.first()
            guard oldest != SlotList.none else { return false }
        }
        leaveQueue(oldest)
        if isStacked[Int(oldest)] {
            kinds[Int(oldest)] = .nonResidentHIR
            ghosts.append(oldest)
            ghostBytes += sizes[Int(oldest)]
            while ghostBytes > capacity, ghosts.first() != SlotList.none { forgetGhost(&left) }
        } else {
            kinds[Int(oldest)] = .unknown
        }
        left.append(oldest)
        // Order: without an LIR slot the stack has no bottom.
        if lirBytes == 0 { prune(&left) }
        return true
    }

    mutating func setCapacity(_ bytes: Int, left: inout [Int32]) {
        capacity = bytes
        limitLIR(&left)
        evictSurplus(left: &left)
        while ghostBytes > capacity, ghosts.first() != SlotList.none { forgetGhost(&left) }
    }

    // MARK: Steps

    var bytes: Int { lirBytes + hirBytes }

    private mutating func limitLIR(_ left: inout [Int32]) {
        while lirBytes > lirCapacity, demote(&left) {}
    }

    /// Moves the bottom LIR slot to the queue.
    @discardableResult
    private mutating func demote(_ left: inout [Int32]) -> Bool {
        prune(&left)
        let bottom = stack.first()
        guard bottom != SlotList.none, kinds[Int(bottom)] == .lir else { return false }
        lirBytes -= sizes[Int(bottom)]
        unstack(bottom)
        enqueue(bottom)
        prune(&left)
        return true
    }

    /// Stack pruning: removes the slots below the bottom LIR slot.
    private mutating func prune(_ left: inout [Int32]) {
        while stack.first() != SlotList.none, kinds[Int(stack.first())] != .lir {
            let slot = stack.first()
            if kinds[Int(slot)] == .nonResidentHIR {
                forget(slot)
                left.append(slot)
            } else {
                unstack(slot)
            }
        }
    }

    private mutating func forgetGhost(_ left: inout [Int32]) {
        let oldest = ghosts.first()
        forget(oldest)
        left.append(oldest)
    }

    private mutating func push(_ slot: Int32) {
        stack.append(slot)
        isStacked[Int(slot)] = true
    }

    private mutating func unstack(_ slot: Int32) {
        guard isStacked[Int(slot)] else { return }
        stack.remove(slot)
        isStacked[Int(slot)] = false
    }

    private mutating func becomeLIR(_ slot: Int32) {
        kinds[Int(slot)] = .lir
        lirBytes += sizes[Int(slot)]
    }

    private mutating func enqueue(_ slot: Int32) {
        kinds[Int(slot)] = .residentHIR
        queue.append(slot)
        hirBytes += sizes[Int(slot)]
    }

    private mutating func leaveQueue(_ slot: Int32) {
        queue.remove(slot)
        hirBytes -= sizes[Int(slot)]
    }
}
