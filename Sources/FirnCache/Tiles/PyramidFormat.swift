import FirnImage
import FoundationEssentials

/// The file format of a stored pyramid: a header that fills whole pages, then the tiles.
///
/// Source: Documentation/Formats/bitmap-store.md.
enum PyramidFormat {
    static let version: UInt16 = 1
    static let magic = Array("FIRT".utf8)
    static let fixedLength = 96
    static let maximumHeader = 64 << 20

    private static let opaque: UInt16 = 1
    private static let versioned: UInt16 = 2

    /// Returns the length of the header of a pyramid; `nil` if its texts are too long.
    static func headerLength(key: String, source: PyramidSource, _ shape: PyramidShape) -> Int? {
        let texts = key.utf8.count + (source.format?.rawValue.utf8.count ?? 0) + source.validator.utf8.count
        guard texts < BitmapFormat.maximumHeader, shape.tileCount <= maximumHeader / 16 else { return nil }
        let used = fixedLength + texts + 8 * shape.tileCount + 8
        return (used + BitmapFormat.page - 1) / BitmapFormat.page * BitmapFormat.page
    }

    /// Encodes a header; returns `nil` if a number or a text does not fit.
    static func encode(_ header: PyramidHeader) -> Data? {
        guard let shape = PyramidShape(header.source.size), header.tileHashes.count == shape.tileCount,
            let length = headerLength(key: header.key, source: header.source, shape),
            let width = UInt32(exactly: header.source.size.width),
            let height = UInt32(exactly: header.source.size.height)
        else { return nil }
        let format = header.source.format?.rawValue ?? ""
        var flags: UInt16 = header.isOpaque ? opaque : 0
        if header.source.version != nil { flags |= versioned }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length)
        bytes += magic
        append(version, to: &bytes)
        append(flags, to: &bytes)
        append(UInt32(length), to: &bytes)
        append(UInt32(header.key.utf8.count), to: &bytes)
        append(width, to: &bytes)
        append(height, to: &bytes)
        append(UInt32(PyramidShape.side), to: &bytes)
        append(UInt32(header.source.orientation.rawValue), to: &bytes)
        append(header.created, to: &bytes)
        append(UInt64(clamping: header.source.version?.size ?? 0), to: &bytes)
        append(header.source.version?.modified ?? 0, to: &bytes)
        append(header.source.version?.inode ?? 0, to: &bytes)
        append(UInt64(shape.byteCount), to: &bytes)
        append(header.source.freshNanoseconds == .max ? 0 : header.source.freshNanoseconds, to: &bytes)
        append(UInt32(format.utf8.count), to: &bytes)
        append(UInt32(header.source.validator.utf8.count), to: &bytes)
        append(UInt32(shape.tileCount), to: &bytes)
        append(UInt32(0), to: &bytes)
        bytes += header.key.utf8
        bytes += format.utf8
        bytes += header.source.validator.utf8
        for hash in header.tileHashes { append(hash, to: &bytes) }
        bytes += repeatElement(0, count: length - 8 - bytes.count)
        append(bytes.withUnsafeBytes { XXH64.hash($0) }, to: &bytes)
        return Data(bytes)
    }

    /// Reads the length of a header from the first bytes of a file.
    static func length(_ head: UnsafeRawBufferPointer) throws(EntryDamage) -> Int {
        var start = ByteReader(head)
        guard let magic = start.bytes(4), magic.elementsEqual(PyramidFormat.magic) else { throw .foreign }
        guard let version = start.integer(UInt16.self), start.integer(UInt16.self) != nil,
            let length = start.integer(UInt32.self).map({ Int($0) })
        else { throw .foreign }
        guard version == PyramidFormat.version else { throw .version(version) }
        guard length >= BitmapFormat.page, length <= maximumHeader, length % BitmapFormat.page == 0 else {
            throw .header
        }
        return length
    }

    /// Reads and checks a header.
    ///
    /// - Parameters:
    ///   - head: at least the bytes of the header.
    ///   - fileLength: the length of the file.
    static func decode(_ head: UnsafeRawBufferPointer, fileLength: Int) throws(EntryDamage) -> PyramidHeader {
        let length = try length(head)
        guard head.count >= length else { throw .torn(expected: length, found: head.count) }
        let signed = UnsafeRawBufferPointer(rebasing: head[..<(length - 8)])
        var tail = ByteReader(UnsafeRawBufferPointer(rebasing: head[(length - 8)..<length]))
        guard tail.integer(UInt64.self) == XXH64.hash(signed) else { throw .header }
        var reader = ByteReader(signed)
        guard var header = parse(&reader), let shape = PyramidShape(header.source.size),
            header.tileHashes.count == shape.tileCount
        else { throw .header }
        header.length = length
        guard fileLength - length == shape.byteCount else {
            throw .torn(expected: length + shape.byteCount, found: fileLength)
        }
        return header
    }

    private static func parse(_ reader: inout ByteReader) -> PyramidHeader? {
        guard reader.bytes(6) != nil, let flags = reader.integer(UInt16.self), reader.bytes(4) != nil,
            let keyLength = reader.integer(UInt32.self), let width = reader.integer(UInt32.self),
            let height = reader.integer(UInt32.self), let side = reader.integer(UInt32.self),
            side == PyramidShape.side, let number = reader.integer(UInt32.self),
            let orientation = Orientation(rawValue: Int(number)), let created = reader.integer(Int64.self),
            let fileSize = reader.integer(UInt64.self), let modified = reader.integer(Int64.self),
            let inode = reader.integer(UInt64.self), reader.integer(UInt64.self) != nil,
            let fresh = reader.integer(Int64.self), let formatLength = reader.integer(UInt32.self),
            let validatorLength = reader.integer(UInt32.self), let count = reader.integer(UInt32.self),
            reader.integer(UInt32.self) != nil, let key = reader.string(keyLength),
            let format = reader.string(formatLength), let validator = reader.string(validatorLength),
            let hashes = reader.bytes(Int(count) * 8)
        else { return nil }
        var source = PyramidSource(
            size: PixelSize(width: Int(width), height: Int(height)), orientation: orientation,
            format: format.isEmpty ? nil : ImageFormat(rawValue: format),
            version: flags & versioned != 0
                ? SourceVersion(size: Int(clamping: fileSize), modified: modified, inode: inode) : nil,
            validator: validator)
        source.freshNanoseconds = fresh == 0 ? .max : fresh
        var numbers = ByteReader(UnsafeRawBufferPointer(rebasing: hashes))
        return PyramidHeader(
            key: key, source: source, isOpaque: flags & opaque != 0, created: created,
            tileHashes: (0..<count).map { _ in numbers.integer(UInt64.self) ?? 0 })
    }

    @inline(__always)
    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
}
