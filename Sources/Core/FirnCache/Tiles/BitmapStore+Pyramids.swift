package import FirnImage
import FirnSync

// Pyramids of large images, in the same directory and under the same limits as bitmaps.
extension BitmapStore {
    /// The maximum length of a pyramid, with tiles and header.
    package var largestPyramid: Int { min(limits.pyramidBytes, limits.bytes) }

    /// Returns the pyramid for a key. Counts as a use of its file.
    ///
    /// The caller checks whether its source is unchanged (``PyramidSource``).
    ///
    /// - Returns: `nil` if there is none or it could not be read. An incomplete, damaged or expired file is removed,
    ///   and the result is `nil`.
    package func pyramid(for key: ImageCacheKey) -> StoredPyramid? {
        let id = EntryID(key: key.string)
        let path = tree.path(of: id)
        guard let content = opened(id, { (path) throws(DataFileError) in try openPyramid(path) }) else { return nil }
        let status = content.status
        var header: PyramidHeader
        do throws(EntryDamage) {
            header = try BitmapStore.header(content)
            guard header.key == key.string || EntryID(key: header.key) == id else { throw .misplaced }
        } catch {
            discard(id, status, counting: true)
            return nil
        }
        guard header.key == key.string, let shape = header.shape else { return nil }
        let moment = now().nanoseconds
        if let age = limits.age, header.created.isExpired(after: age.nanoseconds, at: moment) {
            discard(id, status, counting: false)
            return nil
        }
        if header.source.freshNanoseconds != .max, header.created.isFromFuture(at: moment) {
            header.source.freshNanoseconds = 0
        }
        noteUse(id, path, status, created: header.created, at: moment)
        return StoredPyramid(header: header, shape: shape, content: content, store: self, id: id)
    }

    /// Starts a pyramid, and evicts least recently used files until there is room. ``remove(_:)`` removes it once it is
    /// complete.
    ///
    /// - Parameters:
    ///   - firstLevel: the first level with tiles.
    ///   - indexBytes: the length of the index used to decode the levels before it from the image's file.
    /// - Throws: ``DataCachingError`` if it exceeds ``largestPyramid``, or the disk fails.
    package func makePyramid(
        of source: PyramidSource, from firstLevel: Int = 0, indexBytes: Int = 0, for key: ImageCacheKey
    ) throws(DataCachingError) -> PyramidWriter {
        guard let shape = PyramidShape(source.size, from: firstLevel),
            let length = PyramidFormat.headerLength(key: key.string, source: source, shape)
        else { throw DataCachingError("an image of \(source.size) pixels has no pyramid") }
        let size = (length + shape.byteCount).saturatingAdd(indexBytes)
        guard size <= largestPyramid else {
            let limit = limits.pyramidBytes < limits.bytes ? "pyramidBytes" : "bytes"
            throw DataCachingError(
                "the pyramid takes \(size) bytes; BitmapStoreLimits.\(limit) allows \(largestPyramid)")
        }
        let id = EntryID(key: key.string)
        let temporary = temporaries.next(in: tree.shard(of: id))
        do throws(DataFileError) {
            try tree.check()
            try tree.makeShard(of: id)
            // Order: a folder is checked once it exists.
            try tree.check()
            try prepareRoom(for: id, size: size, at: now().nanoseconds)
            let header = PyramidHeader(
                key: key.string, source: source, isOpaque: false, created: 0, firstLevel: firstLevel,
                indexLength: indexBytes, tileHashes: Array(repeating: 0, count: shape.tileCount), length: length)
            return PyramidWriter(self, header, shape, try fileSystem.makeFile(near: temporary), temporary: temporary)
        } catch { throw DataCachingError(error) }
    }

    private func openPyramid(_ path: String) throws(DataFileError) -> StoredPyramid.Content {
        limits.isMapped ? .mapped(try fileSystem.map(path)) : .open(try fileSystem.open(path))
    }

    private static func header(_ content: StoredPyramid.Content) throws(EntryDamage) -> PyramidHeader {
        let count = content.status.size
        // The first page states the length of the header.
        let first = content.withBytes(at: 0, count: min(BitmapFormat.page, count)) { page in
            Result { () throws(EntryDamage) in try PyramidFormat.paged.readStart(page).length }
        }
        guard let first else { throw .foreign }
        let length = min(try first.get(), count)
        let header = content.withBytes(at: 0, count: length) { head in
            Result { () throws(EntryDamage) in try PyramidFormat.decode(head, fileLength: count) }
        }
        guard let header else { throw .foreign }
        return try header.get()
    }

    /// Checks a whole file, either a bitmap or a pyramid.
    ///
    /// - Returns: the key, the length of the pixels, and the time when it was stored.
    static func check(
        _ file: UnsafeRawBufferPointer, withPixels: Bool
    ) throws(EntryDamage) -> (key: String, bodyBytes: Int, created: Int64) {
        guard file.starts(with: PyramidFormat.paged.magic) else {
            let header = try BitmapFormat.decode(file)
            if withPixels {
                let body = UnsafeRawBufferPointer(rebasing: file[header.length...])
                guard XXH64.hash(body) == header.bodyHash else { throw .body }
            }
            return (header.key, file.count - header.length, header.created)
        }
        let header = try PyramidFormat.decode(file, fileLength: file.count)
        guard let shape = header.shape else { throw .header }
        if withPixels {
            for level in shape.stored {
                for row in 0..<shape.rows(level) {
                    for column in 0..<shape.columns(level) {
                        let start =
                            header.length + shape.bandStart(level, row)
                            + shape.startInBand(level, column: column, row: row)
                        let count = shape.tileSize(level, column: column, row: row).area * 4
                        let tile = UnsafeRawBufferPointer(rebasing: file[start..<start + count])
                        guard XXH64.hash(tile) == header.tileHashes[shape.number(level, column: column, row: row)]
                        else { throw .body }
                    }
                }
            }
            let index = UnsafeRawBufferPointer(rebasing: file[(header.length + shape.byteCount)...])
            guard XXH64.hash(index) == header.indexHash else { throw .body }
        }
        return (header.key, file.count - header.length, header.created)
    }
}

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
