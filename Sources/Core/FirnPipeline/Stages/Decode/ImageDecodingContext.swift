public import FirnData
public import FoundationEssentials

/// The data and the request that a decoder is chosen for.
public struct ImageDecodingContext: Sendable {
    /// The request that started the work; other requests may have joined it.
    public let request: ImageRequest
    /// The first bytes: ``/FirnImage/ImageFormat/sniffLength`` of them, or all if there are fewer.
    public let data: Data
    /// The response of the source; `nil` if no request was sent.
    public let response: DataResponse?
    /// The cache that the bytes come from; `nil` for loaded bytes.
    public let cacheType: ImageResponse.CacheType?

    /// Creates a context.
    public init(
        request: ImageRequest, data: Data, response: DataResponse? = nil, cacheType: ImageResponse.CacheType? = nil
    ) {
        self.request = request
        self.data = data
        self.response = response
        self.cacheType = cacheType
    }
}
