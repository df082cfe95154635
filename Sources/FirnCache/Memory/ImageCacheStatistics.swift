/// The size of an ``ImageCache``, and its counts since it was created.
public struct ImageCacheStatistics: Hashable, Sendable {
    /// Lookups that found an image.
    public var hits: Int
    /// Lookups that found none.
    public var misses: Int
    /// Images let go of because of a limit or a trim.
    public var evictions: Int
    /// Bytes held.
    public var cost: Int
    /// Images held.
    public var count: Int
}
