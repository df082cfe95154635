import Firn

/// The mean structural similarity of the lightness of two opaque images, over windows of 8 × 8 pixels, half
/// overlapping.
///
/// Source: Wang, Bovik, Sheikh, Simoncelli: "Image quality assessment", IEEE Transactions on Image Processing 13, 2004.
enum StructuralSimilarity {
    /// Returns 1 for equal images; 0 if the sizes differ or a layout is not `rgb8`.
    static func of(_ first: Bitmap, _ second: Bitmap) -> Double {
        guard first.size == second.size, first.format == .rgb8, second.format == .rgb8 else { return 0 }
        let (a, b) = (lightness(first), lightness(second))
        let (width, height) = (first.size.width, first.size.height)
        var total = 0.0
        var windows = 0.0
        for top in stride(from: 0, through: height - 8, by: 4) {
            for left in stride(from: 0, through: width - 8, by: 4) {
                total += window(a, b, top * width + left, width)
                windows += 1
            }
        }
        return windows > 0 ? total / windows : 1
    }

    private static func window(_ a: [Float], _ b: [Float], _ start: Int, _ width: Int) -> Double {
        var (sumA, sumB, squareA, squareB, product) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for y in 0..<8 {
            for x in 0..<8 {
                let (p, q) = (Double(a[start + y * width + x]), Double(b[start + y * width + x]))
                (sumA, sumB) = (sumA + p, sumB + q)
                (squareA, squareB, product) = (squareA + p * p, squareB + q * q, product + p * q)
            }
        }
        let (meanA, meanB) = (sumA / 64, sumB / 64)
        let (varianceA, varianceB) = (squareA / 64 - meanA * meanA, squareB / 64 - meanB * meanB)
        let covariance = product / 64 - meanA * meanB
        let (c1, c2) = (6.5025, 58.5225)
        return (2 * meanA * meanB + c1) * (2 * covariance + c2)
            / ((meanA * meanA + meanB * meanB + c1) * (varianceA + varianceB + c2))
    }

    private static func lightness(_ image: Bitmap) -> [Float] {
        image.withUnsafeBytes { bytes in
            var values: [Float] = []
            values.reserveCapacity(image.size.area)
            for y in 0..<image.size.height {
                for x in 0..<image.size.width {
                    let at = y * image.bytesPerRow + 3 * x
                    values.append(
                        0.299 * Float(bytes[at]) + 0.587 * Float(bytes[at + 1]) + 0.114 * Float(bytes[at + 2]))
                }
            }
            return values
        }
    }
}
