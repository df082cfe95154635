public import FoundationEssentials

/// Writes images, in one format or in one that suits each.
///
/// What is written holds the pixels and the metadata asked for; by default, where colors are not sRGB, what they mean, and
/// nothing else. Pixels are upright, and so is what is written: there is no orientation to be applied.
public protocol ImageEncoding: Sendable {
    /// The format written; for an encoder that chooses, that of opaque images of 8 bits.
    var format: ImageFormat { get }

    /// The format in which `image` would be written.
    ///
    /// - Complexity: an encoder that chooses may look at every pixel, in the search for one that is not opaque.
    func format(for image: Bitmap) -> ImageFormat

    /// Encodes `image` as a whole file, unless `cancellation` is set before or meanwhile. Deterministic: equal images with
    /// equal metadata give equal bytes.
    ///
    /// - Throws: ``ImageEncodingError``; of ``ImageEncodingError/Fault/cancelled`` once the flag is seen. How often an encoder looks is
    ///   its own affair; those of Firn do every few rows where their library lets them.
    func encode(
        _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
    ) throws(ImageEncodingError) -> Data
}

/// What follows from the above.
extension ImageEncoding {
    /// Always the same.
    public func format(for image: Bitmap) -> ImageFormat { format }

    /// Encodes `image` with its profile and no other metadata.
    ///
    /// - Throws: ``ImageEncodingError``.
    public func encode(_ image: Bitmap) throws(ImageEncodingError) -> Data {
        try encode(image, metadata: EncodingMetadata(), cancellation: CancellationFlag())
    }

    /// The same, unless `cancellation` is set before or meanwhile.
    ///
    /// - Throws: ``ImageEncodingError``.
    public func encode(_ image: Bitmap, cancellation: CancellationFlag) throws(ImageEncodingError) -> Data {
        try encode(image, metadata: EncodingMetadata(), cancellation: cancellation)
    }
}
