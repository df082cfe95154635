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
