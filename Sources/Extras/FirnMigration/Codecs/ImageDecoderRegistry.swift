import FirnSync
import Foundation
public import FoundationNetworking

/// Decoders that are chosen by a closure, for one registry or for all pipelines of the process.
///
/// Every pipeline asks ``shared`` before its own decoders, unless its delegate implements
/// `imageDecoder(for:pipeline:)`. Another registry is used only if a configuration's `makeImageDecoder` asks it.
public final class ImageDecoderRegistry: Sendable {
    /// The registry that pipelines ask.
    public static let shared = ImageDecoderRegistry(.shared)

    private let registered: RegisteredDecoders
    /// The registered closures by their token.
    private let matches = Locked<[RegistrationToken: RegisteredDecoders.Maker]>([:])

    /// Creates a registry with the decoders that come with Firn.
    public convenience init() { self.init(RegisteredDecoders()) }

    private init(_ registered: RegisteredDecoders) { self.registered = registered }

    /// Returns the decoder of the closure that was registered last and does not return `nil`; if there is none, the
    /// decoder of Firn that recognizes the content.
    public func decoder(for context: ImageDecodingContext) -> (any ImageDecoding)? {
        registered.decoder(for: context) ?? ImageDecoders.standard.first { $0.recognizes(context.data) != nil }
    }

    /// Names a registered closure.
    public typealias RegistrationToken = UUID

    /// Registers a closure that returns a decoder of the content, or `nil` if it has none. It is called on any thread.
    ///
    /// - Returns: a token to unregister the closure.
    @discardableResult
    public func register(
        _ match: @escaping @Sendable (ImageDecodingContext) -> (any ImageDecoding)?
    ) -> RegistrationToken {
        let token = RegistrationToken()
        matches.withLock { $0[token] = match }
        registered.register { [weak self] context in
            let match = self?.matches.withLock { $0[token] }
            return match?(context)
        }
        return token
    }

    /// Releases a registered closure. It is not called any more.
    public func unregister(_ token: RegistrationToken) { _ = matches.withLock { $0.removeValue(forKey: token) } }

    /// Removes all registered closures. The decoders that come with Firn stay.
    public func clear() {
        registered.removeAll()
        _ = matches.withLock { exchange(&$0, with: [:]) }
    }
}

extension ImageDecodingContext {
    /// The content by which a decoder is chosen.
    ///
    /// - Parameter isCompleted: ignored. A decoder is chosen by the first bytes, even if more bytes follow.
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

/// Nuke's name for the errors of decoders.
public typealias ImageDecodingError = ImageError

extension ImageError {
    /// The error of a decoder that returned no image and no reason.
    public static var unknown: ImageError { ImageError(.data, at: .decoding, "the decoder gave no image") }
}
