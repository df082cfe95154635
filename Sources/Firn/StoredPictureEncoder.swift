import FirnCodecs
public import FirnImage
public import FoundationEssentials

/// What made pictures are encoded by for the data cache: JPEG where they are opaque, else PNG, which keeps transparency.
public struct StoredPictureEncoder: ImageEncoding {
    private let quality: Double

    /// JPEG, the format of most; see ``encode(_:)``.
    public var format: ImageFormat { .jpeg }

    /// - Parameter quality: of the JPEGs, 0 to 1. Default: 0.9, at which a second encoding is not seen.
    public init(quality: Double = 0.9) { self.quality = quality }

    /// Encodes a picture in the format that suits it.
    public func encode(_ image: Bitmap) throws(EncodingError) -> Data {
        if image.isOpaque || !image.format.hasAlpha { return try JPEGEncoder(quality: quality).encode(image) }
        return try PNGEncoder().encode(image)
    }
}
