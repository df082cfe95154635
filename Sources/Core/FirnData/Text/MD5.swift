import FirnSync
import FirnSystem

/// MD5, which names the desktop's thumbnails, and tells whether a program changed IPTC records. Not for security.
///
/// - Source: RFC 1321.
package enum MD5 {
    /// Returns the digest in hexadecimal.
    package static func hexadecimal(of message: [UInt8]) -> String {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
        var padded = message + [0x80]
        padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64)
        let bits = UInt64(truncatingIfNeeded: message.count) << 3
        padded += (0..<8).map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) }
        for start in stride(from: 0, to: padded.count, by: 64) { mix(padded[start..<start + 64], into: &state) }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }.hexadecimal
    }

    /// The sines of section 3.4, times 2³².
    private static let sines = (1...64).map { UInt32(saturating: abs(sin(Double($0))) * 0x1p32) }
    /// The rotations of the four rounds.
    private static let rotations: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]

    private static func mix(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        let words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { start in
            (0..<4).reduce(UInt32(0)) { $0 | UInt32(block[start + $1]) << ($1 * 8) }
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        for step in 0..<64 {
            let round = step / 16
            let (value, word) =
                switch round {
                case 0: (b & c | ~b & d, step)
                case 1: (d & b | ~d & c, (5 * step + 1) % 16)
                case 2: (b ^ c ^ d, (3 * step + 5) % 16)
                default: (c ^ (b | ~d), 7 * step % 16)
                }
            let sum = a &+ value &+ words[word] &+ sines[step]
            let turn = rotations[round][step % 4]
            (a, d, c, b) = (d, c, b, b &+ (sum << turn | sum >> (32 - turn)))
        }
        state = zip(state, [a, b, c, d]).map { $0 &+ $1 }
    }
}
