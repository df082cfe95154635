package import FirnImage

/// What a request means for an image of known size. Steps are applied in the order of the properties.
package struct IIIFPlan: Equatable, Sendable {
    /// The part of the upright image that is returned.
    package let region: PixelArea
    /// The size to which the region is scaled, before the rotation.
    package let size: PixelSize
    /// Whether left and right are exchanged before the rotation.
    package let isMirrored: Bool
    /// The clockwise rotation in steps of 90 degrees, 0 to 3.
    package let quarterTurns: Int
    /// The colors of the result.
    package let quality: IIIFQuality
    /// The file format of the result.
    package let format: IIIFFormat
    /// The canonical parameters, such as `0,0,512,512/256,256/0/default.jpg`. Equal for requests with equal results.
    package let canonical: String

    /// The size of the result, after the rotation.
    package var resultSize: PixelSize {
        quarterTurns.isMultiple(of: 2) ? size : PixelSize(width: size.height, height: size.width)
    }
}
