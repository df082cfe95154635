import FirnImage

/// A key that carries 64 well-mixed bits of itself.
protocol HashedKey: Equatable {
    /// Equal for equal keys.
    var bits: UInt64 { get }
}

extension ImageCacheKey: HashedKey {
    var bits: UInt64 { UInt64(bitPattern: Int64(number)) }
}

extension EntryID: HashedKey {
    var bits: UInt64 { low }
}
