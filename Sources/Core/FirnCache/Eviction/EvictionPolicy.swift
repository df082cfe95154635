/// A simulated eviction policy over numbered slots: tracks the slots that it would hold within its capacity. Holds no
/// values.
///
/// Slots that the policy evicts or forgets are appended to `left`, in that order.
protocol EvictionPolicy {
    /// Maximum bytes.
    var capacity: Int { get set }

    /// The bytes of the slots that the policy would hold.
    var bytes: Int { get }

    /// Returns whether the policy would hold a slot.
    func contains(_ slot: Int32) -> Bool

    /// Returns whether the policy holds the slot or keeps it as a ghost.
    func knows(_ slot: Int32) -> Bool

    /// Records a use of a slot and holds it. The policy may evict other slots for it, or the slot itself.
    mutating func use(_ slot: Int32, bytes: Int, left: inout [Int32])

    /// Removes all traces of a slot. Does not append it to `left`.
    mutating func forget(_ slot: Int32)

    /// Evicts the next slot.
    ///
    /// - Returns: `false` if nothing is held.
    mutating func evictNext(left: inout [Int32]) -> Bool

    /// Sets the capacity.
    mutating func setCapacity(_ bytes: Int, left: inout [Int32])
}

extension EvictionPolicy {
    /// Evicts slots until the capacity holds.
    mutating func evictSurplus(left: inout [Int32]) {
        while bytes > capacity, evictNext(left: &left) {}
    }

    mutating func setCapacity(_ bytes: Int, left: inout [Int32]) {
        capacity = bytes
        evictSurplus(left: &left)
    }
}

/// A policy that forgets slots when it evicts them.
protocol GhostlessPolicy: EvictionPolicy {
    /// The held slots.
    var sizes: SlotSizes { get }
}

extension GhostlessPolicy {
    var bytes: Int { sizes.total }

    func contains(_ slot: Int32) -> Bool { sizes.contains(slot) }

    func knows(_ slot: Int32) -> Bool { contains(slot) }
}
