/// An encoder for tests: it writes files for ``ScriptedDecoder``, records its calls, and can fail.
///
/// A file holds the size of the image and nothing else; see ``ScriptedDecoder/image(_:)``.
public final class ScriptedEncoder: ImageEncoding {
    /// The sizes of the images to encode.
    public let sizes = Recorder<PixelSize>()
    /// The format that the encoder claims to write.
    public let format: ImageFormat
    private let error: ImageError?

    /// Creates an encoder.
    ///
    /// - Parameters:
    ///   - format: the format that it claims to write. Default: `test`, the format of ``ScriptedDecoder``.
    ///   - error: the error of every call. Default: no call fails.
    public init(format: ImageFormat = ImageFormat(rawValue: "test"), failingWith error: ImageError? = nil) {
        self.format = format
        self.error = error
    }

    /// Writes the size of `image`.
    ///
    /// - Throws: the error that the encoder was created with; ``/FirnImage/ImageError/Fault/cancelled`` if
    ///   `cancellation` is set.
    public func encode(
        _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
    ) throws(ImageError) -> Data {
        sizes.add(image.size)
        if cancellation.isCancelled { throw .init(CancellationError(), at: .encoding, format: format) }
        if let error { throw error }
        return ScriptedDecoder.image(image.size)
    }
}
