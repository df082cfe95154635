import FirnImage

/// The header of a stored pyramid.
struct PyramidHeader: Hashable {
    var key: String
    var source: PyramidSource
    var isOpaque: Bool
    /// When it was stored, in nanoseconds since 1970.
    var created: Int64
    /// XXH64 of each tile, in the order of ``/FirnImage/PyramidShape``.
    var tileHashes: [UInt64]
    /// Offset of the first tile.
    var length = 0
}
