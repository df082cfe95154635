/// What an ``HTTPCache`` did since it was made.
public struct HTTPCacheStatistics: Hashable, Sendable {
    /// Requests that were answered by what was kept, without asking anybody.
    public var hits = 0
    /// Requests that were answered by what was kept after its server said that it still holds.
    public var revalidations = 0
    /// Requests that were answered by what was kept although it was stale.
    public var staleHits = 0
    /// Requests that were answered by the server.
    public var misses = 0
    /// Answers that were kept.
    public var stores = 0

    /// Nothing yet.
    public init() {}
}
