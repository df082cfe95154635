/// Says what kept answers are still good for: the part of HTTP caching that an engine needs which knows nothing of HTTP.
///
/// All of it are functions of what they are given: no clock, no disk, no network. Times are nanoseconds since 1970.
public protocol ResponseCachePolicy: Sendable {
    /// What is to be remembered of an answer that has just come.
    func remembered(
        _ response: DataResponse, to request: DataRequest, requestTime: Int64, responseTime: Int64
    ) -> StoredResponse

    /// Whether an answer may be kept, and is worth it.
    func mayStore(_ response: StoredResponse, to request: DataRequest) -> Bool

    /// Whether an answer must not be kept whatever its user would like (`no-store`).
    func forbidsStoring(_ response: StoredResponse, to request: DataRequest) -> Bool

    /// What a kept answer may do for a request at a moment.
    func verdict(on response: StoredResponse, for request: DataRequest, at now: Int64) -> CacheVerdict

    /// The header fields that ask the source whether a kept answer still holds; none if it cannot be asked.
    func validators(of response: StoredResponse) -> HTTPFields

    /// A kept answer after its source said that it still holds; `nil` if what it said is about another body.
    func updated(
        _ stored: StoredResponse, by headers: HTTPFields, requestTime: Int64, responseTime: Int64
    ) -> StoredResponse?
}

/// What a kept answer may do for a request.
public enum CacheVerdict: Hashable, Sendable {
    /// It serves, until this time, in nanoseconds since 1970.
    case fresh(until: Int64)
    /// Its source is to be asked first.
    ///
    /// - whileRevalidating: whether it may be shown until the source has answered.
    /// - onError: whether it serves if the source cannot be reached, or fails.
    case stale(whileRevalidating: Bool, onError: Bool)
    /// It is for other requests.
    case unusable
}
