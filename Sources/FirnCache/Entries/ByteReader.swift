/// Reads numbers and strings from the front of bytes, never past their end.
struct ByteReader {
    private var rest: UnsafeRawBufferPointer.SubSequence

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes[...] }

    /// Returns the next `count` bytes; `nil`, without consuming any, if there are fewer.
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
