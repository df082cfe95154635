package import FirnImage

/// A complete pyramid of a bitmap store, backed by its mapped or open file: the levels of a large image as tiles, and
/// an index for levels without tiles. All calls block on the disk.
package struct StoredPyramid: Sendable {
    /// The bytes of the file.
    enum Content: Sendable {
        case mapped(MappedFile)
        case open(OpenedFile)

        var status: FileStatus {
            switch self {
            case .mapped(let file): file.status
            case .open(let file): file.status
            }
        }

        /// Calls `body` with a part of the file.
        ///
        /// - Returns: `nil` if the part exceeds the file.
        func withBytes<Result>(at offset: Int, count: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
            switch self {
            case .mapped(let file):
                return file.withUnsafeBytes { bytes in
                    guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else {
                        return nil
                    }
                    return body(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
                }
            case .open(let file):
                guard let data = try? file.read(at: offset, count: count), data.count == count else { return nil }
                return data.withUnsafeBytes { body($0) }
            }
        }
    }

    let header: PyramidHeader
    /// The levels and tiles.
    package let shape: PyramidShape
    let content: Content
    let store: BitmapStore
    let id: EntryID

    /// The source that the tiles were built from.
    package var source: PyramidSource { header.source }
    /// True if every pixel is opaque.
    package var isOpaque: Bool { header.isOpaque }

    /// The index used to decode the levels without tiles from the image's file; `nil` if there is none or it is
    /// damaged.
    package var partIndex: Data? {
        guard shape.firstLevel > 0 else { return nil }
        let index = content.withBytes(at: header.length + shape.byteCount, count: header.indexLength) { bytes in
            XXH64.hash(bytes) == header.indexHash ? Data(bytes) : nil
        }
        if index == .some(nil) { store.discard(id, content.status, counting: true) }
        return index ?? nil
    }

    /// Returns a part of a level as stored, in the layout `bgra8Premultiplied`. Verifies the checksums of the tiles.
    ///
    /// - Returns: `nil` if the part is empty or outside the level, if the level has no tiles, if memory is exhausted,
    ///   or if a tile is damaged or unreadable. A damaged pyramid is removed.
    package func part(of level: Int, columns: Range<Int>, rows: Range<Int>) -> Bitmap? {
        guard shape.stored.contains(level), !columns.isEmpty, !rows.isEmpty, columns.lowerBound >= 0,
            rows.lowerBound >= 0, columns.upperBound <= shape.levels[level].width,
            rows.upperBound <= shape.levels[level].height,
            let builder = try? BitmapBuilder(
                size: PixelSize(width: columns.count, height: rows.count), format: .bgra8Premultiplied, zeroed: false)
        else { return nil }
        let side = PyramidShape.side
        for row in rows.lowerBound / side...(rows.upperBound - 1) / side {
            for column in columns.lowerBound / side...(columns.upperBound - 1) / side {
                let size = shape.tileSize(level, column: column, row: row)
                let wanted = (
                    columns.clamped(to: column * side..<column * side + size.width),
                    rows.clamped(to: row * side..<row * side + size.height)
                )
                let start =
                    header.length + shape.bandStart(level, row) + shape.startInBand(level, column: column, row: row)
                let hash = header.tileHashes[shape.number(level, column: column, row: row)]
                let isIntact = content.withBytes(at: start, count: size.area * 4) { tile -> Bool in
                    guard XXH64.hash(tile) == hash, let base = tile.baseAddress else { return false }
                    builder.withPixels { pixels in
                        for y in wanted.1 {
                            let from = ((y - row * side) * size.width + wanted.0.lowerBound - column * side) * 4
                            (pixels.row(y - rows.lowerBound) + (wanted.0.lowerBound - columns.lowerBound) * 4)
                                .copyMemory(from: base + from, byteCount: wanted.0.count * 4)
                        }
                    }
                    return true
                }
                guard isIntact == true else {
                    if isIntact == false { store.discard(id, content.status, counting: true) }
                    return nil
                }
            }
        }
        return builder.finish(isOpaque: header.isOpaque)
    }
}
