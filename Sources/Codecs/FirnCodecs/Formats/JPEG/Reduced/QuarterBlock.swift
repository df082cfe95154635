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
