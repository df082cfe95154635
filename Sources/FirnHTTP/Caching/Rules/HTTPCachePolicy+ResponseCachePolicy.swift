public import FirnData

extension HTTPCachePolicy: ResponseCachePolicy {
    /// The policy for images: that of a private cache, with five minutes of freshness for responses without any rule, which
    /// many image servers send. Without it each display of such an image would need a request.
    public static var images: HTTPCachePolicy {
        var policy = HTTPCachePolicy()
        policy.unstatedLifetime = .seconds(300)
        return policy
    }

    /// The answer without the fields of its connection, with what it depends on of the request (RFC 9111 §3.1, §4.1).
    package func remembered(
        _ response: DataResponse, to request: DataRequest, requestTime: Int64, responseTime: Int64
    ) -> StoredResponse {
        var stored = StoredResponse(
            url: response.url, status: response.status ?? 200, headers: storedFields(response.headers),
            selecting: VaryRule(response.headers).selecting(request.headers), requestTime: requestTime,
            responseTime: responseTime)
        stored.redirects = remembered(response.redirects, to: request, requestTime: requestTime)
        return stored
    }

    /// The redirects that led to an answer, with what tells how long each holds.
    ///
    /// They count from when the first request was sent: when each of them came is not known, and no earlier than that.
    private func remembered(
        _ redirects: [DataRedirect], to request: DataRequest, requestTime: Int64
    ) -> [StoredResponse] {
        redirects.map { redirect in
            let isForgetful = CacheDirectives(redirect.headers).has("no-store")
            let headers = storedFields(redirect.headers).fields.filter {
                let name = $0.name.lowercased()
                // Of one that must not be stored, nothing but that.
                return isForgetful ? name == "cache-control" : HTTPCachePolicy.freshnessFields.contains(name)
            }
            return StoredResponse(
                url: redirect.url, status: redirect.status, headers: HTTPHeaderFields(headers),
                selecting: VaryRule(redirect.headers).selecting(request.headers), requestTime: requestTime,
                responseTime: requestTime)
        }
    }

    private static let freshnessFields: Set<String> = [
        "cache-control", "expires", "date", "age", "last-modified", "vary",
    ]

    /// The validators for the address that gave them; where redirects led to it and it is fresh by itself, it need not be asked.
    package func check(_ stored: StoredResponse, for request: DataRequest, at now: Int64) -> DataRequest {
        let isFresh = !stored.redirects.isEmpty && useAlone(of: stored, for: request, at: now) == .serve
        return request.asking(about: stored, validators(of: stored), isFresh: isFresh)
    }

    /// Whether request or answer say `no-store` (RFC 9111 §5.2.1.5, §5.2.2.5).
    package func forbidsStoring(_ response: StoredResponse, to request: DataRequest) -> Bool {
        CacheDirectives(request.headers).has("no-store") || CacheDirectives(response.headers).has("no-store")
    }

    /// What the rules of reuse say (RFC 9111 §4).
    package func verdict(on response: StoredResponse, for request: DataRequest, at now: Int64) -> CacheVerdict {
        switch use(of: response, for: request, at: now) {
        case .serve: .fresh(until: max(staleTime(response), now))
        case .serveWhileRevalidating: .stale(whileRevalidating: true, onError: true)
        case .revalidate(let onError):
            // What may serve when the source fails may also be seen until it answers.
            .stale(whileRevalidating: onError, onError: onError)
        case .unusable: .unusable
        }
    }
}
