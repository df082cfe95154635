import FoundationEssentials

/// Builds valid and invalid compressed bodies by hand (RFC 1950, 1951, 1952).
enum GzipWriter {
    /// Returns `data` as one gzip member.
    static func member(_ data: Data) -> Data {
        Data([31, 139, 8, 0, 0, 0, 0, 0, 0, 255]) + stored(data) + word(checksum(data)) + word(UInt32(data.count))
    }

    /// Returns `data` as `deflate` in zlib's frame.
    static func zlib(_ data: Data) -> Data {
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in data {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return Data([0x78, 1]) + stored(data) + Data(word(b << 16 | a).reversed())
    }

    /// Returns `data` in stored blocks, without compression.
    static func stored(_ data: Data) -> Data {
        var result = Data()
        var rest = data[...]
        repeat {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(block.count)
            let length = UInt16(block.count)
            result.append(contentsOf: [rest.isEmpty ? 1 : 0])
            for part in [length, ~length] { result.append(contentsOf: [UInt8(part & 255), UInt8(part >> 8)]) }
            result.append(block)
        } while !rest.isEmpty
        return result
    }

    /// Returns the start of a gzip member that expands to `repeats` times 258 zero bytes plus one; it has no end.
    ///
    /// Each match of 258 bytes takes 13 bits, a ratio of 158.
    static func zeros(repeats: Int) -> Data {
        var result = Data([31, 139, 8, 0, 0, 0, 0, 0, 0, 255])
        var (bits, count): (UInt64, UInt64) = (0, 0)
        func put(_ value: UInt64, _ length: UInt64) {
            bits |= value << count
            count += length
            while count >= 8 {
                result.append(UInt8(bits & 255))
                bits >>= 8
                count -= 8
            }
        }
        // The last block, with fixed codes; a literal 0 (00110000).
        put(1, 1)
        put(1, 2)
        put(0b0000_1100, 8)
        // Length 258 (11000101, most significant bit first), distance 1 (00000).
        for _ in 0..<repeats { put(0b1010_0011, 13) }
        if count > 0 { result.append(UInt8(bits & 255)) }
        return result
    }

    private static func word(_ value: UInt32) -> Data { Data((0..<4).map { UInt8(value >> ($0 * 8) & 255) }) }

    private static func checksum(_ data: Data) -> UInt32 {
        var sum = ~UInt32(0)
        for byte in data {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0xEDB8_8320 }
        }
        return ~sum
    }
}
