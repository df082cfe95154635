/// The verdict on using a stored response.
package enum CacheVerdict: Hashable, Sendable {
    /// Usable until this time, in nanoseconds since 1970.
    case fresh(until: Int64)
    /// Usable after revalidation.
    ///
    /// - whileRevalidating: whether it may be shown until the source has responded.
    /// - onError: whether it may be used if the source cannot be reached or fails.
    case stale(whileRevalidating: Bool, onError: Bool)
    /// Not usable for this request.
    case unusable
}
