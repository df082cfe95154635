public import Firn
public import Foundation

// Nuke's names of the limits.
extension ImageCache {
    /// A cache with limits.
    ///
    /// - Parameters:
    ///   - costLimit: most bytes; `nil`, the default, for a fifth of the machine's memory, at most 768 MiB.
    ///   - countLimit: most images. Default: no limit.
    @_disfavoredOverload
    public convenience init(costLimit: Int? = nil, countLimit: Int = Int.max) {
        self.init(limits: ImageCacheLimits(bytes: costLimit ?? ImageCacheLimits.defaultBytes, count: countLimit))
    }

    /// Most bytes.
    public var costLimit: Int {
        get { limits.bytes }
        set { limits.bytes = max(0, newValue) }
    }

    /// Most images.
    public var countLimit: Int {
        get { limits.count }
        set { limits.count = max(0, newValue) }
    }

    /// Seconds for which an image is kept; `nil` for no such limit.
    public var ttl: TimeInterval? {
        get { limits.age.map { $0 / .seconds(1) } }
        set { limits.age = newValue.map { .seconds($0 > 0 ? min($0, 1e9) : 0) } }
    }

    /// The share of the cost limit that one image may have, from 0 to 1. Default: 0.25; Nuke's is 0.1.
    public var entryCostLimit: Double {
        get { limits.bytes > 0 ? Double(limits.entryBytes) / Double(limits.bytes) : 0 }
        set { limits.entryBytes = Int(Double(limits.bytes) * (newValue > 0 ? min(1, newValue) : 0)) }
    }

    /// Bytes of the images that the cache has.
    public var totalCost: Int { statistics.bytes }

    /// Number of images that the cache has.
    public var totalCount: Int { statistics.count }

    /// The cost limit of a new cache.
    public static func defaultCostLimit() -> Int { ImageCacheLimits.defaultBytes }
}

extension ImageCaching {
    /// The image of a request. Setting an image stores it, setting `nil` removes it.
    public subscript(request: ImageRequest) -> ImageContainer? {
        get { self[ImageCacheKey(request: request)] }
        nonmutating set { self[ImageCacheKey(request: request)] = newValue }
    }

    /// The image at an address; setting keeps an image, setting `nil` removes it.
    public subscript(url: URL) -> ImageContainer? {
        get { self[ImageRequest(url: url)] }
        nonmutating set { self[ImageRequest(url: url)] = newValue }
    }
}

extension ImageCacheKey {
    /// A key of this name.
    public init(key: String) { self.init(key) }
}

extension ImagePipeline.Cache {
    /// Returns the bytes of a request on disk.
    @_disfavoredOverload
    public func cachedData(for request: ImageRequest) -> Data? {
        let entry: DataCacheEntry? = cachedData(for: request)
        return entry?.data
    }

    /// Keeps bytes on disk, as if they had been loaded. A failed write is ignored.
    public func storeCachedData(_ data: Data, for request: ImageRequest) {
        try? storeCachedData(DataCacheEntry(data: data), for: request)
    }
}
