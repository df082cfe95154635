/// What an ``HTTPCache`` did since it was made.
package struct HTTPCacheStatistics: Hashable, Sendable {
    /// Requests that were answered by what was kept, without asking anybody.
    package var hits = 0
    /// Requests that were answered by what was kept after its server said that it still holds.
    package var revalidations = 0
    /// Requests that were answered by what was kept although it was stale.
    package var staleHits = 0
    /// Requests that were answered by the server.
    package var misses = 0
    /// Answers that were kept.
    package var stores = 0

    /// Nothing yet.
    package init() {}
}
