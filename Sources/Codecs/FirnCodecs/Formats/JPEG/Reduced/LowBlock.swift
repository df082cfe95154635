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

/// The inverse DCT of a block to two by two samples, as libjpeg computes it.
///
/// It uses the coefficients of the rows and columns 0, 1, 3, 5 and 7. For valid files the result is that of
/// `jpeg_idct_2x2`, bit for bit.
///
/// - Source: libjpeg-turbo jidctred.c for the arithmetic: 13 bits of fraction, 2 more bits between the passes.
struct QuarterBlock {
    /// For each coefficient in the order of the file: its place among the 25 that are used, or
    /// ``BlockCoding/unusedSlot``.
    static let places: [Int] = {
        let used: [Int] = [0, 1, -1, 2, -1, 3, -1, 4]
        return ZigzagOrder.places.map { row, column in
            used[row] < 0 || used[column] < 0 ? BlockCoding.unusedSlot : used[row] * 5 + used[column]
        }
    }()

    /// The factors of rows or columns 1, 3, 5 and 7, times 2^13.
    private static let factors = (29_692, -10_426, 6_967, -5_906)

    /// Returns the samples, top left, top right, bottom left, bottom right, of dequantized coefficients.
    @inline(__always)
    static func samples(_ values: BlockCoding.Values) -> (UInt8, UInt8, UInt8, UInt8) {
        @inline(__always) func column(_ index: Int) -> (Int, Int) {
            let even = Int(values[index]) &<< 15
            let odd =
                Int(values[5 &+ index]) &* factors.0 &+ Int(values[10 &+ index]) &* factors.1
                &+ Int(values[15 &+ index]) &* factors.2 &+ Int(values[20 &+ index]) &* factors.3
            return ((even &+ odd &+ 1 << 12) >> 13, (even &- odd &+ 1 << 12) >> 13)
        }
        let (zero, one, three, five, seven) = (column(0), column(1), column(2), column(3), column(4))
        @inline(__always) func row(_ a: Int, _ b: Int, _ c: Int, _ d: Int, _ e: Int) -> (UInt8, UInt8) {
            let even = a &<< 15
            let odd = b &* factors.0 &+ c &* factors.1 &+ d &* factors.2 &+ e &* factors.3
            return (
                UInt8(clamping: (even &+ odd &+ 1 << 19) >> 20 &+ 128),
                UInt8(clamping: (even &- odd &+ 1 << 19) >> 20 &+ 128)
            )
        }
        let top = row(zero.0, one.0, three.0, five.0, seven.0)
        let bottom = row(zero.1, one.1, three.1, five.1, seven.1)
        return (top.0, top.1, bottom.0, bottom.1)
    }
}
