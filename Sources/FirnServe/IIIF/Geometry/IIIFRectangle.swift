/// A rectangle in pixels of the upright image, never empty and never beyond its edges.
package struct IIIFRectangle: Hashable, Sendable {
    package let x: Int
    package let y: Int
    package let width: Int
    package let height: Int

    /// The size of the rectangle.
    package var size: IIIFPixelSize { IIIFPixelSize(width: width, height: height) }

    package init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }
}
