package import FirnImage

/// A page of opaque RGB pixels that is being drawn. Pixels outside it are ignored.
package struct Canvas: ~Copyable {
    private let base: UnsafeMutableRawPointer
    private let bytesPerRow: Int
    package let size: PixelSize

    /// Creates a page of `size` that `body` draws.
    ///
    /// - Throws: `BitmapError` if there is no memory for it; the error of `body`.
    package static func draw(_ size: PixelSize, _ body: (borrowing Canvas) throws -> Void) throws -> Bitmap {
        try Bitmap(size: size, format: .rgb8, isOpaque: true) { pixels in
            try body(Canvas(base: pixels.base, bytesPerRow: pixels.bytesPerRow, size: pixels.size))
        }
    }

    /// Sets a pixel, if it is on the page.
    package func set(_ x: Int, _ y: Int, _ color: SRGBColor) {
        guard x >= 0, y >= 0, x < size.width, y < size.height else { return }
        let pixel = base + y * bytesPerRow + x * 3
        pixel.storeBytes(of: color.red, as: UInt8.self)
        pixel.storeBytes(of: color.green, toByteOffset: 1, as: UInt8.self)
        pixel.storeBytes(of: color.blue, toByteOffset: 2, as: UInt8.self)
    }

    /// Returns the color of a pixel; `nil` outside the page.
    func color(_ x: Int, _ y: Int) -> SRGBColor? {
        guard x >= 0, y >= 0, x < size.width, y < size.height else { return nil }
        let pixel = base + y * bytesPerRow + x * 3
        return SRGBColor(
            red: pixel.load(as: UInt8.self), green: pixel.load(fromByteOffset: 1, as: UInt8.self),
            blue: pixel.load(fromByteOffset: 2, as: UInt8.self))
    }

    package func fill(_ area: PixelArea, _ color: SRGBColor) {
        let left = max(0, area.x)
        let width = min(size.width, area.x + area.size.width) - left
        let rows = max(0, area.y)..<max(0, area.y, min(size.height, area.y + area.size.height))
        guard width > 0 else { return }
        let line = (0..<width * 3).map { $0 % 3 == 0 ? color.red : $0 % 3 == 1 ? color.green : color.blue }
        line.withUnsafeBytes { line in
            for y in rows {
                UnsafeMutableRawBufferPointer(start: base + y * bytesPerRow + left * 3, count: line.count)
                    .copyMemory(from: line)
            }
        }
    }

    /// Draws the outline of a rectangle, one pixel wide, inside it.
    package func frame(_ area: PixelArea, _ color: SRGBColor) {
        let row = PixelSize(width: area.size.width, height: 1)
        let column = PixelSize(width: 1, height: area.size.height)
        fill(PixelArea(x: area.x, y: area.y, size: row), color)
        fill(PixelArea(x: area.x, y: area.y + area.size.height - 1, size: row), color)
        fill(PixelArea(x: area.x, y: area.y, size: column), color)
        fill(PixelArea(x: area.x + area.size.width - 1, y: area.y, size: column), color)
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
