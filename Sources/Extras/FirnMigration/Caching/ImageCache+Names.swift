public import Foundation

// Nuke's names of the limits.
extension ImageCache {
    /// The seconds for which an image is kept; `nil` for no limit.
    public var ttl: TimeInterval? {
        get { limits.age.map { $0 / .seconds(1) } }
        set { limits.age = newValue.map { .seconds($0 > 0 ? min($0, 1e9) : 0) } }
    }

    /// The share of the cost limit that one image may have, from 0 to 1. Default: 0.25; Nuke's is 0.1.
    public var entryCostLimit: Double {
        get { limits.bytes > 0 ? Double(limits.entryBytes) / Double(limits.bytes) : 0 }
        set { limits.entryBytes = Int(Double(limits.bytes) * (newValue > 0 ? min(1, newValue) : 0)) }
    }

    /// The bytes of the images in the cache.
    public var totalCost: Int { statistics.bytes }

    /// The number of images in the cache.
    public var totalCount: Int { statistics.count }

    /// The cost limit of a new cache.
    public static func defaultCostLimit() -> Int { defaultCostLimit }
}

extension ImageCaching {
    /// The image of a request. Setting an image stores it, setting `nil` removes it.
    public subscript(request: ImageRequest) -> ImageContainer? {
        get { self[ImageCacheKey(request: request)] }
        nonmutating set { self[ImageCacheKey(request: request)] = newValue }
    }

    /// The image of a URL. Setting an image stores it, setting `nil` removes it.
    public subscript(url: URL) -> ImageContainer? {
        get { self[ImageRequest(url: url)] }
        nonmutating set { self[ImageRequest(url: url)] = newValue }
    }
}

extension ImageCacheKey {
    /// Creates a key with this name.
    public init(key: String) { self.init(key) }
}

extension ImagePipeline.Cache {
    /// Returns the bytes of a request on disk.
    @_disfavoredOverload
    public func cachedData(for request: ImageRequest) -> Data? {
        let entry: DataCacheEntry? = cachedData(for: request)
        return entry?.data
    }

    /// Stores bytes on disk as if they had been loaded. A failed write is ignored.
    public func storeCachedData(_ data: Data, for request: ImageRequest) {
        try? storeCachedData(DataCacheEntry(data: data), for: request)
    }
}
