#if GTK
import Firn

/// The number of pixels of each brightness in an image, for red, green and blue.
struct Histogram: Equatable, Sendable {
    static let bins = 64
    private(set) var red = [Int](repeating: 0, count: bins)
    private(set) var green = [Int](repeating: 0, count: bins)
    private(set) var blue = [Int](repeating: 0, count: bins)

    /// Counts the pixels of an image of eight bits; `nil` for other layouts. Transparent pixels do not count.
    init?(_ image: Bitmap) {
        let (r, b): (Int, Int)
        switch image.format {
        case .rgb8, .rgba8Straight: (r, b) = (0, 2)
        case .bgra8Premultiplied: (r, b) = (2, 0)
        case .rgba16Straight, .rgbaHalfPremultiplied: return nil
        }
        let length = image.format.bytesPerPixel
        let alpha = length == 4 && !image.isOpaque ? 3 : nil
        // A quarter of a million pixels have the shape of all.
        let pixels = max(1, image.size.width * image.size.height / 262_144)
        image.withUnsafeBytes { bytes in
            var skipped = 0
            for y in 0..<image.size.height {
                var x = skipped
                while x < image.size.width {
                    let at = y * image.bytesPerRow + x * length
                    x += pixels
                    if let alpha, bytes[at + alpha] == 0 { continue }
                    red[Int(bytes[at + r]) / 4] += 1
                    green[Int(bytes[at + 1]) / 4] += 1
                    blue[Int(bytes[at + b]) / 4] += 1
                }
                skipped = x - image.size.width
            }
        }
    }

    /// Draws the three curves over each other, mixed as light.
    func drawing(height: Int = 80) -> Bitmap? {
        // The ends are often clipped; they would make everything else flat.
        let inner = [red, green, blue].flatMap { $0.dropFirst().dropLast() }
        guard let most = inner.max(), most > 0 else { return nil }
        let size = PixelSize(width: Histogram.bins * 4, height: height)
        return try? Bitmap(size: size, format: .bgra8Premultiplied) { pixels in
            for y in 0..<height {
                let row = pixels.row(y)
                for x in 0..<size.width {
                    func isBelow(_ counts: [Int]) -> Bool { counts[x / 4] * height >= (height - y) * most }
                    let (r, g, b) = (isBelow(red), isBelow(green), isBelow(blue))
                    let strength: (Bool) -> UInt8 = { $0 ? 200 : 40 }
                    let color: SIMD4<UInt8> =
                        r || g || b ? SIMD4(strength(b), strength(g), strength(r), 230) : SIMD4(0, 0, 0, 0)
                    row.storeBytes(of: color, toByteOffset: x * 4, as: SIMD4<UInt8>.self)
                }
            }
        }
    }
}
#endif
