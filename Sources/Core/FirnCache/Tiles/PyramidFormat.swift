import FirnImage
import FirnSync

/// The file format of a stored pyramid: a header that fills whole pages, then the tiles and the index.
///
/// Source: Documentation/Formats/bitmap-store.md.
enum PyramidFormat {
    static let fixedLength = 128
    static let maximumHeader = 64 << 20
    static let paged = HeaderFormat(
        magic: Array("FIRT".utf8), versions: 3...3, unit: BitmapFormat.page, fixedLength: fixedLength,
        maximumLength: maximumHeader)

    private static let opaque: UInt16 = 1
    private static let versioned: UInt16 = 2

    /// Returns the header length of a pyramid; `nil` if its texts are too long.
    static func headerLength(key: String, source: PyramidSource, _ shape: PyramidShape) -> Int? {
        let texts = key.utf8.count + (source.format?.rawValue.utf8.count ?? 0) + source.validator.utf8.count
        guard texts < BitmapFormat.maximumHeader, shape.tileCount <= maximumHeader / 16 else { return nil }
        return paged.length(forFieldsEndingAt: fixedLength + texts + 8 * shape.tileCount)
    }

    /// Encodes a header; returns `nil` if a number or text does not fit.
    static func encode(_ header: PyramidHeader) -> Data? {
        guard let shape = header.shape, header.tileHashes.count == shape.tileCount,
            let length = headerLength(key: header.key, source: header.source, shape),
            let width = UInt32(exactly: header.source.size.width),
            let height = UInt32(exactly: header.source.size.height)
        else { return nil }
        let format = header.source.format?.rawValue ?? ""
        var flags: UInt16 = header.isOpaque ? opaque : 0
        if header.source.version != nil { flags |= versioned }
        var bytes = paged.start(flags: flags, length: length)
        let (source, version) = (header.source, header.source.version)
        bytes.append(
            littleEndian: UInt32(header.key.utf8.count), width, height, UInt32(PyramidShape.side),
            UInt32(source.orientation.rawValue), header.created, UInt64(clamping: version?.size ?? 0),
            version?.modified ?? 0, version?.inode ?? 0, version?.changed ?? 0, source.digest,
            UInt64(shape.byteCount), source.freshNanoseconds == .max ? 0 : source.freshNanoseconds,
            UInt32(format.utf8.count), UInt32(source.validator.utf8.count), UInt32(shape.tileCount),
            UInt32(header.firstLevel), UInt64(header.indexLength), header.indexHash)
        bytes += header.key.utf8
        bytes += format.utf8
        bytes += header.source.validator.utf8
        for hash in header.tileHashes { bytes.append(littleEndian: hash) }
        return HeaderFormat.complete(&bytes, to: length)
    }

    /// Reads and checks a header.
    ///
    /// - Parameters:
    ///   - head: at least the header.
    ///   - fileLength: the length of the file.
    static func decode(_ head: UnsafeRawBufferPointer, fileLength: Int) throws(EntryDamage) -> PyramidHeader {
        let (flags, length, start) = try paged.read(head)
        var fields = start
        guard var header = parse(&fields, flags), let shape = header.shape,
            header.tileHashes.count == shape.tileCount
        else { throw .header }
        header.length = length
        let expected = (length + shape.byteCount).saturatingAdd(header.indexLength)
        guard fileLength == expected else { throw .torn(expected: expected, found: fileLength) }
        return header
    }

    private static func parse(_ reader: inout ByteReader, _ flags: UInt16) -> PyramidHeader? {
        guard let keyLength = reader.integer(UInt32.self), let width = reader.integer(UInt32.self),
            let height = reader.integer(UInt32.self), let side = reader.integer(UInt32.self),
            side == PyramidShape.side, let number = reader.integer(UInt32.self),
            let orientation = ImageOrientation(rawValue: Int(number)), let created = reader.integer(Int64.self),
            let fileSize = reader.integer(UInt64.self), let modified = reader.integer(Int64.self),
            let inode = reader.integer(UInt64.self), let changed = reader.integer(Int64.self),
            let digest = reader.integer(UInt64.self), reader.integer(UInt64.self) != nil,
            let fresh = reader.integer(Int64.self), let formatLength = reader.integer(UInt32.self),
            let validatorLength = reader.integer(UInt32.self), let count = reader.integer(UInt32.self),
            let firstLevel = reader.integer(UInt32.self), let indexLength = reader.integer(UInt64.self),
            let indexHash = reader.integer(UInt64.self), let key = reader.string(keyLength),
            let format = reader.string(formatLength), let validator = reader.string(validatorLength),
            let hashes = reader.bytes(Int(count) * 8)
        else { return nil }
        var source = PyramidSource(
            size: PixelSize(width: Int(width), height: Int(height)), orientation: orientation,
            format: format.isEmpty ? nil : ImageFormat(rawValue: format),
            version: flags & versioned != 0
                ? SourceVersion(size: Int(clamping: fileSize), modified: modified, changed: changed, inode: inode)
                : nil,
            validator: validator)
        source.digest = digest
        source.freshNanoseconds = fresh == 0 ? .max : fresh
        var numbers = ByteReader(UnsafeRawBufferPointer(rebasing: hashes))
        return PyramidHeader(
            key: key, source: source, isOpaque: flags & opaque != 0, created: created, firstLevel: Int(firstLevel),
            indexLength: Int(clamping: indexLength), indexHash: indexHash,
            tileHashes: (0..<count).map { _ in numbers.integer(UInt64.self) ?? 0 })
    }
}

/// The header of a stored pyramid.
struct PyramidHeader: Hashable {
    var key: String
    var source: PyramidSource
    var isOpaque: Bool
    /// The time when the pyramid was stored, in nanoseconds since 1970.
    var created: Int64
    /// The first level with tiles.
    var firstLevel: Int
    /// The length of the index, which follows the tiles, and its XXH64.
    var indexLength: Int
    var indexHash: UInt64 = XXH64.hash(UnsafeRawBufferPointer(start: nil, count: 0))
    /// XXH64 of each tile, in the order of ``/FirnImage/PyramidShape``.
    var tileHashes: [UInt64]
    /// Offset of the first tile.
    var length = 0

    /// The shape; `nil` if these numbers are invalid.
    var shape: PyramidShape? { PyramidShape(source.size, from: firstLevel) }
}
