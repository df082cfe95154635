import FirnSync
import Foundation

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
