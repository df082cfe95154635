package import FirnData

extension HTTPCachePolicy {
    /// The policy for images: a private cache, with five minutes of freshness for responses without any freshness
    /// information, which many image servers send. Otherwise each display of such an image would need a request.
    public static var images: HTTPCachePolicy {
        var policy = HTTPCachePolicy()
        policy.unstatedLifetime = .seconds(300)
        return policy
    }

    /// Returns the response without connection fields and with the request fields that it depends on (RFC 9111 §3.1,
    /// §4.1).
    package func remembered(
        _ response: DataResponse, to request: DataRequest, requestTime: Int64, responseTime: Int64
    ) -> StoredResponse {
        var stored = StoredResponse(
            url: response.url, status: response.status ?? 200, headers: storedFields(response.headers),
            selecting: VaryRule(response.headers).selecting(request.headers), requestTime: requestTime,
            responseTime: responseTime)
        // The lifetimes of redirects start when the first request was sent: the exact time of arrival is unknown, but
        // not earlier.
        stored.redirects = response.redirects.map { redirect in
            let isForgetful = CacheDirectives(redirect.headers).has("no-store")
            let headers = storedFields(redirect.headers).fields.filter {
                let name = $0.name.lowercased()
                // For a response that must not be stored, only this fact is kept.
                return isForgetful ? name == "cache-control" : HTTPCachePolicy.freshnessFields.contains(name)
            }
            return StoredResponse(
                url: redirect.url, status: redirect.status, headers: HTTPHeaderFields(headers),
                selecting: VaryRule(redirect.headers).selecting(request.headers), requestTime: requestTime,
                responseTime: requestTime)
        }
        return stored
    }

    private static let freshnessFields: Set<String> = [
        "cache-control", "expires", "date", "age", "last-modified", "vary",
    ]

    /// Returns the request with validators for the address that sent them. If that address was reached by redirects and
    /// its response is fresh, it needs no request.
    package func check(_ stored: StoredResponse, for request: DataRequest, at now: Int64) -> DataRequest {
        let isFresh = !stored.redirects.isEmpty && useIgnoringRedirects(of: stored, for: request, at: now) == .serve
        return request.asking(about: stored, validators(of: stored), isFresh: isFresh)
    }

    /// Returns whether the request or the response has `no-store` (RFC 9111 §5.2.1.5, §5.2.2.5).
    package func forbidsStoring(_ response: StoredResponse, to request: DataRequest) -> Bool {
        CacheDirectives(request.headers).has("no-store") || CacheDirectives(response.headers).has("no-store")
    }

    /// Applies the rules for reuse (RFC 9111 §4).
    package func verdict(on response: StoredResponse, for request: DataRequest, at now: Int64) -> CacheVerdict {
        switch use(of: response, for: request, at: now) {
        case .serve: .fresh(until: max(staleTime(response), now))
        case .serveWhileRevalidating: .stale(whileRevalidating: true, onError: true)
        case .revalidate(let onError):
            // A response that may be used when the source fails may also be shown until the source responds.
            .stale(whileRevalidating: onError, onError: onError)
        case .unusable: .unusable
        }
    }
}
