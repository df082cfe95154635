/// Reads the bits of a NAL unit's payload, most significant first, without the emulation prevention bytes.
///
/// - Source: ITU-T H.265 §7.3.1.1 (`emulation_prevention_three_byte`), §9.2 (Exp-Golomb codes).
struct HEVCBits {
    private let bytes: [UInt8]
    private var position = 0
    /// True if bits beyond the end, or a code that never ends, were to be read. All bits from there on are 0.
    private(set) var isDamaged = false

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

    /// Reads the next `count` bits (0 to 32).
    mutating func bits(_ count: Int) -> Int {
        guard !isDamaged, count <= bytes.count * 8 - position else {
            isDamaged = true
            return 0
        }
        var value = 0
        for _ in 0..<count {
            value = value << 1 | Int(bytes[position >> 3] >> (7 - UInt8(truncatingIfNeeded: position & 7)) & 1)
            position += 1
        }
        return value
    }

    /// Reads the next bit.
    mutating func flag() -> Bool { bits(1) == 1 }

    /// Skips `count` bits.
    mutating func skip(_ count: Int) {
        if count <= bytes.count * 8 - position { position += count } else { isDamaged = true }
    }

    /// Reads the next unsigned Exp-Golomb code, of at most 32 bits.
    mutating func golomb() -> Int {
        var zeros = 0
        while !isDamaged, !flag() {
            zeros += 1
            isDamaged = isDamaged || zeros > 32
        }
        let rest = bits(zeros)
        return isDamaged ? 0 : (1 << zeros) - 1 + rest
    }

    /// Skips `count` Exp-Golomb codes.
    mutating func skipCodes(_ count: Int) {
        for _ in 0..<count { _ = golomb() }
    }
}
