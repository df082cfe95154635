import FirnData
import FirnSystem

/// The SHA-256 hash function, for comparing images and naming files; not for secrets.
///
/// Invariant: `rest` holds the bytes since the last whole block of 64.
///
/// - Source: FIPS 180-4 §4.1.2, §4.2.2, §5 and §6.2.
package struct SHA256 {
    private static let primes = (2...311).filter { number in !(2..<number).contains { number % $0 == 0 } }
    private static let constants = primes.map { fraction(cbrt(Double($0))) }

    private var state = primes.prefix(8).map { fraction(Double($0).squareRoot()) }
    private var rest: [UInt8] = []
    private var length: UInt64 = 0

    package init() {}

    /// Returns the hash of bytes, as 64 hexadecimal digits.
    package static func digest(of bytes: some Sequence<UInt8>) -> String {
        var hash = SHA256()
        Array(bytes).withUnsafeBytes { hash.update($0) }
        return hash.digest()
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        length &+= UInt64(clamping: bytes.count)
        rest.append(contentsOf: bytes)
        let whole = rest.count / 64 * 64
        rest.withUnsafeBytes { SHA256.compress(UnsafeRawBufferPointer(rebasing: $0.prefix(whole)), into: &state) }
        rest.removeFirst(whole)
    }

    /// Returns the hash of all bytes added, as 64 hexadecimal digits.
    package consuming func digest() -> String {
        let bits = length &* 8
        let padding: [UInt8] = [0x80] + [UInt8](repeating: 0, count: (119 - rest.count) % 64)
        padding.withUnsafeBytes { update($0) }
        withUnsafeBytes(of: bits.bigEndian) { update($0) }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - $0 * 8)) } }.hexadecimal
    }

    /// Returns the first 32 bits of the fraction of a root. The last bits of a `Double` do not matter.
    private static func fraction(_ root: Double) -> UInt32 { UInt32((root - root.rounded(.down)) * 0x1p32) }

    @inline(__always)
    private static func rotated(_ value: UInt32, _ count: UInt32) -> UInt32 {
        value &>> count | value &<< (32 &- count)
    }

    /// Mixes whole blocks of 64 bytes into the state.
    private static func compress(_ bytes: UnsafeRawBufferPointer, into state: inout [UInt32]) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
            constants.withUnsafeBufferPointer { constants in
                for start in stride(from: 0, to: bytes.count, by: 64) {
                    for i in 0..<16 {
                        let word = bytes.loadUnaligned(fromByteOffset: start + i * 4, as: UInt32.self)
                        schedule[i] = UInt32(bigEndian: word)
                    }
                    for i in 16..<64 {
                        let (early, late) = (schedule[i - 15], schedule[i - 2])
                        let sigma0 = rotated(early, 7) ^ rotated(early, 18) ^ early &>> 3
                        let sigma1 = rotated(late, 17) ^ rotated(late, 19) ^ late &>> 10
                        schedule[i] = schedule[i - 16] &+ sigma0 &+ schedule[i - 7] &+ sigma1
                    }
                    mix(schedule, constants, into: &state)
                }
            }
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
