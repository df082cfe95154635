import FirnImage
import FoundationEssentials

/// The file format of a stored bitmap: a header that fills whole pages, then the pixels as in memory.
///
/// Source: Documentation/Formats/bitmap-store.md.
enum BitmapFormat {
    static let version: UInt16 = 1
    static let magic = Array("FIRB".utf8)
    /// The pixels start at a multiple of this.
    static let page = 4096
    static let fixedLength = 104
    static let maximumHeader = 1 << 20

    private static let opaque: UInt16 = 1
    private static let sized: UInt16 = 2
    private static let versioned: UInt16 = 4

    /// In the order of the numbers in the file.
    private static let formats: [PixelFormat] = [
        .bgra8Premultiplied, .rgba8Straight, .rgb8, .rgba16Straight, .rgbaHalfPremultiplied,
    ]

    /// Encodes a header; returns `nil` if key and profile are too long or a number does not fit.
    static func encode(_ header: BitmapHeader) -> Data? {
        guard let width = UInt32(exactly: header.size.width), let height = UInt32(exactly: header.size.height),
            let bytesPerRow = UInt32(exactly: header.bytesPerRow), let body = header.bodyLength,
            let format = formats.firstIndex(of: header.format),
            let keyLength = UInt32(exactly: header.key.utf8.count),
            let profileLength = UInt32(exactly: header.profile.count),
            let sourceLength = UInt32(exactly: header.source.utf8.count)
        else { return nil }
        let used = fixedLength + header.key.utf8.count + header.source.utf8.count + header.profile.count + 8
        let length = (used + page - 1) / page * page
        guard length <= maximumHeader else { return nil }
        var flags: UInt16 = header.isOpaque ? opaque : 0
        if header.originalSize != nil { flags |= sized }
        if header.version != nil { flags |= versioned }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length)
        bytes += magic
        append(version, to: &bytes)
        append(flags, to: &bytes)
        append(UInt32(length), to: &bytes)
        append(keyLength, to: &bytes)
        append(width, to: &bytes)
        append(height, to: &bytes)
        append(bytesPerRow, to: &bytes)
        append(UInt32(format + 1), to: &bytes)
        append(UInt32(truncatingIfNeeded: header.originalSize?.width ?? 0), to: &bytes)
        append(UInt32(truncatingIfNeeded: header.originalSize?.height ?? 0), to: &bytes)
        append(header.created, to: &bytes)
        append(UInt64(clamping: header.version?.size ?? 0), to: &bytes)
        append(header.version?.modified ?? 0, to: &bytes)
        append(header.version?.inode ?? 0, to: &bytes)
        append(UInt64(body), to: &bytes)
        append(header.bodyHash, to: &bytes)
        append(profileLength, to: &bytes)
        append(sourceLength, to: &bytes)
        append(header.freshUntil == .max ? 0 : header.freshUntil, to: &bytes)
        bytes += header.key.utf8
        bytes += header.source.utf8
        bytes += header.profile
        bytes += repeatElement(0, count: length - 8 - bytes.count)
        append(bytes.withUnsafeBytes { XXH64.hash($0) }, to: &bytes)
        return Data(bytes)
    }

    /// Reads and checks the header of a whole file, and the file's length.
    static func decode(_ file: UnsafeRawBufferPointer) throws(EntryDamage) -> BitmapHeader {
        var start = ByteReader(file)
        guard let magic = start.bytes(4), magic.elementsEqual(BitmapFormat.magic) else { throw .foreign }
        guard let version = start.integer(UInt16.self), let flags = start.integer(UInt16.self),
            let length = start.integer(UInt32.self).map({ Int($0) })
        else { throw .foreign }
        guard version == BitmapFormat.version else { throw .version(version) }
        guard length >= page, length <= maximumHeader, length % page == 0 else { throw .header }
        guard file.count >= length else { throw .torn(expected: length, found: file.count) }
        let signed = UnsafeRawBufferPointer(rebasing: file[..<(length - 8)])
        var tail = ByteReader(UnsafeRawBufferPointer(rebasing: file[(length - 8)..<length]))
        guard tail.integer(UInt64.self) == XXH64.hash(signed) else { throw .header }
        var reader = ByteReader(signed)
        guard var header = parse(&reader, flags), let body = header.bodyLength else { throw .header }
        header.length = length
        guard file.count - length == body else { throw .torn(expected: length + body, found: file.count) }
        return header
    }

    private static func parse(_ reader: inout ByteReader, _ flags: UInt16) -> BitmapHeader? {
        guard reader.bytes(12) != nil, let keyLength = reader.integer(UInt32.self),
            let size = pixelSize(&reader), let bytesPerRow = reader.integer(UInt32.self),
            let number = reader.integer(UInt32.self), number >= 1, number <= formats.count,
            let original = pixelSize(&reader), let created = reader.integer(Int64.self),
            let fileSize = reader.integer(UInt64.self), let modified = reader.integer(Int64.self),
            let inode = reader.integer(UInt64.self), let body = reader.integer(UInt64.self),
            let bodyHash = reader.integer(UInt64.self), let profileLength = reader.integer(UInt32.self),
            let sourceLength = reader.integer(UInt32.self), let fresh = reader.integer(Int64.self),
            let key = reader.string(keyLength), let source = reader.string(sourceLength),
            let profile = reader.bytes(Int(profileLength))
        else { return nil }
        let format = formats[Int(number) - 1]
        let header = BitmapHeader(
            key: key, size: size, format: format, bytesPerRow: Int(bytesPerRow), isOpaque: flags & opaque != 0,
            profile: Data(profile), source: source, originalSize: flags & sized != 0 ? original : nil,
            version: flags & versioned != 0
                ? SourceVersion(size: Int(clamping: fileSize), modified: modified, inode: inode) : nil,
            created: created, freshUntil: fresh == 0 ? .max : fresh, bodyHash: bodyHash)
        let (least, overflow) = size.width.multipliedReportingOverflow(by: format.bytesPerPixel)
        guard size.width > 0, size.height > 0, !overflow, Int(bytesPerRow) >= least,
            header.bodyLength.map({ UInt64($0) }) == body
        else { return nil }
        return header
    }

    private static func pixelSize(_ reader: inout ByteReader) -> PixelSize? {
        guard let width = reader.integer(UInt32.self), let height = reader.integer(UInt32.self) else { return nil }
        return PixelSize(width: Int(width), height: Int(height))
    }

    @inline(__always)
    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
}
