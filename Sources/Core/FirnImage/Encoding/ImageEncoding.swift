public import FoundationEssentials

/// Encodes images, in one format or in a format chosen for each image.
///
/// Files hold the pixels and the requested metadata: by default the color profile if colors are not sRGB, and nothing
/// else. Pixels are upright, and files state no orientation.
public protocol ImageEncoding: Sendable {
    /// The format; for an encoder that chooses, that of opaque images of 8 bits.
    var format: ImageFormat { get }

    /// Returns the format in which `image` would be written.
    ///
    /// - Complexity: O(pixels) for an encoder that chooses by transparency.
    func format(for image: Bitmap) -> ImageFormat

    /// Encodes `image` as a whole file, unless `cancellation` is set. Deterministic: equal images with equal metadata
    /// give equal bytes.
    ///
    /// - Throws: ``ImageEncodingError``; ``ImageEncodingError/Fault/cancelled`` if the flag is set. Encoders check
    ///   often as their library permits.
    func encode(
        _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
    ) throws(ImageEncodingError) -> Data
}

/// Defaults and shorter forms.
extension ImageEncoding {
    /// Returns ``format``.
    public func format(for image: Bitmap) -> ImageFormat { format }

    /// Encodes `image` with its profile and no other metadata.
    ///
    /// - Throws: ``ImageEncodingError``.
    public func encode(_ image: Bitmap) throws(ImageEncodingError) -> Data {
        try encode(image, metadata: EncodingMetadata(), cancellation: CancellationFlag())
    }

    /// Encodes `image` with its profile and no other metadata, unless `cancellation` is set.
    ///
    /// - Throws: ``ImageEncodingError``.
    public func encode(_ image: Bitmap, cancellation: CancellationFlag) throws(ImageEncodingError) -> Data {
        try encode(image, metadata: EncodingMetadata(), cancellation: cancellation)
    }
}
