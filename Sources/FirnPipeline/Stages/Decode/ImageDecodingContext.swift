public import FirnData
public import FoundationEssentials

/// The data and the request for which a decoder is chosen.
public struct ImageDecodingContext: Sendable {
    /// The request that the work was begun for; others may have joined it.
    public let request: ImageRequest
    /// The first bytes: ``/FirnImage/ImageFormat/sniffLength`` of them, or all there are.
    public let data: Data
    /// The response of the source, where one was asked.
    public let response: DataResponse?
    /// The cache that the bytes come from; `nil` where they were loaded.
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
