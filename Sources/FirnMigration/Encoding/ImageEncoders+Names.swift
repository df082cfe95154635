public import Firn
import Foundation
public import FoundationNetworking

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

extension ImageEncoders {
    /// Image I/O is Apple's.
    @available(
        *, unavailable, message: "use ImageEncoders.encoder(for:quality:), or JPEGEncoder, WebPEncoder, AVIFEncoder"
    )
    public struct ImageIO {
        /// Image I/O is Apple's.
        public init(type: AssetType, compressionRatio: Float = 0.8) {}
        /// Image I/O is Apple's.
        public static func isSupported(type: AssetType) -> Bool { false }
    }
}

extension ImageEncoders.Default {
    /// HEIC is not written.
    @available(*, unavailable, message: "HEIC is not written; use AVIFEncoder, WebPEncoder or JXLEncoder")
    public static var isHEIFPreferred: Bool {
        get { false }
        set {}
    }
}
