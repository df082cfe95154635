/// A rectangle of whole pixels within an image.
///
/// Holds any integers. ``ImageRegion/resolved(in:)`` returns areas that lie in an image and are not empty.
package struct PixelArea: Hashable, Sendable, CustomStringConvertible {
    /// The first column, counted from the left edge.
    package var x: Int
    /// The first row, counted from the top edge.
    package var y: Int
    /// The numbers of columns and rows.
    package var size: PixelSize

    /// Creates an area of `size` whose top left pixel is in column `x` and row `y`.
    package init(x: Int, y: Int, size: PixelSize) {
        self.x = x
        self.y = y
        self.size = size
    }

    /// Creates the area of a whole image.
    package init(_ size: PixelSize) { self.init(x: 0, y: 0, size: size) }

    /// Whether the area has no pixel.
    package var isEmpty: Bool { size.isEmpty }

    /// `X,Y,WIDTHxHEIGHT`.
    package var description: String { "\(x),\(y),\(size)" }
}
