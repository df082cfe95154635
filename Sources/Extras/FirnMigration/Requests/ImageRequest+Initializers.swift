public import Foundation
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

extension ImageRequest {
    /// The size of a thumbnail: another spelling of ``/FirnPipeline/ImageRequest/targetSize``.
    ///
    /// The decoder decodes no more pixels than the size needs, for every format. The image has exactly the size that
    /// fits.
    public struct ThumbnailOptions: Hashable, Sendable, ImageRequest.ThumbnailSize {
        /// The size as a request has it, in pixels.
        public var targetSize: TargetSize

        init(_ size: TargetSize) { targetSize = size }

        /// Creates a thumbnail whose longer side has at most this many pixels.
        public init(maxPixelSize: Float) {
            targetSize = TargetSize(PixelSize.side(Double(maxPixelSize)))
        }

        /// Creates a thumbnail that fills or fits a size.
        ///
        /// - Parameters:
        ///   - size: width and height.
        ///   - unit: the unit of `size`. Default: pixels; Nuke's default is points.
        ///   - contentMode: whether the size is filled or fitted. Default: fills it, as in Nuke.
        public init(
            size: CGSize, unit: ImageProcessingOptions.Unit = .pixels, contentMode: ImageContentMode = .aspectFill
        ) { targetSize = TargetSize(PixelSize(size, unit), mode: contentMode) }
    }

    /// The size as thumbnail options; setting it sets ``/FirnPipeline/ImageRequest/targetSize``.
    public var thumbnail: ThumbnailOptions? {
        get { targetSize.map { ThumbnailOptions($0) } }
        set { targetSize = newValue?.targetSize }
    }
}

extension ImageRequest.UserInfoKey {
    /// A value of `ImageRequest.ThumbnailOptions`: sets ``/FirnPipeline/ImageRequest/targetSize``.
    public static var thumbnailKey: ImageRequest.UserInfoKey { .thumbnail }
}

extension PixelSize {
    /// Creates a size in whole pixels from a size in pixels, or in points of a screen with a scale. A side that is not
    /// positive becomes 0; one that is infinite or not a number becomes -1, with which a request fails.
    public init(_ size: CGSize, _ unit: ImageProcessingOptions.Unit = .pixels) {
        self.init(
            width: PixelSize.side(Double(size.width), unit), height: PixelSize.side(Double(size.height), unit))
    }

    /// Returns a length in whole pixels, at most `Int32.max`; 0 if it is not positive, -1 if it is not finite.
    static func side(_ length: Double, _ unit: ImageProcessingOptions.Unit = .pixels) -> Int {
        var pixels = length
        if case .points(let scale) = unit { pixels *= scale }
        guard pixels.isFinite else { return -1 }
        return pixels > 0 ? Int(min(pixels.rounded(), Double(Int32.max))) : 0
    }
}

extension TargetSize {
    /// Creates a size in whole pixels that images fit into, or fill.
    public init(_ size: CGSize, mode: ImageContentMode = .fit, upscale: Bool = false) {
        self.init(PixelSize(size), mode: mode, upscale: upscale)
    }
}

extension Bitmap {
    /// Decodes the first frame of a file at the size of a fitting rectangle in pixels.
    @_disfavoredOverload
    public init(contentsOf url: URL, targetSize: CGSize) async throws(ImageError) {
        try await self.init(contentsOf: url, targetSize: TargetSize(targetSize))
    }

    /// Decodes the first frame of a file's bytes at the size of a fitting rectangle in pixels.
    @_disfavoredOverload
    public init(data: Data, targetSize: CGSize) async throws(ImageError) {
        try await self.init(data: data, targetSize: TargetSize(targetSize))
    }
}

extension ImagePipeline {
    /// Loads the image at an address at the size of a fitting rectangle in pixels.
    @_disfavoredOverload
    public func image(for url: URL, targetSize: CGSize) async throws(ImageLoadingError) -> Bitmap {
        try await image(for: url, targetSize: TargetSize(targetSize))
    }
}

extension CGSize {
    /// Creates a size from width and height in pixels.
    public init(_ size: PixelSize) { self.init(width: Double(size.width), height: Double(size.height)) }
}

extension DataRequest {
    /// Creates a request from the URL, method, header fields and body of a `URLRequest`. Its cache policy and timeout
    /// are ignored: they are options of ``/FirnPipeline/ImageRequest`` and settings of the loader.
    public init(_ request: URLRequest) {
        self.init(url: request.url?.absoluteString ?? "", method: request.httpMethod ?? "GET", body: request.httpBody)
        for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
            headers.append(name, value)
        }
    }
}

extension URLRequest {
    /// Creates the same request for Foundation; `nil` if the address is not a URL. Fields with the same name are joined
    /// by commas.
    public init?(_ request: DataRequest) {
        guard let url = WebAddress.url(request.url) else { return nil }
        self.init(url: url)
        httpMethod = request.method
        httpBody = request.body
        for field in request.headers.fields { addValue(field.value, forHTTPHeaderField: field.name) }
    }
}

extension DataResponse {
    /// Creates a response from the URL, the length and, for HTTP, the status and header fields of a `URLResponse`.
    public init(_ response: URLResponse) {
        let http = response as? HTTPURLResponse
        // The length of a compressed body differs from that of the delivered bytes.
        let isCoded = http?.value(forHTTPHeaderField: "Content-Encoding") != nil
        let length = response.expectedContentLength
        self.init(
            url: response.url?.absoluteString ?? "", status: http?.statusCode,
            expectedLength: length > 0 && !isCoded ? Int(clamping: length) : nil)
        for (name, value) in http?.allHeaderFields ?? [:] {
            headers.append(String(describing: name), String(describing: value))
        }
    }

    /// The same response for Foundation; `nil` if the address is not a URL.
    public var urlResponse: URLResponse? {
        guard let url = WebAddress.url(url) else { return nil }
        let fields = Dictionary(headers.fields.map { ($0.name, $0.value) }) { "\($0), \($1)" }
        if let status {
            return HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        }
        return URLResponse(url: url, mimeType: nil, expectedContentLength: expectedLength ?? -1, textEncodingName: nil)
    }
}
