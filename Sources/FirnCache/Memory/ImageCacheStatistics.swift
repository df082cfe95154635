/// The size of an ``ImageCache``, and its counts since it was created.
public struct ImageCacheStatistics: Hashable, Sendable {
    /// Lookups that found an image.
    public var hits: Int
    /// Lookups that found no image.
    public var misses: Int
    /// Images that were evicted because of a limit or a trim.
    public var evictions: Int
    /// The bytes of the images in the cache.
    public var cost: Int
    /// The number of images in the cache.
    public var count: Int
}
