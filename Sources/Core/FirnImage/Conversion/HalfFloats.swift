/// Converts four half floats (IEEE 754-2019, binary16) from and to floats, in vector arithmetic that needs no F16C.
package enum HalfFloats {
    /// Returns the numbers of four halves. Infinities and NaN become numbers of 65,536 and more.
    @inlinable
    package static func numbers(_ halves: SIMD4<UInt16>) -> SIMD4<Float> {
        let bits = SIMD4<UInt32>(truncatingIfNeeded: halves)
        // The fields of a half, moved to those of a float, give a number that is too small by 2^112, the difference of
        // the biases. This also holds for subnormal halves.
        let moved = (bits & 0x7FFF) &<< 13
        let scaled = unsafeBitCast(moved, to: SIMD4<Float>.self) * 0x1p112
        return unsafeBitCast(
            unsafeBitCast(scaled, to: SIMD4<UInt32>.self) | (bits & 0x8000) &<< 16, to: SIMD4<Float>.self)
    }

    /// Returns the halves nearest to four numbers, ties to even. Numbers above 65,504 become 65,504, NaN becomes 0.
    @inlinable
    package static func halves(_ numbers: SIMD4<Float>) -> SIMD4<UInt16> {
        let all = unsafeBitCast(numbers, to: SIMD4<UInt32>.self)
        let sign = all &>> 16 & 0x8000
        let bits = all & 0x7FFF_FFFF
        let odd = bits &>> 13 & 1
        var halves = (bits &+ 0xFFF &+ odd &- 0x3800_0000) &>> 13
        // Below 2^-14, halves are multiples of 2^-24: adding 1/2 leaves them in the low bits, rounded.
        let small = unsafeBitCast(unsafeBitCast(bits, to: SIMD4<Float>.self) + 0.5, to: SIMD4<UInt32>.self)
        halves.replace(with: small &- 0x3F00_0000, where: bits .< 0x3880_0000)
        halves.replace(with: 0x7BFF, where: bits .>= 0x477F_F000)
        halves |= sign
        halves.replace(with: 0, where: bits .> 0x7F80_0000)
        return SIMD4<UInt16>(truncatingIfNeeded: halves)
    }
}
