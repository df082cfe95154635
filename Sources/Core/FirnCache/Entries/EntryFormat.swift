/// The file format of an entry.
///
/// Source: Documentation/Formats/data-cache.md. Numbers are little-endian.
///
///      0  magic "FIRN"             24  created, ns since 1970 (i64)
///      4  version (u16), 0 (u16)   32  body length (u64)
///      8  header length (u32)      40  body XXH64 (u64)
///     12  key length (u32)         48  key, then fields (u32 length and bytes, name and value),
///     16  number of fields (u32)       metadata likewise, sorted by name,
///     20  number of metadata (u32)     zeros up to the checksum,
///                                      XXH64 of all bytes before it (u64); body
enum EntryFormat {
    static let version: UInt16 = 2
    /// Length of the part before the key.
    static let fixedLength = 48
    /// Maximum bytes of a header. Longer headers are neither written nor read.
    static let maximumHeader = 1 << 20
    /// Version 1 had no metadata and a zero there.
    static let header = HeaderFormat(
        magic: Array("FIRN".utf8), versions: 1...version, unit: 8, fixedLength: fixedLength,
        maximumLength: maximumHeader)

    /// Encodes a header; returns `nil` if it would be longer than ``maximumHeader``.
    ///
    /// - Parameter least: the least length of the header. Default: as short as possible.
    static func encode(
        key: String, fields: HTTPHeaderFields, metadata: [String: String] = [:], created: Int64, body: Data,
        least: Int = 0
    ) -> Data? {
        var variable = fields.fields.reduce(key.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count + 8 }
        variable = metadata.reduce(variable) { $0 + $1.key.utf8.count + $1.value.utf8.count + 8 }
        guard let shortest = header.length(forFieldsEndingAt: fixedLength + variable) else { return nil }
        let length = max(shortest, least)
        var bytes = header.start(length: length)
        bytes.append(
            littleEndian: UInt32(key.utf8.count), UInt32(fields.fields.count), UInt32(metadata.count), created,
            UInt64(body.count), body.withUnsafeBytes { XXH64.hash($0) })
        bytes.append(contentsOf: key.utf8)
        for field in fields.fields { append(field.name, field.value, to: &bytes) }
        for (name, value) in metadata.sorted(by: { $0.key < $1.key }) { append(name, value, to: &bytes) }
        return HeaderFormat.complete(&bytes, to: length)
    }

    /// Returns the creation time in the first ``fixedLength`` bytes, unchecked; `nil` if they do not start an entry.
    static func created(_ bytes: UnsafeRawBufferPointer) -> Int64? {
        guard (try? header.readStart(bytes)) != nil else { return nil }
        var reader = ByteReader(bytes)
        return reader.bytes(24).flatMap { _ in reader.integer(Int64.self) }
    }

    /// Reads and checks a header.
    ///
    /// - Parameter bytes: the start of the file, with at least the whole header.
    static func decode(_ bytes: UnsafeRawBufferPointer) throws(EntryDamage) -> EntryHeader {
        let (_, length, start) = try header.read(bytes)
        var fields = start
        guard let header = parse(&fields, length: length) else { throw .header }
        return header
    }

    /// Reads and checks a whole file.
    static func check(_ bytes: UnsafeRawBufferPointer) throws(EntryDamage) -> EntryHeader {
        let header = try decode(bytes)
        guard bytes.count == header.fileLength else {
            throw .torn(expected: header.fileLength, found: bytes.count)
        }
        let body = UnsafeRawBufferPointer(rebasing: bytes[header.length...])
        guard XXH64.hash(body) == header.bodyHash else { throw .body }
        return header
    }

    private static func parse(_ reader: inout ByteReader, length: Int) -> EntryHeader? {
        guard let keyLength = reader.integer(UInt32.self), let fieldCount = reader.integer(UInt32.self),
            let metadataCount = reader.integer(UInt32.self), let created = reader.integer(Int64.self),
            let bodyLength = reader.integer(UInt64.self), bodyLength <= UInt64(Int.max - length),
            let bodyHash = reader.integer(UInt64.self), let key = reader.string(keyLength)
        else { return nil }
        var fields: [HTTPHeaderFields.Field] = []
        for _ in 0..<fieldCount {
            guard let name = reader.string(), let value = reader.string() else { return nil }
            fields.append(HTTPHeaderFields.Field(name: name, value: value))
        }
        var metadata: [String: String] = [:]
        for _ in 0..<metadataCount {
            guard let name = reader.string(), let value = reader.string() else { return nil }
            metadata[name] = value
        }
        return EntryHeader(
            key: key, fields: HTTPHeaderFields(fields), metadata: metadata, created: created, length: length,
            bodyLength: Int(bodyLength), bodyHash: bodyHash)
    }

    private static func append(_ name: String, _ value: String, to bytes: inout [UInt8]) {
        bytes.append(littleEndian: UInt32(name.utf8.count))
        bytes.append(contentsOf: name.utf8)
        bytes.append(littleEndian: UInt32(value.utf8.count))
        bytes.append(contentsOf: value.utf8)
    }
}

/// Reads numbers and strings from the start of bytes, never past their end.
struct ByteReader {
    private var rest: UnsafeRawBufferPointer.SubSequence

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes[...] }

    /// Returns the next `count` bytes; `nil`, without consuming any, if fewer are left.
    mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer.SubSequence? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// Returns the next little-endian number.
    mutating func integer<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type) -> Number? {
        guard let bytes = bytes(MemoryLayout<Number>.size) else { return nil }
        return Number(littleEndian: UnsafeRawBufferPointer(rebasing: bytes).loadUnaligned(as: Number.self))
    }

    /// Returns the next `length` bytes as UTF-8; `nil` if they are invalid.
    mutating func string(_ length: UInt32) -> String? {
        bytes(Int(length)).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Reads a length of 4 bytes and a string of that length.
    mutating func string() -> String? {
        integer(UInt32.self).flatMap { string($0) }
    }
}

/// The reason why a file is not an entry.
enum EntryDamage: Error, Hashable, CustomStringConvertible {
    case foreign
    case version(UInt16)
    case torn(expected: Int, found: Int)
    case header
    case body
    case misplaced

    /// The reason on one line.
    var description: String {
        switch self {
        case .foreign: "not a cache entry"
        case .version(let number): "written by format version \(number), which this program does not read"
        case .torn(let expected, let found): "torn: \(found) bytes where \(expected) were written"
        case .header: "its header does not match its checksum"
        case .body: "its body does not match its checksum"
        case .misplaced: "its key belongs to another file name"
        }
    }
}

/// The header of an entry's file.
struct EntryHeader: Hashable {
    var key: String
    var fields: HTTPHeaderFields
    var metadata: [String: String] = [:]
    /// The time when the entry was stored, in nanoseconds since 1970.
    var created: Int64
    /// Offset of the body.
    var length: Int
    var bodyLength: Int
    var bodyHash: UInt64

    /// Length of the file.
    var fileLength: Int { length + bodyLength }
}
