/// A key with a well-mixed 64-bit hash.
protocol HashedKey: Equatable {
    /// Equal for equal keys.
    var bits: UInt64 { get }

    /// Equal for all keys of a family; `nil` for a key without one.
    var familyBits: UInt64? { get }

    /// Whether both belong to one family.
    func isRelative(of other: Self) -> Bool
}

/// By default, keys have no family.
extension HashedKey {
    var familyBits: UInt64? { nil }

    func isRelative(of other: Self) -> Bool { false }
}
