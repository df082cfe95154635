/// A policy over numbered slots: which of them it would hold in the bytes it is given. It holds nothing itself.
///
/// Slots that leave what the policy holds or knows are appended to `left`, in the order in which they leave.
protocol SlotOrder {
    /// Most bytes.
    var capacity: Int { get }

    /// Whether the policy would hold a slot.
    func contains(_ slot: Int32) -> Bool

    /// Whether it still needs the slot's number, to recognize what it held before.
    func knows(_ slot: Int32) -> Bool

    /// A slot was asked for. If it is not held yet, it is now, and others may leave; itself too, if the policy thinks so.
    mutating func use(_ slot: Int32, bytes: Int, left: inout [Int32])

    /// The slot is gone for good; it is not appended to any `left`.
    mutating func forget(_ slot: Int32)

    /// Lets go of the slot that would go next.
    ///
    /// - Returns: `false` if nothing is held.
    mutating func dropNext(left: inout [Int32]) -> Bool

    /// Holds more or fewer bytes from now on.
    mutating func setCapacity(_ bytes: Int, left: inout [Int32])
}
