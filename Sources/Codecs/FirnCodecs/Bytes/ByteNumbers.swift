import FoundationEssentials

// Whole numbers as files store them.

extension RandomAccessCollection<UInt8> where Index == Int {
    /// Returns an unsigned number of `size` bytes (1 to 7), most significant byte first. Traps unless all of them, from
    /// the `offset`th on, are there.
    func big(_ offset: Int, _ size: Int) -> Int { part(offset, size).reduce(0) { $0 << 8 | Int($1) } }

    /// Returns an unsigned number of `size` bytes (1 to 7), least significant byte first. Traps unless all of them,
    /// from the `offset`th on, are there.
    func little(_ offset: Int, _ size: Int) -> Int { part(offset, size).reversed().reduce(0) { $0 << 8 | Int($1) } }

    private func part(_ offset: Int, _ size: Int) -> SubSequence {
        self[startIndex + offset..<startIndex + offset + size]
    }
}

extension FixedWidthInteger {
    /// Returns the lowest `count` bytes, most significant byte first.
    func bigEndianBytes(_ count: Int) -> [UInt8] { littleEndianBytes(count).reversed() }

    /// Returns the lowest `count` bytes, least significant byte first.
    func littleEndianBytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
    }
}

/// The name of a chunk or box: four bytes, which are letters in valid files.
struct FourCharacterCode: Hashable, ExpressibleByStringLiteral {
    /// The four bytes as a number, the first one most significant.
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    init(stringLiteral text: String) { rawValue = text.utf8.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }

    /// The four bytes.
    var bytes: [UInt8] { rawValue.bigEndianBytes(4) }
}

extension ByteChain {
    /// Returns the four-character code at `offset`; `nil` if some of its bytes have not been received.
    func code(at offset: Int) -> FourCharacterCode? {
        big(offset, 4).map { FourCharacterCode(rawValue: UInt32(truncatingIfNeeded: $0)) }
    }

    /// Returns an unsigned number of `size` bytes (1 to 8), most significant byte first, at most `Int.max`; `nil` if
    /// some have not been received.
    func big(_ offset: Int, _ size: Int) -> Int? { number(bytes(at: offset, count: size)) }

    /// Returns an unsigned number of `size` bytes (1 to 8), least significant byte first, at most `Int.max`; `nil` if
    /// some have not been received.
    func little(_ offset: Int, _ size: Int) -> Int? { number(bytes(at: offset, count: size)?.reversed()) }

    private func number(_ bytes: (some Sequence<UInt8>)?) -> Int? {
        bytes.map { Int(clamping: $0.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }) }
    }

    /// Returns `result`: more bytes are needed.
    ///
    /// - Throws: ``/FirnImage/ImageDecodingError/Fault/data`` with `message` if the file has ended.
    func waiting<Result>(_ result: Result = (), else message: String) throws(ImageDecodingError) -> Result {
        if isFinished { throw ImageDecodingError(.data, message) }
        return result
    }
}
