/// Counts of an ``HTTPCache`` since it was created.
package struct HTTPCacheStatistics: Hashable, Sendable {
    /// Requests served from the store without a request to the server.
    package var hits = 0
    /// Requests served from the store after revalidation.
    package var revalidations = 0
    /// Requests served by a stale stored response.
    package var staleHits = 0
    /// Requests served by the server.
    package var misses = 0
    /// Responses that were stored.
    package var stores = 0

    /// Creates counts of zero.
    package init() {}
}
