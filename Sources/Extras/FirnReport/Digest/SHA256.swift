import FirnData

/// The SHA-256 hash function, for comparing images and naming files; not for secrets.
///
/// Invariant: `block[..<filled]` holds the bytes since the last whole block of 64.
///
/// - Source: FIPS 180-4 §4.1.2, §5 and §6.2.
package struct SHA256 {
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]

    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    private var block = [UInt8](repeating: 0, count: 64)
    private var filled = 0
    private var length: UInt64 = 0

    package init() {}

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        length &+= UInt64(clamping: bytes.count)
        var rest = bytes[...]
        if filled > 0 {
            let head = rest.prefix(64 - filled)
            block.replaceSubrange(filled..<filled + head.count, with: head)
            filled += head.count
            rest = rest.dropFirst(head.count)
            guard filled == 64 else { return }
            block.withUnsafeBytes { SHA256.compress($0, into: &state) }
            filled = 0
        }
        let whole = rest.count / 64 * 64
        if whole > 0 { SHA256.compress(UnsafeRawBufferPointer(rebasing: rest.prefix(whole)), into: &state) }
        let tail = rest.dropFirst(whole)
        block.replaceSubrange(0..<tail.count, with: tail)
        filled = tail.count
    }

    /// Returns the hash of all bytes added, as 64 hexadecimal digits.
    package consuming func digest() -> String {
        let bits = length &* 8
        let zeros = (119 - filled) % 64
        let padding: [UInt8] = [0x80] + [UInt8](repeating: 0, count: zeros)
        padding.withUnsafeBytes { update($0) }
        withUnsafeBytes(of: bits.bigEndian) { update($0) }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - $0 * 8)) } }.hexadecimal
    }

    /// Mixes whole blocks of 64 bytes into the state.
    private static func compress(_ bytes: UnsafeRawBufferPointer, into state: inout [UInt32]) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
            constants.withUnsafeBufferPointer { constants in
                var start = 0
                while start < bytes.count {
                    fill(schedule, from: bytes, at: start)
                    mix(schedule, constants, into: &state)
                    start += 64
                }
            }
        }
    }

    @inline(__always)
    private static func rotated(_ value: UInt32, _ count: UInt32) -> UInt32 {
        value &>> count | value &<< (32 &- count)
    }

    private static func fill(
        _ schedule: UnsafeMutableBufferPointer<UInt32>, from bytes: UnsafeRawBufferPointer, at start: Int
    ) {
        for i in 0..<16 {
            schedule[i] = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: start + i * 4, as: UInt32.self))
        }
        for i in 16..<64 {
            let early = schedule[i - 15]
            let late = schedule[i - 2]
            let sigma0 = rotated(early, 7) ^ rotated(early, 18) ^ early &>> 3
            let sigma1 = rotated(late, 17) ^ rotated(late, 19) ^ late &>> 10
            schedule[i] = schedule[i - 16] &+ sigma0 &+ schedule[i - 7] &+ sigma1
        }
    }

    private static func mix(
        _ schedule: UnsafeMutableBufferPointer<UInt32>, _ constants: UnsafeBufferPointer<UInt32>,
        into state: inout [UInt32]
    ) {
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for i in 0..<64 {
            let sum1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
            let first = h &+ sum1 &+ (e & f ^ ~e & g) &+ constants[i] &+ schedule[i]
            let sum0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
            let second = sum0 &+ (a & b ^ a & c ^ b & c)
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ second)
        }
        for (i, value) in [a, b, c, d, e, f, g, h].enumerated() { state[i] &+= value }
    }
}
