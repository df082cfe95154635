package import FirnImage

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
        switch first.format {
        case .rgba8Straight:
            (greatestDifference, differentPixels) = PixelComparison.differences(first, second, UInt8.self)
        case .rgba16Straight:
            (greatestDifference, differentPixels) = PixelComparison.differences(first, second, UInt16.self)
        default: return nil
        }
        similarity = differentPixels == 0 ? 1 : StructuralSimilarity.of(first, second)
    }

    /// Adds the comparison of another frame. The worse figures remain.
    package mutating func add(_ other: PixelComparison) {
        similarity = min(similarity, other.similarity)
        greatestDifference = max(greatestDifference, other.greatestDifference)
        differentPixels += other.differentPixels
        pixels += other.pixels
    }

    private static func differences<Sample: FixedWidthInteger & UnsignedInteger>(
        _ first: Bitmap, _ second: Bitmap, _ type: Sample.Type
    ) -> (greatest: Double, pixels: Int) {
        let most = Int(Sample.max)
        let length = MemoryLayout<Sample>.size
        var greatest = 0
        var pixels = 0
        first.withUnsafeBytes { a in
            second.withUnsafeBytes { b in
                for y in 0..<first.size.height {
                    for x in 0..<first.size.width {
                        let (p, q) = (y * first.bytesPerRow + x * 4 * length, y * second.bytesPerRow + x * 4 * length)
                        func samples(_ channel: Int) -> (Int, Int) {
                            (
                                Int(a.loadUnaligned(fromByteOffset: p + channel * length, as: type)),
                                Int(b.loadUnaligned(fromByteOffset: q + channel * length, as: type))
                            )
                        }
                        let alpha = samples(3)
                        var difference = abs(alpha.0 - alpha.1) * most
                        for channel in 0..<3 {
                            let color = samples(channel)
                            difference = max(difference, abs(color.0 * alpha.0 - color.1 * alpha.1))
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
