import FoundationEssentials

/// The name of a chunk: four bytes that are letters in sound files.
struct FourCharacterCode: Hashable, ExpressibleByStringLiteral {
    /// The bytes, the first one most significant.
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    init(stringLiteral text: String) { rawValue = text.utf8.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }

    /// The four bytes.
    var bytes: [UInt8] { (0..<4).reversed().map { UInt8(truncatingIfNeeded: rawValue >> ($0 * 8)) } }
}

extension ByteChain {
    /// A chunk's name; `nil` where it has not all come.
    func code(at offset: Int) -> FourCharacterCode? {
        bigEndian(at: offset, size: 4).map { FourCharacterCode(rawValue: UInt32(truncatingIfNeeded: $0)) }
    }

    /// An unsigned number of `size` bytes (1 to 4), first byte most significant.
    func big(_ offset: Int, _ size: Int) -> Int? { bigEndian(at: offset, size: size).map { Int(clamping: $0) } }

    /// An unsigned number of `size` bytes (1 to 4), first byte least significant.
    func little(_ offset: Int, _ size: Int) -> Int? { littleEndian(at: offset, size: size).map { Int(clamping: $0) } }
}
