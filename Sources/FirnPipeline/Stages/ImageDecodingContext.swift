public import FirnData
public import FoundationEssentials

/// What is known of content for which a decoder is looked for.
public struct ImageDecodingContext: Sendable {
    /// The request that the work was begun for; others may have joined it.
    public let request: ImageRequest
    /// The first bytes: ``/FirnImage/ImageFormat/sniffLength`` of them, or all there are.
    public let data: Data
    /// What the source said, where one was asked.
    public let response: DataResponse?
    /// The cache that the bytes come from; `nil` where they were loaded.
    public let cacheType: ImageResponse.CacheType?

    /// A context.
    public init(
        request: ImageRequest, data: Data, response: DataResponse? = nil, cacheType: ImageResponse.CacheType? = nil
    ) {
        self.request = request
        self.data = data
        self.response = response
        self.cacheType = cacheType
    }
}
