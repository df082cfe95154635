/// Reads the bits of a NAL unit's payload, most significant first, without the emulation prevention bytes.
///
/// - Source: ITU-T H.265 §7.3.1.1 (`emulation_prevention_three_byte`), §9.2 (Exp-Golomb codes).
struct HEVCBits {
    private let bytes: [UInt8]
    private var position = 0

    /// Reads the payload after the unit's header of two bytes.
    init(unit: some Collection<UInt8>) {
        var bytes: [UInt8] = []
        var zeros = 0
        for byte in unit.dropFirst(2) {
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            bytes.append(byte)
        }
        self.bytes = bytes
    }

    /// Reads the next `count` bits (0 to 32); `nil` if there are fewer.
    mutating func bits(_ count: Int) -> Int? {
        guard count <= bytes.count * 8 - position else { return nil }
        var value = 0
        for _ in 0..<count {
            value = value << 1 | Int(bytes[position >> 3] >> (7 - UInt8(truncatingIfNeeded: position & 7)) & 1)
            position += 1
        }
        return value
    }

    /// Reads the next bit.
    mutating func flag() -> Bool? { bits(1).map { $0 == 1 } }

    /// Skips `count` bits.
    mutating func skip(_ count: Int) -> Void? {
        guard count >= 0, count <= bytes.count * 8 - position else { return nil }
        position += count
        return ()
    }

    /// Reads the next unsigned Exp-Golomb code, of at most 32 bits.
    mutating func golomb() -> Int? {
        var zeros = 0
        while let bit = bits(1) {
            if bit == 1 { return bits(zeros).map { (1 << zeros) - 1 + $0 } }
            zeros += 1
            guard zeros <= 32 else { return nil }
        }
        return nil
    }
}
