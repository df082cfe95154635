package import FirnImage

extension Canvas {
    /// Draws an image with its top left corner at a position. A checkered background is visible through transparent
    /// pixels.
    package func draw(_ image: Bitmap, x left: Int, y top: Int) {
        draw(image, left, top) { column, row, _ in
            // Two grays in squares of 8 pixels.
            let gray: UInt8 = (column / 8 + row / 8) % 2 == 0 ? 0xA8 : 0xC0
            return SRGBColor(red: gray, green: gray, blue: gray)
        }
    }

    /// Draws an image with its top left corner at a position, over the existing pixels.
    func blend(_ image: Bitmap, x left: Int, y top: Int) { draw(image, left, top) { _, _, color in color } }

    /// - Parameter ground: the color below a pixel, by its place in the image and the existing color.
    private func draw(_ image: Bitmap, _ left: Int, _ top: Int, over ground: (Int, Int, SRGBColor) -> SRGBColor) {
        // Without memory for a conversion, nothing is drawn.
        guard let image = try? image.converted(to: .rgba8Straight) else { return }
        let rows = max(0, -top)..<max(0, -top, min(image.size.height, size.height - top))
        let columns = max(0, -left)..<max(0, -left, min(image.size.width, size.width - left))
        image.withUnsafeBytes { bytes in
            for row in rows {
                for column in columns {
                    let at = row * image.bytesPerRow + column * 4
                    guard let old = color(left + column, top + row) else { continue }
                    let (below, alpha) = (ground(column, row, old), Int(bytes[at + 3]))
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
