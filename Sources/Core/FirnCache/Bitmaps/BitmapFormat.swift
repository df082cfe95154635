import FirnImage

/// The file format of a stored bitmap: a header that fills whole pages, then the pixels as laid out in memory.
///
/// Source: Documentation/Formats/bitmap-store.md.
enum BitmapFormat {
    static let version: UInt16 = 1
    static let fixedLength = 104
    static let maximumHeader = 1 << 20
    /// The alignment of the pixels in the file.
    static let page = 4096

    private static let paged = HeaderFormat(
        magic: Array("FIRB".utf8), versions: version...version, unit: page, fixedLength: fixedLength,
        maximumLength: maximumHeader)

    private static let opaque: UInt16 = 1
    private static let sized: UInt16 = 2
    private static let versioned: UInt16 = 4
    private static let vector: UInt16 = 8
    private static let changed: UInt16 = 16
    /// The number of bytes for the exact size of a vector image.
    private static let vectorLength = 16
    /// The number of bytes for the time of a file's last change.
    private static let changedLength = 8

    /// Ordered by their numbers in the file.
    private static let formats: [PixelFormat] = [
        .bgra8Premultiplied, .rgba8Straight, .rgb8, .rgba16Straight, .rgbaHalfPremultiplied,
    ]

    /// Encodes a header; returns `nil` if key and profile are too long or a number is out of range.
    static func encode(_ header: BitmapHeader) -> Data? {
        guard let width = UInt32(exactly: header.size.width), let height = UInt32(exactly: header.size.height),
            let bytesPerRow = UInt32(exactly: header.bytesPerRow), let body = header.bodyLength,
            let format = formats.firstIndex(of: header.format),
            let keyLength = UInt32(exactly: header.key.utf8.count),
            let profileLength = UInt32(exactly: header.profile.count),
            let sourceLength = UInt32(exactly: header.source.utf8.count)
        else { return nil }
        let end =
            fixedLength + header.key.utf8.count + header.source.utf8.count + header.profile.count
            + (header.vectorSize == nil ? 0 : vectorLength) + (header.changed == nil ? 0 : changedLength)
        guard let length = paged.length(forFieldsEndingAt: end) else { return nil }
        var flags: UInt16 = header.isOpaque ? opaque : 0
        if header.originalSize != nil { flags |= sized }
        if header.version != nil { flags |= versioned }
        if header.vectorSize != nil { flags |= vector }
        if header.changed != nil { flags |= changed }
        var bytes = paged.start(flags: flags, length: length)
        let original = header.originalSize ?? PixelSize(width: 0, height: 0)
        let version = header.version
        bytes.append(
            littleEndian: keyLength, width, height, bytesPerRow, UInt32(format + 1),
            UInt32(truncatingIfNeeded: original.width), UInt32(truncatingIfNeeded: original.height), header.created,
            UInt64(clamping: version?.size ?? 0), version?.modified ?? 0, version?.inode ?? 0, UInt64(body),
            header.bodyHash, profileLength, sourceLength, header.freshUntil == .max ? 0 : header.freshUntil)
        bytes += header.key.utf8
        bytes += header.source.utf8
        bytes += header.profile
        if let size = header.vectorSize {
            bytes.append(littleEndian: size.width.bitPattern, size.height.bitPattern)
        }
        if let time = header.changed { bytes.append(littleEndian: time) }
        return HeaderFormat.complete(&bytes, to: length)
    }

    /// Reads and checks the header of a whole file and the file's length.
    static func decode(_ file: UnsafeRawBufferPointer) throws(EntryDamage) -> BitmapHeader {
        let (flags, length, start) = try paged.read(file)
        var fields = start
        guard var header = parse(&fields, flags), let body = header.bodyLength else { throw .header }
        header.length = length
        guard file.count - length == body else { throw .torn(expected: length + body, found: file.count) }
        return header
    }

    private static func parse(_ reader: inout ByteReader, _ flags: UInt16) -> BitmapHeader? {
        guard let keyLength = reader.integer(UInt32.self),
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
        var header = BitmapHeader(
            key: key, size: size, format: format, bytesPerRow: Int(bytesPerRow), isOpaque: flags & opaque != 0,
            profile: Data(profile), source: source, originalSize: flags & sized != 0 ? original : nil,
            version: flags & versioned != 0
                ? SourceVersion(size: Int(clamping: fileSize), modified: modified, inode: inode) : nil,
            created: created, freshUntil: fresh == 0 ? .max : fresh, bodyHash: bodyHash)
        if flags & vector != 0 {
            guard let width = reader.integer(UInt64.self), let height = reader.integer(UInt64.self) else { return nil }
            header.vectorSize = VectorSize(width: Double(bitPattern: width), height: Double(bitPattern: height))
        }
        if flags & changed != 0 {
            guard let time = reader.integer(Int64.self) else { return nil }
            header.version?.changed = time
        }
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
}

/// The header of a stored bitmap.
struct BitmapHeader: Hashable {
    var key: String
    var size: PixelSize
    var format: PixelFormat
    var bytesPerRow: Int
    var isOpaque: Bool
    /// The ICC profile of the pixels; empty for sRGB.
    var profile = Data()
    /// The format of the decoded file; empty if unknown.
    var source = ""
    var originalSize: PixelSize?
    /// The exact size of a vector image.
    var vectorSize: VectorSize?
    var version: SourceVersion?
    /// The time when the bitmap was stored, in nanoseconds since 1970.
    var created: Int64
    /// The time until which the image may be used without revalidation, in nanoseconds since 1970; `Int64.max` for
    /// always.
    var freshUntil = Int64.max
    /// XXH64 of the pixels.
    var bodyHash: UInt64
    /// Offset of the pixels.
    var length = 0

    /// The time of the file's last change; `nil` if unknown.
    var changed: Int64? { version.flatMap { $0.changed == 0 ? nil : $0.changed } }

    /// The length of the pixels in bytes; `nil` on overflow.
    var bodyLength: Int? {
        let (count, overflow) = bytesPerRow.multipliedReportingOverflow(by: size.height)
        return overflow ? nil : count
    }
}
