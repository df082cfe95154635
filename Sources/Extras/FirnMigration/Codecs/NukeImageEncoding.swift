import Foundation
public import FoundationNetworking

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
