/// Packs codes into bytes, the lowest bits first, as GIF stores them.
struct CodePacker {
    private var packed: [UInt8] = []
    private var bits = 0
    private var filled = 0

    /// Adds a code of `width` bits.
    mutating func add(_ code: Int, width: Int) {
        bits |= code << filled
        filled += width
        while filled >= 8 {
            packed.append(UInt8(bits & 255))
            bits >>= 8
            filled -= 8
        }
    }

    /// The bytes; the last one is filled with zeros.
    var bytes: [UInt8] { filled > 0 ? packed + [UInt8(bits & 255)] : packed }
}

/// The parts of GIF files that the test writers share.
enum GIFBlocks {
    /// Returns numbers of 16 bits.
    static func little(_ values: Int...) -> [UInt8] {
        values.flatMap { [UInt8($0 & 255), UInt8(($0 >> 8) & 255)] }
    }

    /// Returns data in blocks of at most 255 bytes, ended by an empty one.
    static func blocks(_ data: [UInt8]) -> [UInt8] {
        stride(from: 0, to: data.count, by: 255).flatMap { start in
            let block = data[start..<min(start + 255, data.count)]
            return [UInt8(block.count)] + block
        } + [0]
    }
}
