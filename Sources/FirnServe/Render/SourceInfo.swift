package import FirnCodecs
package import FirnImage

/// What a plan needs to know of a source.
package struct SourceInfo: Sendable, Equatable {
    package let format: ImageFormat
    /// The size of the upright image.
    package let size: PixelSize
    /// The exact size of a drawing, of which ``size`` is rounded; `nil` for an image of pixels.
    package var vectorSize: VectorSize?
    /// How the stored image is turned for display.
    package var orientation = ImageOrientation.up
    package let hasAlpha: Bool
    /// The bits of a sample.
    package var bitDepth = 8
    /// The frames of an animation; 1 for stills, whatever pages they have.
    package let frameCount: Int
    /// Who made it, and who holds its rights; `nil` if it does not state that.
    package var copyright: CopyrightNotice?
    package var isVector: Bool { vectorSize != nil }
    /// What sizes of results are computed from.
    package var extent: ImageExtent { ImageExtent(size, vector: vectorSize) }
}
