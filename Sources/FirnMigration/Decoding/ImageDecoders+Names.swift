public import Firn
import Foundation
public import FoundationNetworking

extension ImageDecoders {
    /// There is a decoder for each format.
    @available(*, unavailable, message: "use ImageDecoders.standard, in which each decoder says which content it takes")
    public struct Default: ImageDecoding {
        /// There is a decoder for each format.
        public init() {}
        /// There is a decoder for each format.
        public init?(context: ImageDecodingContext) { nil }
        /// There is a decoder for each format.
        public func decode(_ data: Data) throws -> ImageContainer { throw ImageDecoderRegistry.noImage }
        /// None.
        public func recognizes(_ head: Data) -> ImageFormat? { nil }
        /// One that has no image.
        public func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
            WholeDataSession(EmptyDecoder(), limits, cancellation)
        }
    }

    /// A request for bytes needs no decoder.
    @available(*, unavailable, message: "use pipeline.data(for:), which loads bytes and decodes nothing")
    public struct Empty: ImageDecoding {
        /// A request for bytes needs no decoder.
        public init(assetType: AssetType? = nil, isProgressive: Bool = false) {}
        /// None.
        public func recognizes(_ head: Data) -> ImageFormat? { nil }
        /// One that has no image.
        public func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
            WholeDataSession(EmptyDecoder(), limits, cancellation)
        }
    }

    /// Videos are not decoded.
    @available(*, unavailable, message: "videos are not decoded; sequences of AVIF, HEIC, WebP, PNG and GIF are")
    public struct Video: ImageDecoding {
        /// Videos are not decoded.
        public init() {}
        /// Videos are not decoded.
        public init?(context: ImageDecodingContext) { nil }
        /// None.
        public func recognizes(_ head: Data) -> ImageFormat? { nil }
        /// One that has no image.
        public func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
            WholeDataSession(EmptyDecoder(), limits, cancellation)
        }
    }
}

extension ImageDecodingContext {
    /// What a decoder is chosen by.
    ///
    /// - Parameter isCompleted: not kept: a decoder is chosen by the first bytes, whether or not more are to come.
    @_disfavoredOverload
    public init(
        request: ImageRequest, data: Data, isCompleted: Bool = true, urlResponse: URLResponse? = nil,
        cacheType: ImageResponse.CacheType? = nil
    ) {
        self.init(request: request, data: data, response: urlResponse.map { DataResponse($0) }, cacheType: cacheType)
    }

    /// The response as a `URLResponse`.
    public var urlResponse: URLResponse? { response?.urlResponse }

    /// A decoder is chosen once.
    @available(
        *, unavailable, message: "a decoder is chosen once, by the first bytes; its session is told when the file ends"
    )
    public var isCompleted: Bool { true }

    /// Previews are a matter of the session.
    @available(
        *, unavailable, message: "previews are made by ImageDecodingSession.preview(_:), while a subscriber reads them"
    )
    public var previewPolicy: ImagePipeline.PreviewPolicy { .incremental }
}

extension ImageDecodingError {
    /// A decoder gave no image, for a reason that it does not say.
    public static var unknown: ImageDecodingError { ImageDecoderRegistry.noImage }
}
