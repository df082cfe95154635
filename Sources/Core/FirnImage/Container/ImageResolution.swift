/// The number of pixels in an inch of a row and of a column, by which the printed size of an image is known.
public struct ImageResolution: Hashable, Sendable {
    /// Pixels per inch of a row.
    public var horizontal: Double
    /// Pixels per inch of a column.
    public var vertical: Double

    /// Creates a resolution.
    public init(horizontal: Double, vertical: Double) {
        self.horizontal = horizontal
        self.vertical = vertical
    }

    /// The resolution with its sides exchanged, as that of an image that is turned by a quarter.
    package var transposed: ImageResolution { ImageResolution(horizontal: vertical, vertical: horizontal) }

    /// Returns the resolution of an image whose pixels were resized from `size` to `other`, which is printed at the
    /// same size.
    package func resized(from size: PixelSize, to other: PixelSize) -> ImageResolution? {
        guard !size.isEmpty, !other.isEmpty else { return nil }
        return ImageResolution(
            horizontal: horizontal * Double(other.width) / Double(size.width),
            vertical: vertical * Double(other.height) / Double(size.height))
    }
}
