/// Decides how stored responses may be used. With this protocol, an engine needs no knowledge of HTTP.
///
/// All members are pure functions: no clock, no disk, no network. Times are nanoseconds since 1970.
package protocol ResponseCachePolicy: Sendable {
    /// Returns the properties of a new response that are stored.
    func remembered(
        _ response: DataResponse, to request: DataRequest, requestTime: Int64, responseTime: Int64
    ) -> StoredResponse

    /// Returns whether a response may be stored and can be of use.
    func mayStore(_ response: StoredResponse, to request: DataRequest) -> Bool

    /// Returns whether storing a response is forbidden (`no-store`).
    func forbidsStoring(_ response: StoredResponse, to request: DataRequest) -> Bool

    /// Returns how a stored response may be used for a request at a time.
    func verdict(on response: StoredResponse, for request: DataRequest, at now: Int64) -> CacheVerdict

    /// Returns the header fields that revalidate a stored response; empty if it cannot be revalidated.
    func validators(of response: StoredResponse) -> HTTPHeaderFields

    /// Returns the request that revalidates a stored response; `request` itself if it cannot be revalidated.
    ///
    /// It sends the fields of ``validators(of:)`` to the address that they came from: in its header fields or, if
    /// redirects led to that address, in ``DataRequest/targetConditions``.
    func check(_ stored: StoredResponse, for request: DataRequest, at now: Int64) -> DataRequest

    /// Returns a stored response after its source confirmed it; `nil` if the confirmation is about another body.
    func updated(
        _ stored: StoredResponse, by headers: HTTPHeaderFields, requestTime: Int64, responseTime: Int64
    ) -> StoredResponse?
}

extension ResponseCachePolicy {
    /// Returns a stored response after a 304; `nil` if the 304 is about another body, or comes from another address
    /// than the one whose validators were sent.
    ///
    /// The redirects that led to the 304 replace the stored ones.
    package func confirmed(
        _ stored: StoredResponse, by response: DataResponse, to request: DataRequest, requestTime: Int64,
        responseTime: Int64
    ) -> StoredResponse? {
        if !stored.redirects.isEmpty || !response.redirects.isEmpty {
            guard stored.url.prefix(while: { $0 != "#" }) == response.url.prefix(while: { $0 != "#" }) else {
                return nil
            }
        }
        // Without a request to the server, the age does not change.
        var result: StoredResponse? = stored
        if !response.isUnasked {
            result = updated(stored, by: response.headers, requestTime: requestTime, responseTime: responseTime)
        }
        result?.redirects =
            remembered(response, to: request, requestTime: requestTime, responseTime: responseTime).redirects
        return result
    }
}

extension DataRequest {
    /// Returns the request with validators for the address that they came from.
    ///
    /// - Parameter isFresh: whether the stored response of that address is fresh by itself.
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

/// The way in which a stored response may be used.
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
