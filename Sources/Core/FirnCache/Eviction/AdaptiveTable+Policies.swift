// Updates the three policies and applies their evictions.
extension AdaptiveTable {
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
