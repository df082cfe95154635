import FoundationEssentials

/// Writes PNG files chunk by chunk, including invalid ones. Pixels are stored, not compressed.
struct HandmadePNG {
    var width: Int
    var height: Int
    var depth = 8
    /// PNG's number: 0 gray, 2 RGB, 3 indexed, 4 gray and alpha, 6 RGBA.
    var colorType: Int
    /// Rows as stored, without the filter byte.
    var rows: [[UInt8]]
    /// The filters that the rows are stored with, one after the other; the rows are the filtered ones.
    var filters: [UInt8] = [0]
    /// True if rows are stored in the passes of interlacing.
    var isInterlaced = false
    /// The number of chunks that hold the pixels.
    var pieces = 1
    /// Chunks between the header and the pixels.
    var before: [(String, [UInt8])] = []
    /// Chunks after the pixels.
    var behind: [(String, [UInt8])] = []
    /// The type of the chunk whose checksum is wrong.
    var damaged: String?

    var data: Data {
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        var header = HandmadePNG.big(width, 4) + HandmadePNG.big(height, 4)
        header += [UInt8(depth), UInt8(colorType), 0, 0, isInterlaced ? 1 : 0]
        bytes += chunk("IHDR", header)
        for (type, content) in before { bytes += chunk(type, content) }
        let pixels = HandmadePNG.stored(storedRows.enumerated().flatMap { [filters[$0 % filters.count]] + $1 })
        let length = (pixels.count + pieces - 1) / pieces
        for start in stride(from: 0, to: pixels.count, by: length) {
            bytes += chunk("IDAT", Array(pixels[start..<min(start + length, pixels.count)]))
        }
        for (type, content) in behind { bytes += chunk(type, content) }
        return Data(bytes + chunk("IEND", []))
    }

    private func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        HandmadePNG.chunk(type, content, isDamaged: type == damaged)
    }

    /// Returns a chunk with its length and checksum.
    static func chunk(_ type: String, _ content: [UInt8], isDamaged: Bool = false) -> [UInt8] {
        let body: [UInt8] = Array(type.utf8) + content
        let sum = Int(HandmadePNG.crc(body)) ^ (isDamaged ? 1 : 0)
        return HandmadePNG.big(content.count, 4) + body + HandmadePNG.big(sum, 4)
    }

    /// The rows in file order: unchanged, or those of the seven passes (PNG, third edition, §8.1).
    private var storedRows: [[UInt8]] {
        guard isInterlaced else { return rows }
        let pixel = width == 0 ? 1 : (rows.first?.count ?? 0) / width
        let passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
        return passes.flatMap { left, top, across, down -> [[UInt8]] in
            let columns = Array(stride(from: left, to: width, by: across))
            if columns.isEmpty { return [] }
            return stride(from: top, to: height, by: down).map { y in
                if depth < 8 {
                    let samples = columns.map { x in Int(rows[y][x * depth / 8]) >> (8 - depth - x * depth % 8) }
                    return HandmadePNG.packed(samples, depth: depth)
                }
                return columns.flatMap { rows[y][$0 * pixel..<($0 + 1) * pixel] }
            }
        }
    }

    /// Returns the lowest `depth` bits of each sample, the first sample in the highest bits.
    static func packed(_ samples: [Int], depth: Int) -> [UInt8] {
        guard depth < 8 else { return samples.flatMap { big($0, depth / 8) } }
        let each = 8 / depth
        return stride(from: 0, to: samples.count, by: each).map { start in
            let byte = (0..<each).reduce(0) { bits, index in
                let sample = start + index < samples.count ? samples[start + index] : 0
                return bits << depth | sample & ((1 << depth) - 1)
            }
            return UInt8(byte)
        }
    }

    /// Returns `value` in `count` bytes, most significant first.
    static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    /// Returns a zlib stream of one stored block: up to 65535 bytes.
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var a: UInt32 = 1
        var b: UInt32 = 0
        for byte in bytes {
            a = (a + UInt32(byte)) % 65521
            b = (b + a) % 65521
        }
        var stream: [UInt8] = [0x78, 0x01]
        // Blocks of at most 65,535 bytes; there is one even without bytes.
        for start in stride(from: 0, to: max(1, bytes.count), by: Int(UInt16.max)) {
            let block = bytes[start..<min(start + Int(UInt16.max), bytes.count)]
            let length = UInt16(block.count)
            stream.append(block.endIndex == bytes.count ? 1 : 0)
            for value in [length, ~length] { stream += [UInt8(value & 255), UInt8(value >> 8)] }
            stream += block
        }
        return stream + big(Int(b << 16 | a), 4)
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
