/// Reads the fields of a box in order; numbers are big-endian.
///
/// Each field is a step of the file's ``DecodingWatch``; there are none once that has ended the call.
struct ISOFields {
    private let bytes: [UInt8]
    private let watch: DecodingWatch
    private(set) var offset = 0

    init(_ bytes: [UInt8], _ watch: DecodingWatch) {
        self.bytes = bytes
        self.watch = watch
    }

    /// The number of unread bytes.
    var rest: Int { bytes.count - offset }

    /// Reads the next `size` bytes (1 to 8) as a number; returns `nil`, and reads nothing, if there are fewer.
    mutating func unsigned(_ size: Int) -> UInt64? {
        guard size <= rest, watch.count() else { return nil }
        var value: UInt64 = 0
        for index in offset..<offset + size { value = value << 8 | UInt64(bytes[index]) }
        offset += size
        return value
    }

    /// Reads the next `size` bytes (1 to 8) as a number, clamped to `Int.max`.
    mutating func number(_ size: Int) -> Int? { unsigned(size).map { Int(clamping: $0) } }

    /// Reads the next 4 or 8 bytes as a number in two's complement.
    mutating func signed(_ size: Int) -> Int? {
        unsigned(size).map { size == 4 ? Int(Int32(truncatingIfNeeded: $0)) : Int(truncatingIfNeeded: $0) }
    }

    /// Reads the four-character code of a box, a brand or a handler.
    mutating func code() -> FourCharacterCode? {
        unsigned(4).map { FourCharacterCode(rawValue: UInt32(truncatingIfNeeded: $0)) }
    }

    /// Reads the next `count` bytes; returns `nil`, and reads nothing, if there are fewer.
    mutating func take(_ count: Int) -> [UInt8]? {
        guard count >= 0, count <= rest, watch.count(1 + count >> 12) else { return nil }
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }

    /// Skips the next `count` bytes; returns `nil`, and skips nothing, if there are fewer.
    mutating func pass(_ count: Int) -> Void? {
        guard count >= 0, count <= rest, watch.count() else { return nil }
        offset += count
        return ()
    }

    /// The next byte, which is not read by that.
    var next: UInt8? { rest > 0 ? bytes[offset] : nil }

    /// Skips `count` bytes, or all that remain.
    mutating func skip(_ count: Int) { offset += min(max(0, count), rest) }

    /// Reads the version and the flags at the start of a full box.
    mutating func versionAndFlags() -> (version: Int, flags: Int)? {
        number(4).map { ($0 >> 24, $0 & 0xFF_FFFF) }
    }
}
