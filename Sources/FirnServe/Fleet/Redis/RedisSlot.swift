/// The slot of a key in a cluster.
///
/// Source: Redis cluster specification, "Key distribution model" and "Hash tags".
package enum RedisSlot {
    package static let count = 16_384

    /// Returns the slot: CRC16 of the text in the first braces, or of the whole key if there is none.
    package static func slot(of key: String) -> Int {
        let bytes = Array(key.utf8)
        var part = bytes[...]
        if let open = bytes.firstIndex(of: UInt8(ascii: "{")),
            let close = bytes[(open + 1)...].firstIndex(of: UInt8(ascii: "}")), close > open + 1
        {
            part = bytes[(open + 1)..<close]
        }
        return Int(checksum(part)) % count
    }

    /// CRC-16/XMODEM: polynomial 0x1021, from 0.
    package static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
        var sum: UInt16 = 0
        for byte in bytes {
            sum ^= UInt16(byte) << 8
            for _ in 0..<8 { sum = sum & 0x8000 != 0 ? sum << 1 ^ 0x1021 : sum << 1 }
        }
        return sum
    }
}
