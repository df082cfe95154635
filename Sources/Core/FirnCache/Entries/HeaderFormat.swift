/// The common header of all cache files: magic, version, flags and length, then the fields of the format, zeros, and
/// XXH64 of all bytes before it.
///
/// Source: Documentation/Formats/data-cache.md and Documentation/Formats/bitmap-store.md.
struct HeaderFormat {
    /// The number of bytes before the fields.
    private static let startLength = 12
    /// The number of bytes of the checksum.
    private static let sumLength = 8

    let magic: [UInt8]
    /// The supported versions. The last one is written.
    let versions: ClosedRange<UInt16>
    /// Header lengths are multiples of this.
    let unit: Int
    /// The minimum length of a header, without its checksum.
    let fixedLength: Int
    /// The maximum length of a header. Longer headers are neither written nor read.
    let maximumLength: Int

    /// Returns the length of a header whose fields end at `end`; `nil` if it is too long.
    func length(forFieldsEndingAt end: Int) -> Int? {
        let length = (end + HeaderFormat.sumLength + unit - 1) / unit * unit
        return length <= maximumLength ? length : nil
    }

    /// Returns the bytes before the fields.
    func start(flags: UInt16 = 0, length: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length)
        bytes += magic
        bytes.append(littleEndian: versions.upperBound, flags, UInt32(truncatingIfNeeded: length))
        return bytes
    }

    /// Returns a header of `length` bytes, with these bytes and the checksum.
    static func complete(_ bytes: inout [UInt8], to length: Int) -> Data {
        bytes += repeatElement(0, count: length - sumLength - bytes.count)
        bytes.append(littleEndian: bytes.withUnsafeBytes { XXH64.hash($0) })
        return Data(bytes)
    }

    /// Reads flags and length from the start of a file.
    func readStart(_ file: UnsafeRawBufferPointer) throws(EntryDamage) -> (flags: UInt16, length: Int) {
        var reader = ByteReader(file)
        guard let magic = reader.bytes(4), magic.elementsEqual(self.magic) else { throw .foreign }
        guard let version = reader.integer(UInt16.self), let flags = reader.integer(UInt16.self),
            let length = reader.integer(UInt32.self).map({ Int($0) })
        else { throw .foreign }
        guard versions.contains(version) else { throw .version(version) }
        guard let least = self.length(forFieldsEndingAt: fixedLength), length >= least, length <= maximumLength,
            length % unit == 0
        else { throw .header }
        return (flags, length)
    }

    /// Checks the header at the start of a file.
    ///
    /// - Returns: the flags, the length, and a reader of the fields.
    func read(
        _ file: UnsafeRawBufferPointer
    ) throws(EntryDamage) -> (flags: UInt16, length: Int, fields: ByteReader) {
        let (flags, length) = try readStart(file)
        guard file.count >= length else { throw .torn(expected: length, found: file.count) }
        let signed = UnsafeRawBufferPointer(rebasing: file[..<(length - HeaderFormat.sumLength)])
        var tail = ByteReader(UnsafeRawBufferPointer(rebasing: file[signed.count..<length]))
        guard tail.integer(UInt64.self) == XXH64.hash(signed) else { throw .header }
        return (flags, length, ByteReader(UnsafeRawBufferPointer(rebasing: signed[HeaderFormat.startLength...])))
    }
}

extension [UInt8] {
    /// Appends numbers in little-endian order.
    @inline(__always)
    mutating func append<each Number: FixedWidthInteger>(littleEndian numbers: repeat each Number) {
        for number in repeat each numbers {
            Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
        }
    }
}
