public import Firn
import FirnPipeline
import FirnSync
import Foundation
public import FoundationNetworking

/// Decoders that are chosen by a closure, for one registry or for all pipelines of the process.
///
/// Every pipeline asks ``shared`` before its own decoders, unless its delegate implements
/// `imageDecoder(for:pipeline:)`. Another registry is used only if a configuration's `makeImageDecoder` asks it.
public final class ImageDecoderRegistry: Sendable {
    /// The registry that pipelines ask.
    public static let shared = ImageDecoderRegistry(isShared: true)

    private let isShared: Bool
    private let makers = Locked<[RegisteredDecoders.Maker]>([])

    /// A registry that has nothing registered: it knows the decoders that come with Firn.
    public convenience init() { self.init(isShared: false) }

    private init(isShared: Bool) { self.isShared = isShared }

    /// The decoder of content: of the closure that was registered last and does not return `nil`; if there is none, the
    /// decoder of Firn that recognizes the content.
    public func decoder(for context: ImageDecodingContext) -> (any ImageDecoding)? {
        if isShared, let decoder = RegisteredDecoders.decoder(for: context) { return decoder }
        for maker in makers.withLock({ $0 }) {
            if let decoder = maker(context) { return decoder }
        }
        return ImageDecoders.standard.first { $0.recognizes(context.data) != nil }
    }

    /// Registers a closure that returns a decoder of the content, or `nil` if it is none of its own. Called on any
    /// thread.
    public func register(_ match: @escaping @Sendable (ImageDecodingContext) -> (any ImageDecoding)?) {
        if isShared { return RegisteredDecoders.register(match) }
        makers.withLock { $0.insert(match, at: 0) }
    }

    /// Removes what was registered. The decoders that come with Firn stay.
    public func clear() {
        if isShared { return RegisteredDecoders.removeAll() }
        // Order: what the closures hold is released without the lock.
        _ = makers.withLock { makers in
            defer { makers = [] }
            return makers
        }
    }
}

extension ImageDecodingContext {
    /// The content by which a decoder is chosen.
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
}

extension ImageDecodingError {
    /// A decoder gave no image, for a reason that it does not say.
    public static var unknown: ImageDecodingError { ImageDecodingError(.data, "the decoder gave no image") }
}
