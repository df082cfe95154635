/// The fields of a box, read one after the other; every number has its most significant byte first.
struct ISOFields {
    private let bytes: [UInt8]
    private(set) var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Bytes that are not read yet.
    var rest: Int { bytes.count - offset }

    /// The next `size` bytes (1 to 8) as a number; `nil`, and nothing is read, if there are fewer.
    mutating func unsigned(_ size: Int) -> UInt64? {
        guard size <= rest else { return nil }
        var value: UInt64 = 0
        for index in offset..<offset + size { value = value << 8 | UInt64(bytes[index]) }
        offset += size
        return value
    }

    /// The next `size` bytes (1 to 8) as a number that is cut to `Int.max`.
    mutating func number(_ size: Int) -> Int? { unsigned(size).map { Int(clamping: $0) } }

    /// The next 2, 4 or 8 bytes as a number in two's complement.
    mutating func signed(_ size: Int) -> Int? {
        guard let value = unsigned(size) else { return nil }
        switch size {
        case 2: return Int(Int16(truncatingIfNeeded: value))
        case 4: return Int(Int32(truncatingIfNeeded: value))
        default: return Int(Int64(truncatingIfNeeded: value))
        }
    }

    /// The name of a box, a brand, a handler.
    mutating func code() -> FourCharacterCode? {
        unsigned(4).map { FourCharacterCode(rawValue: UInt32(truncatingIfNeeded: $0)) }
    }

    /// The next `count` bytes; `nil`, and nothing is read, if there are fewer.
    mutating func take(_ count: Int) -> [UInt8]? {
        guard count >= 0, count <= rest else { return nil }
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }

    /// Leaves out `count` bytes, or all that are left.
    mutating func skip(_ count: Int) { offset += min(max(0, count), rest) }

    /// The version and the flags that begin a full box.
    mutating func versionAndFlags() -> (version: Int, flags: Int)? {
        number(4).map { ($0 >> 24, $0 & 0xFF_FFFF) }
    }
}
