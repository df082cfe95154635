import FirnData

/// The end of the header of every cache file: zeros up to its length, and XXH64 of all bytes before the checksum.
enum HeaderChecksum {
    /// The bytes of the checksum.
    static let length = 8

    /// Completes the bytes of a header to `length` bytes, which hold them and the checksum.
    static func complete(_ bytes: inout [UInt8], to length: Int) {
        bytes += repeatElement(0, count: length - HeaderChecksum.length - bytes.count)
        bytes.append(littleEndian: bytes.withUnsafeBytes { XXH64.hash($0) })
    }

    /// Checks the header in the first `length` bytes of a file, which are more than those of the checksum.
    ///
    /// - Returns: the bytes before the checksum.
    static func check(_ file: UnsafeRawBufferPointer, length: Int) throws(EntryDamage) -> UnsafeRawBufferPointer {
        guard file.count >= length else { throw .torn(expected: length, found: file.count) }
        let signed = UnsafeRawBufferPointer(rebasing: file[..<(length - HeaderChecksum.length)])
        var tail = ByteReader(UnsafeRawBufferPointer(rebasing: file[signed.count..<length]))
        guard tail.integer(UInt64.self) == XXH64.hash(signed) else { throw .header }
        return signed
    }
}

extension [UInt8] {
    /// Appends the bytes of numbers, the lowest of each first.
    @inline(__always)
    mutating func append<each Number: FixedWidthInteger>(littleEndian numbers: repeat each Number) {
        for number in repeat each numbers {
            Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
        }
    }
}
