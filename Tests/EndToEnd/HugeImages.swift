import FoundationEssentials

/// Creates files of 100 megapixels without holding their pixels. The files are small because all pixels are equal.
enum HugeImages {
    static let side = 10_000

    // MARK: PNG

    /// Returns a black PNG, by default of 8 bits per sample.
    ///
    /// - Parameters:
    ///   - colorType: PNG's number: 0 gray, 2 RGB, 6 RGBA.
    ///   - depth: bits per sample.
    static func png(colorType: UInt8, depth: Int = 8) -> Data {
        let channels = [0: 1, 2: 3, 4: 2, 6: 4][colorType] ?? 1
        // Each row has a filter byte.
        let count = ((side * channels * depth + 7) / 8 + 1) * side
        var file = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        file += chunk("IHDR", big(side, 4) + big(side, 4) + [UInt8(depth), colorType, 0, 0, 0])
        file += chunk("IDAT", zeros(count))
        return file + chunk("IEND", [])
    }

    /// Returns a zlib stream of `count` zeros: one zero, and copies of it of 258 bytes, with deflate's fixed codes.
    ///
    /// - Source: RFC 1950; RFC 1951 §3.2.5 and §3.2.6.
    private static func zeros(_ count: Int) -> [UInt8] {
        var bits = BitWriter(bytes: [0x78, 0x01])
        // The last block, with fixed codes.
        bits.put(0b1, 1)
        bits.put(0b01, 2)
        let (copies, rest) = (count / 258, count % 258)
        // 0x30 is the code of zero. Codes start with their highest bit.
        for _ in 0..<(copies > 0 ? 1 : rest) { bits.putReversed(0x30, 8) }
        if copies > 0 {
            // The first zero and 257 more as literals; then 258 at once, at distance 1.
            for _ in 0..<257 { bits.putReversed(0x30, 8) }
            for _ in 1..<copies {
                bits.putReversed(0b1100_0101, 8)
                bits.putReversed(0, 5)
            }
            for _ in 0..<rest { bits.putReversed(0x30, 8) }
        }
        bits.putReversed(0, 7)
        bits.pad(0)
        // Adler-32: the low sum stays 1, the high sum counts the bytes.
        return bits.bytes + big(count % 65_521, 2) + big(1, 2)
    }

    // MARK: JPEG

    /// Returns a gray JPEG in which every block has the same code of two bits: baseline, or progressive with the same
    /// in two scans.
    static func jpeg(progressive: Bool) -> Data {
        func segment(_ code: UInt8, _ content: [UInt8]) -> [UInt8] {
            [0xFF, code] + big(content.count + 2, 2) + content
        }
        // A Huffman table with one code of one bit, for the value 0.
        let codes: [UInt8] = [1] + [UInt8](repeating: 0, count: 15) + [0]
        let blocks = ((side + 7) / 8) * ((side + 7) / 8)
        func coded(bits: Int) -> [UInt8] {
            [UInt8](repeating: 0, count: bits / 8) + (bits % 8 > 0 ? [0x7F >> (bits % 8 - 1)] : [])
        }
        var bytes: [UInt8] = [0xFF, 0xD8]
        bytes += segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        bytes += segment(progressive ? 0xC2 : 0xC0, [8] + big(side, 2) + big(side, 2) + [1, 1, 0x11, 0])
        bytes += segment(0xC4, [0x00] + codes) + segment(0xC4, [0x10] + codes)
        if progressive {
            bytes += segment(0xDA, [1, 1, 0, 0, 0, 0]) + coded(bits: blocks)
            bytes += segment(0xDA, [1, 1, 0, 1, 63, 0]) + coded(bits: blocks)
        } else {
            bytes += segment(0xDA, [1, 1, 0, 0, 63, 0]) + coded(bits: 2 * blocks)
        }
        return Data(bytes + [0xFF, 0xD9])
    }

    // MARK: Bytes

    private static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    private static func chunk(_ type: String, _ content: [UInt8]) -> Data {
        var sum = ~UInt32(0)
        let body = Array(type.utf8) + content
        for byte in body {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? (sum >> 1) ^ 0xEDB8_8320 : sum >> 1 }
        }
        return Data(big(content.count, 4) + body + big(Int(~sum), 4))
    }

    /// Writes bits, least significant first.
    private struct BitWriter {
        var bytes: [UInt8]
        private var current = 0
        private var count = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func put(_ value: Int, _ length: Int) {
            current |= value << count
            count += length
            while count >= 8 {
                bytes.append(UInt8(truncatingIfNeeded: current))
                current >>= 8
                count -= 8
            }
        }

        /// Writes a Huffman code, which starts with its highest bit.
        mutating func putReversed(_ code: Int, _ length: Int) {
            put((0..<length).reduce(0) { $0 << 1 | (code >> $1 & 1) }, length)
        }

        mutating func pad(_ value: Int) {
            if count > 0 { put(value, 8 - count) }
        }
    }
}
