import FirnImage

extension Bitmap {
    /// Returns noise as straight colors, multiplied by alpha if the layout is premultiplied.
    func premultipliedIfNeeded() throws -> Bitmap {
        guard format == .bgra8Premultiplied else { return self }
        return try Bitmap(size: size, format: .rgba8Straight) { pixels in
            for y in 0..<size.height {
                withUnsafeBytes { bytes in
                    guard let base = bytes.baseAddress else { return }
                    pixels.row(y).copyMemory(from: base + y * bytesPerRow, byteCount: size.width * 4)
                }
            }
        }.converted(to: .bgra8Premultiplied)
    }

    /// Returns an opaque image similar to a photograph: slopes, hard edges, fine stripes.
    static func scene(_ size: PixelSize, format: PixelFormat = .rgb8) throws -> Bitmap {
        try Bitmap(size: size, format: .rgb8) { pixels in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let inside =
                        (x - size.width / 2) * (x - size.width / 2) + (y - size.height / 2) * (y - size.height / 2)
                        < size.height * size.height / 9
                    let stripes = (x * x / 40 + y) % 16 < 8
                    let pixel = [x * 255 / size.width, inside ? 230 : y * 255 / size.height, stripes ? 200 : 40]
                    for channel in 0..<3 {
                        pixels.row(y).storeBytes(
                            of: UInt8(pixel[channel]), toByteOffset: 3 * x + channel, as: UInt8.self)
                    }
                }
            }
        }.converted(to: format)
    }
}

/// Returns the mean structural similarity of two images over windows of 8 × 8 values, half overlapping, of each
/// channel.
///
/// Source: Wang, Bovik, Sheikh, Simoncelli: "Image quality assessment", IEEE Transactions on Image Processing 13, 2004.
func structuralSimilarity(_ first: [Double], _ second: [Double], size: PixelSize, channels: Int) -> Double {
    var total = 0.0
    var windows = 0.0
    for channel in 0..<channels {
        for top in stride(from: 0, through: size.height - 8, by: 4) {
            for left in stride(from: 0, through: size.width - 8, by: 4) {
                var (a, b, aa, bb, ab) = (0.0, 0.0, 0.0, 0.0, 0.0)
                for y in top..<top + 8 {
                    for x in left..<left + 8 {
                        let index = (y * size.width + x) * channels + channel
                        let (p, q) = (first[index], second[index])
                        (a, b, aa, bb, ab) = (a + p, b + q, aa + p * p, bb + q * q, ab + p * q)
                    }
                }
                let (meanA, meanB) = (a / 64, b / 64)
                let (varianceA, varianceB) = (aa / 64 - meanA * meanA, bb / 64 - meanB * meanB)
                let covariance = ab / 64 - meanA * meanB
                let (c1, c2) = (6.5025, 58.5225)
                total +=
                    (2 * meanA * meanB + c1) * (2 * covariance + c2)
                    / ((meanA * meanA + meanB * meanB + c1) * (varianceA + varianceB + c2))
                windows += 1
            }
        }
    }
    return total / windows
}
