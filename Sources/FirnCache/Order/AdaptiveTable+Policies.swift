// What the three policies are told, and what follows from what they do.
extension AdaptiveTable {
    /// Tells the policies of a use of a held slot.
    @inline(__always)
    mutating func touch(_ slot: Int32) {
        // All three hold it, as it mostly is.
        guard strayMarks[Int(slot)] == 0 else { return touchAny(slot) }
        guard recency.useHeld(slot) else { return }
        worth.useHeld(slot)
        if !reuse.useLow(slot) { touchReuse(slot) }
    }

    @inline(never)
    private mutating func touchReuse(_ slot: Int32) {
        reuse.use(slot, bytes: labels[Int(slot)].cost, left: &left)
        settle(1)
    }

    /// The same for a slot that some policies may not hold.
    @inline(never)
    mutating func touchAny(_ slot: Int32) {
        let bytes = labels[Int(slot)].cost
        score.note(recency.contains(slot), reuse.contains(slot), worth.contains(slot))
        recency.use(slot, bytes: bytes, left: &left)
        if !left.isEmpty { settle(0) }
        reuse.use(slot, bytes: bytes, left: &left)
        if !left.isEmpty { settle(1) }
        worth.use(slot, bytes: bytes, left: &left)
        if !left.isEmpty { settle(2) }
        mark(slot)
    }

    /// Has the policies play with so many bytes from now on. Nothing goes by that alone; see ``nextVictim(after:)``.
    mutating func setCapacity(_ bytes: Int) {
        guard bytes != recency.capacity else { return }
        recency.setCapacity(bytes, left: &left)
        settle(0)
        reuse.setCapacity(bytes, left: &left)
        settle(1)
        worth.setCapacity(bytes, left: &left)
        settle(2)
    }

    /// The held slot that is to go next; `nil` if there is none.
    ///
    /// - Parameter passed: the last one that was returned and cannot go, so that the search goes on behind it.
    mutating func nextVictim(after passed: Int32 = SlotList.none) -> Int32? {
        let best = score.best
        while true {
            let next = passed == SlotList.none ? strays[best].first : strays[best].next(passed)
            if next != SlotList.none { return next }
            guard dropNext(best) else { return nil }
            settle(best)
        }
    }

    /// Gives the value of a held slot to `body`, in place: there is no other copy of it meanwhile.
    mutating func withValue<Result>(at slot: Int32, _ body: (inout Value) -> Result) -> Result? {
        guard var value = values[Int(slot)].take() else { return nil }
        defer { values[Int(slot)] = value }
        return body(&value)
    }

    /// Puts a victim that cannot go behind the others.
    mutating func passOver(_ slot: Int32) {
        if strayMarks[Int(slot)] & 1 << UInt8(score.best) != 0 { strays[score.best].moveToBack(slot) }
    }

    /// Takes a held slot's entry out; policies that know it still do.
    mutating func take(_ slot: Int32) -> Entry? {
        guard let entry = entry(at: slot) else { return nil }
        if let family = entry.key.familyBits { families.remove(slot, family) }
        values[Int(slot)] = nil
        keys[Int(slot)] = nil
        byAge.remove(slot)
        cost -= entry.cost
        count -= 1
        for policy in 0..<3 { unmark(slot, policy) }
        freeIfUnknown(slot)
        return entry
    }

    /// No policy is to know of a slot, which is not held.
    mutating func forget(_ slot: Int32) {
        recency.forget(slot)
        reuse.forget(slot)
        worth.forget(slot)
        freeIfUnknown(slot)
    }

    /// A slot for a key of this hash.
    mutating func makeSlot(_ bits: UInt64) -> Int32 {
        let slot: Int32
        if let reused = free.popLast() {
            slot = reused
        } else {
            slot = Int32(values.count)
            values.append(nil)
            keys.append(nil)
            labels.append(Label(cost: 0, born: 0, bits: 0))
            strayMarks.append(0)
        }
        labels[Int(slot)].bits = bits
        places.insert(slot, bits)
        return slot
    }

    // MARK: Strays

    /// Draws the consequences of what left a policy.
    private mutating func settle(_ policy: Int) {
        for slot in left {
            if values[Int(slot)] == nil { freeIfUnknown(slot) } else { mark(slot) }
        }
        left.removeAll(keepingCapacity: true)
    }

    /// Has a held slot be in the right lists of strays.
    @inline(__always)
    private mutating func mark(_ slot: Int32) {
        let marks: UInt8 =
            (recency.contains(slot) ? 0 : 1) | (reuse.contains(slot) ? 0 : 2) | (worth.contains(slot) ? 0 : 4)
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
        guard values[Int(slot)] == nil, !recency.knows(slot), !reuse.knows(slot), !worth.knows(slot) else { return }
        let bits = labels[Int(slot)].bits
        // Order: a slot may have been freed by an earlier policy's word already.
        guard places.find(bits, { $0 == slot }) != nil else { return }
        places.remove(slot, bits)
        labels[Int(slot)].bits = 0
        free.append(slot)
    }

    private mutating func dropNext(_ policy: Int) -> Bool {
        switch policy {
        case 0: recency.dropNext(left: &left)
        case 1: reuse.dropNext(left: &left)
        default: worth.dropNext(left: &left)
        }
    }
}
