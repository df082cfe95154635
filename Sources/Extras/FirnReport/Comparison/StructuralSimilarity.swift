/// The mean structural similarity of the lightness of two images, over windows of 8 × 8 pixels, half overlapping.
///
/// A side of fewer than 8 pixels is a single window. Transparent pixels count as black.
///
/// Source: Wang, Bovik, Sheikh, Simoncelli: "Image quality assessment", IEEE Transactions on Image Processing 13, 2004.
package enum StructuralSimilarity {
    private static let side = 8

    /// Returns 1 for equal images; 0 if the sizes differ or a layout is none of `rgb8`, `rgba8Straight` and
    /// `rgba16Straight`.
    package static func of(_ first: Bitmap, _ second: Bitmap) -> Double {
        guard first.size == second.size, let a = lightness(first), let b = lightness(second) else { return 0 }
        let (width, height) = (first.size.width, first.size.height)
        let window = PixelSize(width: min(side, width), height: min(side, height))
        var total = 0.0
        var windows = 0.0
        for top in stride(from: 0, through: height - window.height, by: side / 2) {
            for left in stride(from: 0, through: width - window.width, by: side / 2) {
                total += similarity(a, b, top * width + left, window, width)
                windows += 1
            }
        }
        return windows > 0 ? total / windows : 1
    }

    private static func similarity(
        _ a: [Float], _ b: [Float], _ start: Int, _ window: PixelSize, _ width: Int
    ) -> Double {
        var (sumA, sumB, squareA, squareB, product) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for y in 0..<window.height {
            for x in 0..<window.width {
                let (p, q) = (Double(a[start + y * width + x]), Double(b[start + y * width + x]))
                (sumA, sumB) = (sumA + p, sumB + q)
                (squareA, squareB, product) = (squareA + p * p, squareB + q * q, product + p * q)
            }
        }
        let count = Double(window.area)
        let (meanA, meanB) = (sumA / count, sumB / count)
        let (varianceA, varianceB) = (squareA / count - meanA * meanA, squareB / count - meanB * meanB)
        let covariance = product / count - meanA * meanB
        let (c1, c2) = (6.5025, 58.5225)
        return (2 * meanA * meanB + c1) * (2 * covariance + c2)
            / ((meanA * meanA + meanB * meanB + c1) * (varianceA + varianceB + c2))
    }

    /// Returns the lightness of all pixels, 0 to 255, row by row.
    private static func lightness(_ image: Bitmap) -> [Float]? {
        guard [.rgb8, .rgba8Straight, .rgba16Straight].contains(image.format) else { return nil }
        let isWide = image.format == .rgba16Straight
        let most: Float = isWide ? 65_535 : 255
        let length = image.format.bytesPerPixel
        return image.withUnsafeBytes { bytes in
            var values: [Float] = []
            values.reserveCapacity(image.size.area)
            for y in 0..<image.size.height {
                for start in stride(
                    from: y * image.bytesPerRow, to: y * image.bytesPerRow + image.size.width * length, by: length)
                {
                    func sample(_ channel: Int) -> Float {
                        isWide
                            ? Float(bytes.loadUnaligned(fromByteOffset: start + channel * 2, as: UInt16.self))
                            : Float(bytes[start + channel])
                    }
                    let light = 0.299 * sample(0) + 0.587 * sample(1) + 0.114 * sample(2)
                    values.append(image.format == .rgb8 ? light * 255 / most : light * sample(3) / most * 255 / most)
                }
            }
            return values
        }
    }
}

/// The differences between the pixels of two images of the same size.
package struct PixelComparison: Sendable {
    /// The mean structural similarity of the lightness; 1 for equal images.
    package private(set) var similarity: Double
    /// The greatest difference of a channel, in steps of 8 bits: 0 to 255. Colors are multiplied by alpha, so the
    /// invisible colors of transparent pixels do not count.
    package private(set) var greatestDifference: Double
    package private(set) var differentPixels: Int
    /// The number of compared pixels.
    package private(set) var pixels: Int

    /// Compares two images; `nil` unless both have the same size, and the layout `rgba8Straight` or `rgba16Straight`.
    package init?(_ first: Bitmap, _ second: Bitmap) {
        guard first.size == second.size, first.format == second.format else { return nil }
        pixels = first.size.area
        guard [.rgba8Straight, .rgba16Straight].contains(first.format) else { return nil }
        (greatestDifference, differentPixels) = PixelComparison.differences(first, second)
        similarity = differentPixels == 0 ? 1 : StructuralSimilarity.of(first, second)
    }

    /// Adds the comparison of another frame. Keeps the worse figures.
    package mutating func add(_ other: PixelComparison) {
        similarity = min(similarity, other.similarity)
        greatestDifference = max(greatestDifference, other.greatestDifference)
        differentPixels += other.differentPixels
        pixels += other.pixels
    }

    private static func differences(_ first: Bitmap, _ second: Bitmap) -> (greatest: Double, pixels: Int) {
        let isWide = first.format == .rgba16Straight
        let most = isWide ? 65_535 : 255
        let length = isWide ? 2 : 1
        var greatest = 0
        var pixels = 0
        func sample(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> Int {
            isWide ? Int(bytes.loadUnaligned(fromByteOffset: at, as: UInt16.self)) : Int(bytes[at])
        }
        first.withUnsafeBytes { a in
            second.withUnsafeBytes { b in
                for y in 0..<first.size.height {
                    for x in 0..<first.size.width {
                        let (p, q) = (y * first.bytesPerRow + x * 4 * length, y * second.bytesPerRow + x * 4 * length)
                        let (alpha, other) = (sample(a, p + 3 * length), sample(b, q + 3 * length))
                        var difference = abs(alpha - other) * most
                        for channel in stride(from: 0, to: 3 * length, by: length) {
                            difference = max(
                                difference, abs(sample(a, p + channel) * alpha - sample(b, q + channel) * other))
                        }
                        if difference > 0 { pixels += 1 }
                        greatest = max(greatest, difference)
                    }
                }
            }
        }
        return (Double(greatest) / Double(most) * 255 / Double(most), pixels)
    }
}
