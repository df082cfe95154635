/// Says what kept answers are still good for: the part of HTTP caching that an engine needs which knows nothing of HTTP.
///
/// All of it are functions of what they are given: no clock, no disk, no network. Times are nanoseconds since 1970.
package protocol ResponseCachePolicy: Sendable {
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
    func validators(of response: StoredResponse) -> HTTPHeaderFields

    /// The request that asks the source whether a kept answer still holds; `request` itself if the source cannot be asked that.
    ///
    /// By default the fields of ``validators(of:)`` go to the address that gave them: in the header fields of the request, or, if
    /// redirects led there, in ``DataRequest/targetConditions``.
    func check(_ stored: StoredResponse, for request: DataRequest, at now: Int64) -> DataRequest

    /// A kept answer after its source said that it still holds; `nil` if what it said is about another body.
    func updated(
        _ stored: StoredResponse, by headers: HTTPHeaderFields, requestTime: Int64, responseTime: Int64
    ) -> StoredResponse?
}

extension ResponseCachePolicy {
    /// A kept answer after a 304; `nil` if that is about another body, or comes from another address than the one whose validators
    /// were sent.
    ///
    /// The redirects that led to the 304 take the place of those that were remembered.
    package func confirmed(
        _ stored: StoredResponse, by response: DataResponse, to request: DataRequest, requestTime: Int64,
        responseTime: Int64
    ) -> StoredResponse? {
        if !stored.redirects.isEmpty || !response.redirects.isEmpty {
            guard stored.url.prefix(while: { $0 != "#" }) == response.url.prefix(while: { $0 != "#" }) else {
                return nil
            }
        }
        // One that was not asked is as old as before.
        var result: StoredResponse? = stored
        if !response.isUnasked {
            result = updated(stored, by: response.headers, requestTime: requestTime, responseTime: responseTime)
        }
        result?.redirects =
            remembered(response, to: request, requestTime: requestTime, responseTime: responseTime).redirects
        return result
    }

    /// Sends the validators to the address that gave them.
    package func check(_ stored: StoredResponse, for request: DataRequest, at now: Int64) -> DataRequest {
        request.asking(about: stored, validators(of: stored))
    }
}

extension DataRequest {
    /// The request with validators for the address that gave them.
    ///
    /// - Parameter isFresh: whether the kept answer of that address is fresh by itself.
    package func asking(
        about stored: StoredResponse, _ validators: HTTPHeaderFields, isFresh: Bool = false
    ) -> DataRequest {
        var request = self
        if stored.redirects.isEmpty {
            guard !validators.isEmpty else { return self }
            for name in ["If-None-Match", "If-Modified-Since"] { request.headers[name] = nil }
            for field in validators.fields { request.headers.append(field.name, field.value) }
        } else if !validators.isEmpty || isFresh {
            request.targetConditions = TargetConditions(url: stored.url, headers: validators, isFresh: isFresh)
        }
        return request
    }
}

/// What a kept answer may do for a request.
package enum CacheVerdict: Hashable, Sendable {
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
