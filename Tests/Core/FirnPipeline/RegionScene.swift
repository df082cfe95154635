import FirnImage

/// Images for tests of regions: smooth, with a few edges, and different at every place.
enum RegionScene {
    static func image(_ size: PixelSize, hasAlpha: Bool = false) throws -> Bitmap {
        try Bitmap(size: size, isOpaque: !hasAlpha) { pixels in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let alpha = hasAlpha ? 128 + (x / 3 + y / 5) % 128 : 255
                    let first = x * 255 / max(1, size.width - 1) * alpha / 255
                    let second = y * 255 / max(1, size.height - 1) * alpha / 255
                    let third = ((x / 40 + y / 30) % 2 == 0 ? 40 : 200) * alpha / 255
                    let pixel = UInt32(first | second << 8 | third << 16 | alpha << 24)
                    pixels.row(y).storeBytes(of: pixel, toByteOffset: 4 * x, as: UInt32.self)
                }
            }
        }
    }

    /// Returns an image of random pixels, multiplied by alpha.
    static func noise(_ size: PixelSize, isOpaque: Bool = false) throws -> Bitmap {
        try Bitmap(size: size, isOpaque: isOpaque) { pixels in
            var number: UInt32 = 1
            for y in 0..<size.height {
                for x in 0..<size.width {
                    number = number &* 1_664_525 &+ 1_013_904_223
                    let alpha = isOpaque ? 255 : UInt32(64 + (number >> 8) % 192)
                    for place in 0..<3 {
                        pixels.row(y).storeBytes(
                            of: UInt8((number >> (8 * UInt32(place))) % 256 * alpha / 255), toByteOffset: 4 * x + place,
                            as: UInt8.self)
                    }
                    pixels.row(y).storeBytes(of: UInt8(alpha), toByteOffset: 4 * x + 3, as: UInt8.self)
                }
            }
        }
    }

    /// The bytes of each row of a part of an image.
    static func rows(_ image: Bitmap, _ area: PixelArea? = nil) -> [[UInt8]] {
        let area = area ?? PixelArea(image.size)
        let step = image.format.bytesPerPixel
        return image.withUnsafeBytes { bytes in
            (area.y..<area.y + area.size.height).map { y in
                Array(bytes[(y * image.bytesPerRow + area.x * step)...].prefix(area.size.width * step))
            }
        }
    }

    /// The largest difference of two images of one size, without a border.
    static func difference(_ a: Bitmap, _ b: Bitmap, border: Int = 0) -> Int {
        guard a.size == b.size else { return .max }
        let inner = PixelArea(
            x: border, y: border,
            size: PixelSize(width: max(0, a.size.width - 2 * border), height: max(0, a.size.height - 2 * border)))
        return zip(rows(a, inner).joined(), rows(b, inner).joined()).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
    }
}
