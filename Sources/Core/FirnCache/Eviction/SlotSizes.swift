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

    /// Removes a held slot.
    ///
    /// - Returns: its size in bytes; `nil` if the slot is not held.
    mutating func remove(_ slot: Int32) -> Int? {
        guard contains(slot) else { return nil }
        let bytes = sizes[Int(slot)]
        total -= bytes
        sizes[Int(slot)] = -1
        return bytes
    }
}
