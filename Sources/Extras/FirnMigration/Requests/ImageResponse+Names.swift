public import FoundationNetworking

extension ImageResponse {
    /// The response as a `URLResponse`; `nil` if no request was sent.
    public var urlResponse: URLResponse? { dataResponse?.urlResponse }

    /// Creates a response from a `URLResponse`.
    public init(
        container: ImageContainer, request: ImageRequest, urlResponse: URLResponse?, cacheType: CacheType? = nil
    ) {
        self.init(
            container: container, request: request, dataResponse: urlResponse.map { DataResponse($0) },
            cacheType: cacheType)
    }
}

extension ImageContainer {
    /// The format of the image's file: ``/FirnImage/ImageContainer/format``.
    public var type: AssetType? {
        get { format }
        set { format = newValue }
    }

    /// Creates a container with an image, its format and attached values.
    @_disfavoredOverload
    public init(
        image: Bitmap, type: AssetType? = nil, isPreview: Bool = false, data: Data? = nil,
        userInfo: [UserInfoKey: any Sendable] = [:]
    ) {
        self.init(image: image, format: type, isPreview: isPreview, data: data)
        if !userInfo.isEmpty { self.userInfo = userInfo }
    }
}

extension ImageContainer.UserInfoKey {
    /// A decoder's own number of the scan that a preview shows. Decoders of Firn set none.
    public static var scanNumberKey: ImageContainer.UserInfoKey { "firn.scan" }
}

/// The image type of this platform.
public typealias PlatformImage = Bitmap

/// The color type of this platform.
public typealias PlatformColor = SRGBColor

/// ``/FirnPipeline/ImageTask``.
public typealias AsyncImageTask = ImageTask

extension ImagePipeline.Cache {
    /// The cache layers of a call.
    public typealias Caches = Set<ImageResponse.CacheType>
}

extension ImageTask {
    /// The number of the task and the request, for logs.
    public var description: String { "ImageTask(id: \(id), request: \(request))" }

    /// ``/FirnPipeline/ImageTask/id``.
    public var taskId: Int64 { id }

    /// ``/FirnPipeline/ImageTask/state``.
    public var status: State { state }

    /// ``/FirnPipeline/ImageTask/isCancelled``.
    public var isCancelling: Bool { isCancelled }
}

/// ``/FirnImage/ImageFormat``. Its raw values are short names such as `jpeg`, not uniform type identifiers.
public typealias AssetType = ImageFormat
