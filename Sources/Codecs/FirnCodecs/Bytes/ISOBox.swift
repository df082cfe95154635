import FoundationEssentials

/// The type and the range of a box in an ISO base media file.
///
/// Invariant: `content` lies inside the range that was searched, whatever length the box declares.
/// - Source: ISO/IEC 14496-12 §4.2.
struct ISOBox {
    let type: FourCharacterCode
    /// The range of the content, after the box's header.
    let content: Range<Int>

    /// The offset of the type's four bytes.
    let typeOffset: Int

    /// The range of the box with its header.
    var whole: Range<Int> { typeOffset - 4..<content.upperBound }

    /// The most boxes of a range.
    private static let most = 4096
    /// The most bytes of a box that is read as a whole. A table of 65,536 samples has 512 KiB.
    private static let longest = 16 << 20

    /// Returns the boxes in a range of the file, in order; stops at the first one without a valid length.
    static func boxes(in range: Range<Int>, of chain: ByteChain) -> [ISOBox] {
        var boxes: [ISOBox] = []
        var offset = range.lowerBound
        let end = min(range.upperBound, chain.count)
        while boxes.count < most, offset < end, end - offset >= 8 {
            guard let length = chain.big(offset, 4), let type = chain.code(at: offset + 4) else { break }
            var header = 8
            var size = length
            if length == 1 {
                guard end - offset >= 16, let long = chain.big(offset + 8, 8) else { break }
                header = 16
                size = long
            } else if length == 0 {
                size = end - offset
            }
            guard size >= header else { break }
            // A truncated box extends to the last byte.
            let next = offset + min(size, end - offset)
            boxes.append(
                ISOBox(type: type, content: offset + header..<max(offset + header, next), typeOffset: offset + 4))
            offset = next
        }
        return boxes
    }

    /// Returns a box.
    static func box(_ type: FourCharacterCode, _ content: some Collection<UInt8>) -> Data {
        Data(header(type, content.count)) + content
    }

    /// Returns the header of a box with a content of `count` bytes.
    static func header(_ type: FourCharacterCode, _ count: Int) -> [UInt8] {
        let isShort = count < Int(UInt32.max) - 8
        return (isShort ? count + 8 : 1).bigEndianBytes(4) + type.bytes
            + (isShort ? [] : (count + 16).bigEndianBytes(8))
    }

    /// Returns the boxes inside this one, after `skipped` bytes of fields.
    func children(of chain: ByteChain, after skipped: Int = 0) -> [ISOBox] {
        guard content.count >= skipped else { return [] }
        return ISOBox.boxes(in: content.lowerBound + skipped..<content.upperBound, of: chain)
    }

    /// Returns the box's fields; `nil` if some bytes have not arrived, or the box is too long.
    func fields(of chain: ByteChain) -> ISOFields? {
        guard content.count <= ISOBox.longest else { return nil }
        return chain.bytes(content).map { ISOFields([UInt8]($0), chain.watch) }
    }
}

extension [ISOBox] {
    /// Returns the first box of a type.
    func first(_ type: FourCharacterCode) -> ISOBox? { first { $0.type == type } }

    /// Returns the fields of the first full box of a type, behind the version and the flags.
    func table(_ type: FourCharacterCode, of chain: ByteChain) -> ISOFields? {
        guard var fields = first(type)?.fields(of: chain), fields.versionAndFlags() != nil else { return nil }
        return fields
    }

    /// Returns the units per second that the header of a movie or of a track's media states; `nil` if they are 0.
    func timescale(_ type: FourCharacterCode, of chain: ByteChain) -> Int? {
        guard var fields = first(type)?.fields(of: chain), let head = fields.versionAndFlags() else { return nil }
        fields.skip(head.version == 1 ? 16 : 8)
        return fields.number(4).flatMap { $0 > 0 ? $0 : nil }
    }
}

/// Reads the fields of a box in order; numbers are big-endian.
///
/// Each field is a step of the file's ``DecodingWatch``. Once the watch has ended the call, no more are returned.
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

    /// The next byte, which stays unread.
    var next: UInt8? { rest > 0 ? bytes[offset] : nil }

    /// Skips `count` bytes, or all that remain.
    mutating func skip(_ count: Int) { offset += min(max(0, count), rest) }

    /// Reads the version and the flags at the start of a full box.
    mutating func versionAndFlags() -> (version: Int, flags: Int)? {
        number(4).map { ($0 >> 24, $0 & 0xFF_FFFF) }
    }
}
