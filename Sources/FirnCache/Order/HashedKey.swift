/// A key that carries 64 well-mixed bits of itself.
protocol HashedKey: Equatable {
    /// Equal for equal keys.
    var bits: UInt64 { get }
}
