public import Firn
import Foundation
public import FoundationNetworking

/// An encoder that was written for Nuke, with `encode(_:)` alone.
///
/// Replace `ImageEncoding` by `NukeImageEncoding` in the type's declaration; it then is an
/// ``/FirnImage/ImageEncoding``. Metadata are not passed to it, and a cancellation is checked before it starts.
public protocol NukeImageEncoding: ImageEncoding {
    /// The image as a file; `nil` if it cannot be encoded.
    func encode(_ image: Bitmap) -> Data?
}

extension NukeImageEncoding {
    /// `unknown`: what is written says its format itself. Only reports use the name.
    public var format: ImageFormat { ImageFormat(rawValue: "unknown") }

    /// The image as a file.
    ///
    /// - Throws: an error of the fault `image` if `encode(_:)` returned `nil`, of the fault `cancelled` once the
    /// flag is set.
    public func encode(
        _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
    ) throws(ImageEncodingError) -> Data {
        if cancellation.isCancelled { throw .cancelled(format) }
        let encoded: Data? = encode(image)
        guard let encoded else { throw ImageEncodingError(format: format, message: "encode(_:) returned no data") }
        return encoded
    }
}

extension ImageEncoding {
    /// The image of a container as a file; `nil` if it cannot be encoded.
    public func encode(_ container: ImageContainer, context: ImageEncodingContext) -> Data? {
        try? encode(container.image, metadata: EncodingMetadata(), cancellation: CancellationFlag())
    }
}

extension ImageEncodingContext {
    /// The context that an encoder is chosen by; it has no response.
    public init(request: ImageRequest, image: Bitmap, urlResponse: URLResponse?) {
        self.init(request: request, container: ImageContainer(image: image))
    }
}
