import FirnSync
public import FoundationNetworking

/// A decoder that was written for Nuke: whole data in, image out.
///
/// Replace `ImageDecoding` by `NukeImageDecoding` in the type's declaration; it then is an
/// ``/FirnImage/ImageDecoding``. Its image is scaled to the requested size afterward, so it needs more memory than a
/// decoder that decodes to a size.
public protocol NukeImageDecoding: ImageDecoding {
    /// Returns the image of a whole file.
    ///
    /// - Throws: any error. The request then fails with the stage `decoding`.
    func decode(_ data: Data) throws -> ImageContainer

    /// Returns a preview of the bytes so far; `nil` (the default) if there is none.
    func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer?
}

extension NukeImageDecoding {
    /// Returns `nil`: there are no previews.
    public func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer? { nil }

    /// Accepts all content, as a decoder of Nuke does: ``ImageDecoderRegistry`` or the configuration's
    /// `makeImageDecoder` chooses its content. As one of several decoders it hides those after it.
    public func recognizes(_ head: Data) -> ImageFormat? {
        ImageFormat(head) ?? ImageFormat(rawValue: "unknown")
    }

    /// Collects the bytes of a file for `decode(_:)`.
    public func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        WholeDataSession(self, limits, cancellation)
    }
}

/// Collects the bytes of a file for a decoder that needs all of them.
///
/// Invariant: `whole` is set once, after ``finish()``; from then on the bytes are not needed.
private final class WholeDataSession: ImageDecodingSession {
    private let decoder: any NukeImageDecoding
    private let limits: ImageLimits
    private let cancellation: CancellationFlag
    private var data = Data()
    private var isFinished = false
    private var whole: Result<ImageContainer, ImageError>?
    /// The size of the first preview, reported as the image's size until the end.
    private var previewSize: PixelSize?
    /// A preview that was made to learn the size and has not been shown.
    private var unseen: Bitmap?
    private var previewedCount = 0

    init(_ decoder: any NukeImageDecoding, _ limits: ImageLimits, _ cancellation: CancellationFlag) {
        self.decoder = decoder
        self.limits = limits
        self.cancellation = cancellation
    }

    func append(_ data: Data) throws(ImageError) {
        guard data.count <= limits.maximumBytes - self.data.count else {
            throw ImageError(.limit, at: .decoding, "the file is longer than \(limits.maximumBytes) bytes")
        }
        self.data.append(data)
    }

    func finish() { isFinished = true }

    func properties() throws(ImageError) -> ImageProperties? {
        if isFinished {
            let container = try image()
            return ImageProperties(format: container.format ?? format, size: container.image.size)
        }
        if previewSize == nil { unseen = nextPreview() }
        return previewSize.map { ImageProperties(format: format, size: $0) }
    }

    func workingBytes(for options: DecodingOptions) -> Int {
        let area = (previewSize ?? (try? whole?.get().image.size))?.area ?? 0
        return area.saturatingMultiply(options.pixelFormat.bytesPerPixel)
    }

    func preview(_ options: DecodingOptions) throws(ImageError) -> Bitmap? {
        let image = unseen ?? nextPreview()
        unseen = nil
        return try image.map { (image) throws(ImageError) in try converted(image, options) }
    }

    func decode(_ options: DecodingOptions) throws(ImageError) -> Bitmap {
        guard isFinished else {
            throw ImageError(.incomplete, at: .decoding, "the decoder needs all bytes of the file")
        }
        return try converted(image().image, options)
    }

    private var format: ImageFormat { decoder.recognizes(data.prefix(ImageFormat.sniffLength)) ?? .jpeg }

    private func nextPreview() -> Bitmap? {
        guard data.count > previewedCount else { return nil }
        previewedCount = data.count
        guard let preview = decoder.decodePartiallyDownloadedData(data) else { return nil }
        if previewSize == nil { previewSize = preview.image.size }
        return preview.image
    }

    private func image() throws(ImageError) -> ImageContainer {
        if let whole { return try whole.get() }
        if cancellation.isCancelled { throw ImageError(.cancelled, at: .decoding, "decoding was cancelled") }
        let result = Result { try decoder.decode(data) }.mapError { error in
            error as? ImageError ?? ImageError(.data, at: .decoding, "\(error)", underlying: error)
        }
        whole = result
        data = Data()
        return try result.get()
    }

    private func converted(_ image: Bitmap, _ options: DecodingOptions) throws(ImageError) -> Bitmap {
        // An image with transparency cannot have an opaque layout.
        guard options.pixelFormat != image.format, options.pixelFormat.hasAlpha || image.isOpaque else { return image }
        do {
            return try image.converted(to: options.pixelFormat)
        } catch { throw ImageError(.limit, at: .decoding, "\(error)") }
    }
}

/// An encoder that was written for Nuke, with `encode(_:)` alone.
///
/// Replace `ImageEncoding` by `NukeImageEncoding` in the type's declaration; it then is an
/// ``/FirnImage/ImageEncoding``. It receives no metadata, and cancellation is checked only before it starts.
public protocol NukeImageEncoding: ImageEncoding {
    /// Returns the image as a file; `nil` if it cannot be encoded.
    func encode(_ image: Bitmap) -> Data?
}

extension NukeImageEncoding {
    /// `unknown`. Only reports use the name.
    public var format: ImageFormat { ImageFormat(rawValue: "unknown") }

    /// Returns the image as a file.
    ///
    /// - Throws: an error of the fault `image` if `encode(_:)` returned `nil`, of the fault `cancelled` once the
    /// flag is set.
    public func encode(
        _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
    ) throws(ImageError) -> Data {
        if cancellation.isCancelled { throw .init(CancellationError(), at: .encoding, format: format) }
        let encoded: Data? = encode(image)
        guard let encoded else {
            throw ImageError(.image, at: .encoding, "encode(_:) returned no data", format: format)
        }
        return encoded
    }
}

extension ImageEncoders {
    /// Nuke's name of ``/FirnCodecs/FirnImage/ImageEncoding/automatic(quality:)``.
    public struct Default: ImageEncoding {
        private let encoder: any ImageEncoding

        /// Creates an encoder.
        public init(compressionQuality: Double = 0.85) { encoder = .automatic(quality: compressionQuality) }

        /// Always `jpeg`, the format of most images.
        public var format: ImageFormat { encoder.format }

        /// Returns JPEG if that loses neither transparency nor bits, otherwise PNG.
        public func format(for image: Bitmap) -> ImageFormat { encoder.format(for: image) }

        /// Encodes `image` in the format that suits it.
        ///
        /// - Throws: the error of that format's encoder.
        public func encode(
            _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
        ) throws(ImageError) -> Data {
            try encoder.encode(image, metadata: metadata, cancellation: cancellation)
        }
    }
}

extension ImageEncoding {
    /// Returns the image of a container as a file; `nil` if it cannot be encoded.
    public func encode(_ container: ImageContainer, context: ImageEncodingContext) -> Data? {
        try? encode(container.image, metadata: EncodingMetadata(), cancellation: CancellationFlag())
    }
}

extension ImageEncodingContext {
    /// Creates the context by which an encoder is chosen. It has no response.
    public init(request: ImageRequest, image: Bitmap, urlResponse: URLResponse?) {
        self.init(request: request, container: ImageContainer(image: image))
    }
}
