import FoundationEssentials

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
        bigEndian(at: offset, size: 4).map { FourCharacterCode(rawValue: UInt32(truncatingIfNeeded: $0)) }
    }

    /// Returns an unsigned number of `size` bytes (1 to 4), most significant byte first.
    func big(_ offset: Int, _ size: Int) -> Int? { bigEndian(at: offset, size: size).map { Int(clamping: $0) } }

    /// Returns an unsigned number of `size` bytes (1 to 4), least significant byte first.
    func little(_ offset: Int, _ size: Int) -> Int? { littleEndian(at: offset, size: size).map { Int(clamping: $0) } }
}
