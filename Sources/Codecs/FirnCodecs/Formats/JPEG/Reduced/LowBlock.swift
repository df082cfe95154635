/// The inverse DCT of the low coefficients of a block to two by two or four by four samples.
///
/// Each sample is the mean of the pixels that it covers, as far as the lowest two or four rows and columns of
/// coefficients determine it. What is left out changes within a sample's pixels, and mostly cancels out in their mean.
///
/// - Source: ISO/IEC 10918-1 §A.3.3 for the inverse DCT, of which the factors are means.
enum LowBlock {
    /// For each coefficient in the order of the file: its place among the `parts × parts` that are used, or
    /// ``BlockCoding/unusedSlot``.
    static func places(parts: Int) -> [Int] {
        ZigzagOrder.places.map { row, column in
            row < parts && column < parts ? row * parts + column : BlockCoding.unusedSlot
        }
    }

    /// The number of coefficients, in the order of the file, up to the last that is used.
    static func count(parts: Int) -> Int { (places(parts: parts).lastIndex { $0 != BlockCoding.unusedSlot } ?? 0) + 1 }

    /// The bits of fraction of the factors.
    private static let fraction = 15

    /// Returns the four samples of dequantized coefficients.
    ///
    /// - Parameter values: those of the rows 0 and 1, two each.
    @inline(__always)
    static func four(_ values: BlockCoding.Values) -> (UInt8, UInt8, UInt8, UInt8) {
        // 1/8, the mean over half a block in one direction, and in both.
        let mean = Int(values[0]) &<< 12
        let across = Int(values[1]) &* 3_712
        let down = Int(values[2]) &* 3_712
        let both = Int(values[3]) &* 3_363
        return (
            sample(mean &+ across &+ down &+ both), sample(mean &- across &+ down &- both),
            sample(mean &+ across &- down &- both), sample(mean &- across &- down &+ both)
        )
    }

    @inline(__always)
    private static func sample(_ value: Int) -> UInt8 {
        UInt8(clamping: (value &+ 1 &<< (fraction &- 1)) &>> fraction &+ 128)
    }

    /// Returns four rows of four samples of dequantized coefficients. Values of damaged files wrap.
    ///
    /// - Parameter values: those of the rows 0 to 3, four each.
    @inline(__always)
    static func sixteen(
        _ values: BlockCoding.Values
    ) -> (SIMD4<UInt8>, SIMD4<UInt8>, SIMD4<UInt8>, SIMD4<UInt8>) {
        let means = pass(values.four(at: 0), values.four(at: 4), values.four(at: 8), values.four(at: 12))
        // Four bits of fraction are left, with room for the factors of the second pass.
        let columns = transposed(means.0 &>> 7, means.1 &>> 7, means.2 &>> 7, means.3 &>> 7)
        let turned = pass(columns.0, columns.1, columns.2, columns.3)
        let samples = transposed(turned.0, turned.1, turned.2, turned.3)
        return (bytes(samples.0), bytes(samples.1), bytes(samples.2), bytes(samples.3))
    }

    /// The means over a quarter of a block in one direction, times 2^11.
    @inline(__always)
    private static func pass(
        _ a: SIMD4<Int32>, _ b: SIMD4<Int32>, _ c: SIMD4<Int32>, _ d: SIMD4<Int32>
    ) -> (SIMD4<Int32>, SIMD4<Int32>, SIMD4<Int32>, SIMD4<Int32>) {
        let (mean, slope) = (a &* 724, c &* 669)
        let outer = b &* 928 &+ d &* 326
        let inner = b &* 384 &- d &* 787
        let (edge, middle) = (mean &+ slope, mean &- slope)
        return (edge &+ outer, middle &+ inner, middle &- inner, edge &- outer)
    }

    @inline(__always)
    private static func transposed(
        _ a: SIMD4<Int32>, _ b: SIMD4<Int32>, _ c: SIMD4<Int32>, _ d: SIMD4<Int32>
    ) -> (SIMD4<Int32>, SIMD4<Int32>, SIMD4<Int32>, SIMD4<Int32>) {
        (
            SIMD4(a.x, b.x, c.x, d.x), SIMD4(a.y, b.y, c.y, d.y), SIMD4(a.z, b.z, c.z, d.z), SIMD4(a.w, b.w, c.w, d.w)
        )
    }

    @inline(__always)
    private static func bytes(_ values: SIMD4<Int32>) -> SIMD4<UInt8> {
        let levels = (values &+ 1 << 14) &>> 15 &+ 128
        return SIMD4<UInt8>(
            truncatingIfNeeded: levels.clamped(
                lowerBound: SIMD4<Int32>(repeating: 0), upperBound: SIMD4<Int32>(repeating: 255)))
    }
}

/// The order of a block's coefficients in a file.
///
/// - Source: ISO/IEC 10918-1 figure A.6.
enum ZigzagOrder {
    /// The row and the column of each coefficient.
    static let places: [(row: Int, column: Int)] = (0..<15).flatMap { diagonal in
        let rows = Array(max(0, diagonal - 7)...min(7, diagonal))
        // Even diagonals go up, odd ones down.
        return (diagonal % 2 == 0 ? rows.reversed() : rows).map { (row: $0, column: diagonal - $0) }
    }
}
