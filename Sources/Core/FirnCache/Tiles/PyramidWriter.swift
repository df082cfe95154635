import FirnImage

/// Writes a pyramid to a bitmap store. Not for concurrent use.
///
/// The file has no name before ``finish(isOpaque:index:)``: no lookup finds it, and a writer that dies leaves nothing.
package final class PyramidWriter {
    private let store: BitmapStore
    private let shape: PyramidShape
    private let file: any NewFile
    private let temporary: String
    private var header: PyramidHeader
    /// The number of rows of tiles not yet written.
    private var missing: Int

    init(
        _ store: BitmapStore, _ header: PyramidHeader, _ shape: PyramidShape, _ file: any NewFile, temporary: String
    ) {
        self.store = store
        self.shape = shape
        self.file = file
        self.header = header
        self.temporary = temporary
        missing = shape.stored.reduce(0) { $0 + shape.rows($1) }
    }

    /// Writes a row of tiles, tile by tile. Rows may be written in any order, each once.
    package func write(_ band: UnsafeRawBufferPointer, level: Int, row: Int) throws(DataCachingError) {
        guard shape.stored.contains(level), row >= 0, row < shape.rows(level),
            band.count == shape.levels[level].width * shape.bandHeight(level, row) * 4
        else { throw DataCachingError("a row of tiles of another shape") }
        for column in 0..<shape.columns(level) {
            let start = shape.startInBand(level, column: column, row: row)
            let count = shape.tileSize(level, column: column, row: row).area * 4
            let tile = UnsafeRawBufferPointer(rebasing: band[start..<start + count])
            header.tileHashes[shape.number(level, column: column, row: row)] = XXH64.hash(tile)
        }
        do throws(DataFileError) {
            try file.write(band, at: header.length + shape.bandStart(level, row))
        } catch { throw DataCachingError(error) }
        missing -= 1
    }

    /// Completes the pyramid, which replaces an older one with the same key.
    ///
    /// - Parameter index: the index of the image's parts, of the length given at the start. Default: none.
    /// - Returns: the length of the file.
    package func finish(isOpaque: Bool, index: Data = Data()) throws(DataCachingError) -> Int {
        guard missing == 0 else { throw DataCachingError("a pyramid without \(missing) of its rows of tiles") }
        guard index.count == header.indexLength else { throw DataCachingError("an index of another length") }
        header.isOpaque = isOpaque
        header.indexHash = index.withUnsafeBytes { XXH64.hash($0) }
        header.created = store.now().nanoseconds
        let end = header.length + shape.byteCount
        let size = end + index.count
        do throws(DataFileError) {
            guard let head = PyramidFormat.encode(header) else {
                throw DataFileError("store", temporary, code: DataFileError.notRegular)
            }
            try write(index, at: end)
            try write(head, at: 0)
            try file.link(as: temporary)
            try store.publish(temporary, as: EntryID(key: header.key), size: size, at: header.created)
        } catch { throw DataCachingError(error) }
        return size
    }

    private func write(_ data: Data, at offset: Int) throws(DataFileError) {
        guard !data.isEmpty else { return }
        try data.withUnsafeBytes { bytes in
            Result { () throws(DataFileError) in try file.write(bytes, at: offset) }
        }.get()
    }
}
