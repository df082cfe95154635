package import FoundationEssentials

/// A complete pyramid: the levels of a large image as tiles on disk, and an index for those without tiles.
///
/// All calls block on the disk.
package protocol StoredPyramid: Sendable {
    /// The source that the tiles were built from.
    var source: PyramidSource { get }
    /// The levels and tiles.
    var shape: PyramidShape { get }
    /// True if every pixel is opaque.
    var isOpaque: Bool { get }
    /// The index by which the levels without tiles are decoded from the image's file; `nil` if there is none, or it is
    /// damaged.
    var partIndex: Data? { get }

    /// Returns a part of a level, as stored, with the layout `bgra8Premultiplied`. Tiles are checked against their
    /// checksums.
    ///
    /// - Returns: `nil` if the part is empty or not inside the level, if the level has no tiles, if there is no memory,
    ///   or if a tile is damaged or cannot be read. A damaged pyramid is removed.
    func part(of level: Int, columns: Range<Int>, rows: Range<Int>) -> Bitmap?
}

/// A pyramid that is being written. Lookups do not find it before ``finish(isOpaque:index:)``.
///
/// One thread at a time uses it. If it is deallocated without ``finish(isOpaque:index:)``, nothing stays on disk.
package protocol PyramidWriting: AnyObject {
    /// Writes a row of tiles, tile by tile. Rows of tiles may be written in any order, each once.
    func write(_ band: UnsafeRawBufferPointer, level: Int, row: Int) throws(BitmapStoringError)

    /// Completes the pyramid, which replaces an older one of the same key.
    ///
    /// - Parameter index: of the image's parts, with as many bytes as was said at the beginning.
    /// - Returns: the bytes of its file.
    func finish(isOpaque: Bool, index: Data) throws(BitmapStoringError) -> Int
}

extension PyramidWriting {
    /// Completes a pyramid without an index.
    package func finish(isOpaque: Bool) throws(BitmapStoringError) -> Int {
        try finish(isOpaque: isOpaque, index: Data())
    }
}

extension BitmapStoring {
    /// Begins a pyramid of all levels.
    package func makePyramid(
        of source: PyramidSource, for key: ImageCacheKey
    ) throws(BitmapStoringError) -> any PyramidWriting {
        try makePyramid(of: source, from: 0, indexBytes: 0, for: key)
    }

    /// Returns `nil`: this store has no pyramids.
    package func pyramid(for key: ImageCacheKey) -> (any StoredPyramid)? { nil }

    /// Throws: this store has no pyramids.
    package func makePyramid(
        of source: PyramidSource, from firstLevel: Int, indexBytes: Int, for key: ImageCacheKey
    ) throws(BitmapStoringError) -> any PyramidWriting {
        throw BitmapStoringError("the bitmap store keeps no pyramids")
    }

    /// Returns 0: this store has no pyramids.
    package var largestPyramid: Int { 0 }
}
