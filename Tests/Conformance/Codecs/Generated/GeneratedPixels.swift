import FirnImage

/// The pixels of generated files.
enum GeneratedPixels {
    static let size = PixelSize(width: 24, height: 16)

    /// Returns slopes of red and green, and of alpha if requested.
    static func slopes(alpha: Bool = false, blue: UInt8 = 128) -> [UInt8] {
        pixels { x, y in [UInt8(x * 8), UInt8(y * 10), blue, alpha ? UInt8(4 * (x + y) + 20) : 255] }
    }

    /// Gray that increases to the right and downward.
    static let gray = pixels { x, y in
        let value = UInt8(x * 7 + y * 5)
        return [value, value, value, 255]
    }

    /// Returns six colors in blocks of 8 × 8; the last block is transparent if requested.
    static func blocks(transparent: Bool = false) -> [UInt8] {
        pixels { x, y in
            let block = x / 8 + 3 * (y / 8)
            return transparent && block == 5 ? [0, 0, 0, 0] : palette[block] + [255]
        }
    }

    /// The colors of the blocks.
    static let palette: [[UInt8]] = [
        [255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 0], [0, 0, 0], [255, 255, 255],
    ]

    /// The block index of each pixel.
    static let indices: [UInt8] = (0..<size.area).map { at -> UInt8 in
        let (x, y) = (at % size.width, at / size.width)
        return UInt8(x / 8 + 3 * (y / 8))
    }

    /// Returns pixels of one color.
    static func plain(_ color: [UInt8]) -> [UInt8] { pixels { _, _ in color } }

    private static func pixels(_ pixel: (Int, Int) -> [UInt8]) -> [UInt8] {
        (0..<size.height).flatMap { y in (0..<size.width).flatMap { x in pixel(x, y) } }
    }

    /// Returns a bitmap with these pixels.
    static func bitmap(_ pixels: [UInt8]) throws -> Bitmap {
        let isOpaque = stride(from: 3, to: pixels.count, by: 4).allSatisfy { pixels[$0] == 255 }
        return try Bitmap(size: size, format: .rgba8Straight, isOpaque: isOpaque) { target in
            for y in 0..<size.height {
                let row = Array(pixels[y * size.width * 4..<(y + 1) * size.width * 4])
                target.row(y).copyMemory(from: row, byteCount: row.count)
            }
        }
    }
}
