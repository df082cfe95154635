/// A rectangle of whole pixels within an image.
///
/// Holds any integers. ``ImageRegion/resolved(in:)`` returns areas that lie in an image and are not empty.
public struct PixelArea: Hashable, Sendable, CustomStringConvertible {
    /// The first column, counted from the left edge.
    public var x: Int
    /// The first row, counted from the top edge.
    public var y: Int
    /// The numbers of columns and rows.
    public var size: PixelSize

    /// Creates an area of `size` whose top left pixel is in column `x` and row `y`.
    public init(x: Int, y: Int, size: PixelSize) {
        self.x = x
        self.y = y
        self.size = size
    }

    /// Creates the area of a whole image.
    public init(_ size: PixelSize) { self.init(x: 0, y: 0, size: size) }

    /// Whether the area has no pixel.
    public var isEmpty: Bool { size.isEmpty }

    /// `X,Y,WIDTHxHEIGHT`.
    public var description: String { "\(x),\(y),\(size)" }
}
