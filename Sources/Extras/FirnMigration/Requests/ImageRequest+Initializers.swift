public import Firn
import Foundation
public import FoundationNetworking

// Nuke's initializers: `userInfo`, `URLRequest`, and `data` before the rest.
extension ImageRequest {
    /// Creates a request with attached values; `imageIdKey` and `thumbnailKey` set
    /// ``/FirnPipeline/ImageRequest/imageID`` and ``/FirnPipeline/ImageRequest/targetSize``.
    public init(
        url: URL?, processors: [any ImageProcessing] = [], priority: Priority = .normal, options: Options = [],
        userInfo: [UserInfoKey: any Sendable]?
    ) {
        self.init(url: url, processors: processors, priority: priority, options: options)
        if let userInfo { self.userInfo = userInfo }
    }

    /// Creates a request from a `URLRequest`: its address, method, header fields and body.
    public init(
        urlRequest: URLRequest, processors: [any ImageProcessing] = [], priority: Priority = .normal,
        options: Options = [], userInfo: [UserInfoKey: any Sendable]? = nil
    ) {
        self.init(
            dataRequest: DataRequest(urlRequest), processors: processors, priority: priority, options: options)
        if let userInfo { self.userInfo = userInfo }
    }

    /// Creates a request for an image whose bytes a closure loads; see
    /// `init(id:processors:priority:options:targetSize:data:)`.
    @_disfavoredOverload
    public init(
        id: String, data: @escaping @Sendable () async throws -> Data, processors: [any ImageProcessing],
        priority: Priority = .normal, options: Options = [], userInfo: [UserInfoKey: any Sendable]? = nil
    ) {
        self.init(id: id, processors: processors, priority: priority, options: options, data: data)
        if let userInfo { self.userInfo = userInfo }
    }

    /// Creates a request for an image that a closure returns; see
    /// `init(id:processors:priority:options:targetSize:image:)`.
    @_disfavoredOverload
    public init(
        id: String, image: @escaping @Sendable () async throws -> ImageContainer,
        processors: [any ImageProcessing],
        priority: Priority = .normal, options: Options = [], userInfo: [UserInfoKey: any Sendable]? = nil
    ) {
        self.init(id: id, processors: processors, priority: priority, options: options, image: image)
        if let userInfo { self.userInfo = userInfo }
    }

    /// The request that is sent, as Foundation's type; `nil` for a request without a URL.
    public var urlRequest: URLRequest? { dataRequest.flatMap { URLRequest($0) } }

    /// The name of the image in cache keys: ``/FirnPipeline/ImageRequest/imageID``, or the URL.
    public var imageId: String? { imageID ?? dataRequest?.url }
}

extension ImageRequest.Options {
    /// No effect: images are decoded in the background before they are returned, so there is no decompression to skip.
    public static var skipDecompression: ImageRequest.Options { [] }
}
