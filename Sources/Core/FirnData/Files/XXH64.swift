/// XXH64, a fast 64-bit hash without resistance to attackers.
///
/// Four lanes take 8 bytes each from every 32-byte stripe; the remainder is mixed in by 8, 4 and 1 bytes.
///
/// Source: Y. Collet, "xxHash fast digest algorithm", format description 0.1.1, section "XXH64".
package enum XXH64 {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    package static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        guard let base = bytes.baseAddress else { return finish(base: nil, count: 0, seed &+ prime5) }
        let stripes = bytes.count / 32
        let start = stripes > 0 ? mix(base, stripes: stripes, seed: seed) : seed &+ prime5
        return finish(base: base + stripes * 32, count: bytes.count % 32, start &+ UInt64(bytes.count))
    }

    /// Returns the hash of a string's UTF-8 bytes.
    package static func hash(_ string: String, seed: UInt64 = 0) -> UInt64 {
        var string = string
        return string.withUTF8 { hash(UnsafeRawBufferPointer($0), seed: seed) }
    }

    private static func mix(_ base: UnsafeRawPointer, stripes: Int, seed: UInt64) -> UInt64 {
        var a = seed &+ prime1 &+ prime2
        var b = seed &+ prime2
        var c = seed
        var d = seed &- prime1
        var at = base
        for _ in 0..<stripes {
            a = round(a, word(at))
            b = round(b, word(at + 8))
            c = round(c, word(at + 16))
            d = round(d, word(at + 24))
            at += 32
        }
        var sum = rotate(a, 1) &+ rotate(b, 7) &+ rotate(c, 12) &+ rotate(d, 18)
        sum = merge(sum, a)
        sum = merge(sum, b)
        sum = merge(sum, c)
        return merge(sum, d)
    }

    private static func finish(base: UnsafeRawPointer?, count: Int, _ start: UInt64) -> UInt64 {
        var sum = start
        if var at = base {
            var left = count
            while left >= 8 {
                sum = rotate(sum ^ round(0, word(at)), 27) &* prime1 &+ prime4
                at += 8
                left -= 8
            }
            if left >= 4 {
                let half = UInt64(UInt32(littleEndian: at.loadUnaligned(as: UInt32.self)))
                sum = rotate(sum ^ (half &* prime1), 23) &* prime2 &+ prime3
                at += 4
                left -= 4
            }
            while left > 0 {
                sum = rotate(sum ^ (UInt64(at.load(as: UInt8.self)) &* prime5), 11) &* prime1
                at += 1
                left -= 1
            }
        }
        sum = (sum ^ (sum >> 33)) &* prime2
        sum = (sum ^ (sum >> 29)) &* prime3
        return sum ^ (sum >> 32)
    }

    @inline(__always)
    private static func word(_ at: UnsafeRawPointer) -> UInt64 {
        UInt64(littleEndian: at.loadUnaligned(as: UInt64.self))
    }

    @inline(__always)
    private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
        rotate(lane &+ input &* prime2, 31) &* prime1
    }

    @inline(__always)
    private static func merge(_ sum: UInt64, _ lane: UInt64) -> UInt64 {
        (sum ^ round(0, lane)) &* prime1 &+ prime4
    }

    @inline(__always)
    private static func rotate(_ value: UInt64, _ bits: UInt64) -> UInt64 {
        value &<< bits | value &>> (64 &- bits)
    }
}
