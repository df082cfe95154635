import FoundationEssentials

/// Writes PNG files chunk by chunk, so that tests can write wrong ones too. Pixels are stored, not compressed.
struct HandmadePNG {
    var width: Int
    var height: Int
    var depth = 8
    /// PNG's number: 0 grey, 2 RGB, 3 indexed, 4 grey and alpha, 6 RGBA.
    var colorType: Int
    /// Rows as stored, without the filter byte.
    var rows: [[UInt8]]
    /// Chunks between the header and the pixels.
    var before: [(String, [UInt8])] = []
    /// Chunks behind the pixels.
    var behind: [(String, [UInt8])] = []
    /// The chunk whose checksum is wrong.
    var damaged: String?

    var data: Data {
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        var header = HandmadePNG.big(width, 4) + HandmadePNG.big(height, 4)
        header += [UInt8(depth), UInt8(colorType), 0, 0, 0]
        bytes += chunk("IHDR", header)
        for (type, content) in before { bytes += chunk(type, content) }
        bytes += chunk("IDAT", HandmadePNG.stored(rows.flatMap { [0] + $0 }))
        for (type, content) in behind { bytes += chunk(type, content) }
        return Data(bytes + chunk("IEND", []))
    }

    private func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let body: [UInt8] = Array(type.utf8) + content
        let sum = Int(HandmadePNG.crc(body)) ^ (type == damaged ? 1 : 0)
        return HandmadePNG.big(content.count, 4) + body + HandmadePNG.big(sum, 4)
    }

    /// `value` in `count` bytes, most significant first.
    static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    /// A zlib stream of one stored block: up to 65535 bytes.
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let length = UInt16(bytes.count)
        var a: UInt32 = 1
        var b: UInt32 = 0
        for byte in bytes {
            a = (a + UInt32(byte)) % 65521
            b = (b + a) % 65521
        }
        var stream: [UInt8] = [0x78, 0x01, 0x01]
        for value in [length, ~length] { stream += [UInt8(value & 255), UInt8(value >> 8)] }
        return stream + bytes + big(Int(b << 16 | a), 4)
    }

    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        var sum = ~UInt32(0)
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? (sum >> 1) ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }
}
