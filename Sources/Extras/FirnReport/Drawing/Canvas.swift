/// A page of opaque RGB pixels to draw on. Pixels outside it are ignored.
package struct Canvas: ~Copyable {
    private let base: UnsafeMutableRawPointer
    private let bytesPerRow: Int
    package let size: PixelSize

    /// Creates a page of `size` and draws it with `body`.
    ///
    /// - Throws: `ImageError` if there is no memory for it, or if `body` throws.
    package static func draw(_ size: PixelSize, _ body: (borrowing Canvas) throws -> Void) throws -> Bitmap {
        try Bitmap(size: size, format: .rgb8, isOpaque: true) { pixels in
            try body(Canvas(base: pixels.base, bytesPerRow: pixels.bytesPerRow, size: pixels.size))
        }
    }

    private func pixel(_ x: Int, _ y: Int) -> UnsafeMutableRawPointer? {
        x >= 0 && y >= 0 && x < size.width && y < size.height ? base + y * bytesPerRow + x * 3 : nil
    }

    /// Sets a pixel, if it is on the page.
    package func set(_ x: Int, _ y: Int, _ color: SRGBColor) {
        pixel(x, y)?.storeBytes(of: (color.red, color.green, color.blue), as: (UInt8, UInt8, UInt8).self)
    }

    /// Returns the color of a pixel; `nil` outside the page.
    func color(_ x: Int, _ y: Int) -> SRGBColor? {
        guard let (red, green, blue) = pixel(x, y)?.load(as: (UInt8, UInt8, UInt8).self) else { return nil }
        return SRGBColor(red: red, green: green, blue: blue)
    }

    package func fill(_ area: PixelArea, _ color: SRGBColor) {
        let columns = max(0, area.x)..<max(0, area.x, min(size.width, area.x + area.size.width))
        for y in max(0, area.y)..<max(0, area.y, min(size.height, area.y + area.size.height)) {
            for x in columns { set(x, y, color) }
        }
    }

    /// Draws an image with its top left corner at a position, over a checkered background or the existing pixels.
    package func draw(_ image: Bitmap, x left: Int, y top: Int, isCheckered: Bool = true) {
        // Without memory for a conversion, nothing is drawn.
        guard let image = try? image.converted(to: .rgba8Straight) else { return }
        let rows = max(0, -top)..<max(0, -top, min(image.size.height, size.height - top))
        let columns = max(0, -left)..<max(0, -left, min(image.size.width, size.width - left))
        image.withUnsafeBytes { bytes in
            for row in rows {
                for column in columns {
                    let at = row * image.bytesPerRow + column * 4
                    guard var below = color(left + column, top + row) else { continue }
                    // Two grays in squares of 8 pixels.
                    if isCheckered { below = SRGBColor((column / 8 + row / 8) % 2 == 0 ? 0xA8_A8A8 : 0xC0_C0C0) }
                    let alpha = Int(bytes[at + 3])
                    func sample(_ channel: Int, _ ground: UInt8) -> UInt8 {
                        UInt8(clamping: (Int(bytes[at + channel]) * alpha + Int(ground) * (255 - alpha) + 127) / 255)
                    }
                    set(
                        left + column, top + row,
                        SRGBColor(
                            red: sample(0, below.red), green: sample(1, below.green), blue: sample(2, below.blue)))
                }
            }
        }
    }
}

extension SRGBColor {
    /// Creates an opaque color from a number such as `0xE6E6E6`.
    package init(_ hex: UInt32) {
        self.init(
            red: UInt8(truncatingIfNeeded: hex >> 16), green: UInt8(truncatingIfNeeded: hex >> 8),
            blue: UInt8(truncatingIfNeeded: hex))
    }
}
