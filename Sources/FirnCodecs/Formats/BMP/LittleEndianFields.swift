import FoundationEssentials

/// Reads little-endian numbers of a complete header. Beyond its end, numbers are 0.
struct LittleEndianFields {
    private let bytes: [UInt8]

    init(_ bytes: Data) { self.bytes = Array(bytes) }

    /// Reads two bytes, unsigned.
    func u16(_ offset: Int) -> Int {
        guard offset >= 0, offset + 2 <= bytes.count else { return 0 }
        return Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
    }

    /// Reads four bytes, unsigned.
    func u32(_ offset: Int) -> Int { u16(offset) | u16(offset + 2) << 16 }

    /// Reads four bytes, signed.
    func i32(_ offset: Int) -> Int { Int(Int32(truncatingIfNeeded: u32(offset))) }
}
