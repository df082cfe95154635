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
