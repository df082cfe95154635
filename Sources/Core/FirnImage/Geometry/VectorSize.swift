/// The intrinsic size of a vector image, in pixels of 1/96 inch.
///
/// The sides may be fractional. Only their ratio is binding: the image is rendered at any requested size.
package struct VectorSize: Hashable, Sendable {
    /// The width; above 0.
    package var width: Double
    /// The height; above 0.
    package var height: Double

    package init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    /// The longest side at which vector images are rendered, cairo's limit for surfaces. Larger images are scaled down.
    package static let longestSide = 32_767

    /// True if both sides are numbers above 0.
    var isValid: Bool { width > 0 && height > 0 && width.isFinite && height.isFinite }
}

/// The size of an image or of a part of it, for resolving a target.
package struct ImageExtent: Hashable, Sendable {
    /// The pixels at the image's own size.
    package let pixels: PixelSize
    /// The exact size of a vector image; `nil` for an image of pixels.
    package let vector: VectorSize?

    /// Creates the extent of an image of `pixels`, or of a vector image if `vector` is valid.
    package init(_ pixels: PixelSize, vector: VectorSize? = nil) {
        self.pixels = pixels
        self.vector = vector.flatMap { $0.isValid && !pixels.isEmpty ? $0 : nil }
    }

    /// The extent with its sides exchanged.
    package var transposed: ImageExtent {
        ImageExtent(pixels.transposed, vector: vector.map { VectorSize(width: $0.height, height: $0.width) })
    }

    /// Returns the extent of a part of `size` pixels.
    package func part(_ size: PixelSize) -> ImageExtent {
        guard let vector, size != pixels else { return ImageExtent(size, vector: vector) }
        return ImageExtent(
            size,
            vector: VectorSize(
                width: vector.width * Double(size.width) / Double(pixels.width),
                height: vector.height * Double(size.height) / Double(pixels.height)))
    }
}
