public import FoundationEssentials

/// Writes pictures, in one format or in one that suits each.
///
/// What is written holds the pixels and, where they are not sRGB, what their colours mean. It holds no other metadata: no
/// EXIF data, no place, no time. Pixels are upright, and so is what is written: there is no orientation to be applied.
public protocol ImageEncoding: Sendable {
    /// The format written; for an encoder that chooses, that of opaque pictures of 8 bits.
    var format: ImageFormat { get }

    /// The format in which `image` would be written.
    ///
    /// - Complexity: an encoder that chooses may look at every pixel, in the search for one that is not opaque.
    func format(for image: Bitmap) -> ImageFormat

    /// Encodes `image` as a whole file. Deterministic: equal pictures give equal bytes.
    ///
    /// - Throws: ``EncodingError``.
    func encode(_ image: Bitmap) throws(EncodingError) -> Data

    /// The same, unless `cancellation` is set before or meanwhile.
    ///
    /// - Throws: ``EncodingError``; of ``EncodingError/Fault/cancelled`` once the flag is seen. How often an encoder looks is
    ///   its own affair; those of Firn do every few rows where their library lets them.
    func encode(_ image: Bitmap, cancellation: CancellationFlag) throws(EncodingError) -> Data
}

/// What a simple encoder need not provide.
extension ImageEncoding {
    /// Always the same.
    public func format(for image: Bitmap) -> ImageFormat { format }

    /// Looks at the flag once, before.
    public func encode(_ image: Bitmap, cancellation: CancellationFlag) throws(EncodingError) -> Data {
        guard !cancellation.isCancelled else { throw EncodingError.cancelled(format) }
        return try encode(image)
    }
}
