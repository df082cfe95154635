package import FirnImage

/// A rectangle of the page, in pixels from its top left corner.
package struct PixelRect: Hashable, Sendable {
    package var x: Int
    package var y: Int
    package var width: Int
    package var height: Int

    package init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The size of the rectangle.
    package var size: PixelSize { PixelSize(width: width, height: height) }

    /// Returns the rectangle without a border of `inset` pixels on every side.
    package func inset(by inset: Int) -> PixelRect {
        PixelRect(x: x + inset, y: y + inset, width: max(0, width - 2 * inset), height: max(0, height - 2 * inset))
    }

    /// Returns a rectangle of `size` centered in this one.
    package func centered(_ size: PixelSize) -> PixelRect {
        PixelRect(
            x: x + (width - size.width) / 2, y: y + (height - size.height) / 2, width: size.width, height: size.height)
    }
}
