/// A key that carries 64 well-mixed bits of itself.
protocol HashedKey: Equatable {
    /// Equal for equal keys.
    var bits: UInt64 { get }

    /// Equal for all keys of a family; `nil` for a key without one.
    var familyBits: UInt64? { get }

    /// Whether both are of one family.
    func isRelative(of other: Self) -> Bool
}

/// Keys have no families.
extension HashedKey {
    var familyBits: UInt64? { nil }

    func isRelative(of other: Self) -> Bool { false }
}
