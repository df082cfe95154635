/// The bytes of the slots that a policy holds.
///
/// Invariant: `total` is the sum over the held slots.
struct SlotSizes {
    /// Negative for a slot that is not held.
    private var sizes: [Int] = []
    private(set) var total = 0

    func contains(_ slot: Int32) -> Bool { Int(slot) < sizes.count && sizes[Int(slot)] >= 0 }

    /// The bytes of a held slot.
    @inline(__always)
    subscript(slot: Int32) -> Int { sizes[Int(slot)] }

    /// Adds a slot that is not held.
    mutating func add(_ slot: Int32, _ bytes: Int) {
        while sizes.count <= Int(slot) { sizes.append(-1) }
        sizes[Int(slot)] = bytes
        total += bytes
    }

    /// Removes a slot.
    ///
    /// - Returns: whether it was held.
    mutating func remove(_ slot: Int32) -> Bool {
        guard contains(slot) else { return false }
        total -= sizes[Int(slot)]
        sizes[Int(slot)] = -1
        return true
    }
}
