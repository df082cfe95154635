package import FirnImage

extension Canvas {
    /// Draws an image with its top left corner at a position. A checkered background is visible through transparent
    /// pixels.
    package func draw(_ image: Bitmap, x left: Int, y top: Int) {
        // Images with more bits are converted to 8 bits. Without memory for that, nothing is drawn.
        guard !image.format.isWide else {
            if let narrow = try? image.converted(to: .rgba8Straight) { draw(narrow, x: left, y: top) }
            return
        }
        let rows = max(0, -top)..<max(0, -top, min(image.size.height, size.height - top))
        let columns = max(0, -left)..<max(0, -left, min(image.size.width, size.width - left))
        let step = image.format.bytesPerPixel
        image.withUnsafeBytes { bytes in
            for row in rows {
                for column in columns {
                    let at = row * image.bytesPerRow + column * step
                    let ground = Canvas.ground(column, row)
                    let color =
                        switch image.format {
                        case .rgb8: RGBColor(red: bytes[at], green: bytes[at + 1], blue: bytes[at + 2])
                        case .bgra8Premultiplied:
                            RGBColor(
                                red: Canvas.over(bytes[at + 2], ground, bytes[at + 3]),
                                green: Canvas.over(bytes[at + 1], ground, bytes[at + 3]),
                                blue: Canvas.over(bytes[at], ground, bytes[at + 3]))
                        case .rgba8Straight, .rgba16Straight, .rgbaHalfPremultiplied:
                            RGBColor(
                                red: Canvas.blend(bytes[at], ground, bytes[at + 3]),
                                green: Canvas.blend(bytes[at + 1], ground, bytes[at + 3]),
                                blue: Canvas.blend(bytes[at + 2], ground, bytes[at + 3]))
                        }
                    set(left + column, top + row, color)
                }
            }
        }
    }

    /// Draws a premultiplied image with its top left corner at a position, over the existing pixels.
    func blend(_ image: Bitmap, x left: Int, y top: Int) {
        guard image.format == .bgra8Premultiplied else { return }
        image.withUnsafeBytes { bytes in
            for row in 0..<image.size.height {
                for column in 0..<image.size.width {
                    let at = row * image.bytesPerRow + column * 4
                    let alpha = bytes[at + 3]
                    guard alpha > 0, let ground = color(left + column, top + row) else { continue }
                    set(
                        left + column, top + row,
                        RGBColor(
                            red: Canvas.over(bytes[at + 2], ground.red, alpha),
                            green: Canvas.over(bytes[at + 1], ground.green, alpha),
                            blue: Canvas.over(bytes[at], ground.blue, alpha)))
                }
            }
        }
    }

    /// Returns the background: two grays in squares of 8 pixels.
    private static func ground(_ x: Int, _ y: Int) -> UInt8 { (x / 8 + y / 8) % 2 == 0 ? 0xA8 : 0xC0 }

    /// Blends a premultiplied sample with an opaque one.
    private static func over(_ sample: UInt8, _ ground: UInt8, _ alpha: UInt8) -> UInt8 {
        UInt8(clamping: Int(sample) + (Int(ground) * (255 - Int(alpha)) + 127) / 255)
    }

    /// Blends a straight sample with an opaque one.
    private static func blend(_ sample: UInt8, _ ground: UInt8, _ alpha: UInt8) -> UInt8 {
        UInt8(clamping: (Int(sample) * Int(alpha) + Int(ground) * (255 - Int(alpha)) + 127) / 255)
    }
}
