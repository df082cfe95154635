import FoundationEssentials

/// The numbers of a header that has come as a whole, least significant byte first. Beyond its end they are 0.
struct LittleEndianFields {
    private let bytes: [UInt8]

    init(_ bytes: Data) { self.bytes = Array(bytes) }

    /// Two bytes, unsigned.
    func u16(_ offset: Int) -> Int {
        guard offset >= 0, offset + 2 <= bytes.count else { return 0 }
        return Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
    }

    /// Four bytes, unsigned.
    func u32(_ offset: Int) -> Int { u16(offset) | u16(offset + 2) << 16 }

    /// Four bytes, signed.
    func i32(_ offset: Int) -> Int { Int(Int32(truncatingIfNeeded: u32(offset))) }
}
