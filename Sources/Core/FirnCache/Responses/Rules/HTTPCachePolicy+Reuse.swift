import FirnSync

/// The permitted use of a stored response for a request.
package enum CachedUse: Hashable, Sendable {
    /// Serves the request without revalidation.
    case serve
    /// Serves the request at once and is revalidated in the background.
    case serveWhileRevalidating
    /// Must be revalidated first. `mayServeOnError` states whether it may be used if the server fails or cannot be
    /// reached.
    case revalidate(mayServeOnError: Bool)
    /// Does not match the request.
    case unusable

    /// Returns the stricter of two uses.
    package func least(_ other: CachedUse) -> CachedUse {
        CachedUse.byStrictness.last { $0 == self || $0 == other } ?? self
    }

    private static let byStrictness: [CachedUse] = [
        .serve, .serveWhileRevalidating, .revalidate(mayServeOnError: true), .revalidate(mayServeOnError: false),
        .unusable,
    ]
}

extension HTTPCachePolicy {
    /// Returns how a stored response can be used at a time: the strictest use among its own and those of its redirects.
    ///
    /// - Source: RFC 9111 §4, §4.2.4, §5.2; RFC 5861; RFC 8246. A redirect is a response like any other (RFC 9110
    ///   §15.4).
    package func use(of response: StoredResponse, for request: DataRequest, at now: Int64) -> CachedUse {
        response.redirects.reduce(useIgnoringRedirects(of: response, for: request, at: now)) {
            $0.least(useIgnoringRedirects(of: $1, for: request, at: now))
        }
    }

    /// Returns how a response can be used, regardless of its redirects.
    package func useIgnoringRedirects(of response: StoredResponse, for request: DataRequest, at now: Int64) -> CachedUse
    {
        guard request.method == "GET" || request.method == "HEAD" || request.method == "",
            VaryRule.matches(response.selecting, request.headers)
        else { return .unusable }
        let said = CacheDirectives(response.headers)
        let asked = CacheDirectives(request.headers)
        let age = age(response, at: now)
        let lifetime = lifetime(response)
        let staleness = age.saturatingSubtract(lifetime)
        let isUndated = response.responseTime.isFromFuture(at: now)
        let isFresh = staleness < 0 && !isUndated
        let onError = mayServe(onError: response, said, asked, staleness: max(staleness, 0))
        // The response or the request requires revalidation. `immutable` prevents it on a reload (RFC 8246 §2). A
        // redirect marked `no-store` is always requested again.
        let isForgetful = said.has("no-store") && ResponseStatus.isRedirect(response.status)
        if said.isWhole("no-cache") || isForgetful { return .revalidate(mayServeOnError: false) }
        let isImmutable = isFresh && said.has("immutable")
        // Too old for this request, unless it accepts stale responses.
        let isTooOld = asked.validSeconds("max-age").map { age > $0 * HTTPCachePolicy.second } ?? false
        let left = lifetime.saturatingSubtract(age)
        let endsTooSoon = asked.validSeconds("min-fresh").map { left < $0 * HTTPCachePolicy.second } ?? false
        let mustAsk = HTTPCachePolicy.wantsCheck(request, asked) || isTooOld && !asked.has("max-stale")
        if mustAsk && !isImmutable || isUndated || endsTooSoon { return .revalidate(mayServeOnError: onError) }
        if isFresh { return .serve }
        let forbidsStale = forbidsStale(said)
        if !forbidsStale, asked.has("max-stale") {
            switch asked.seconds("max-stale") {
            // Without a number: any staleness.
            case .invalid where asked.isWhole("max-stale"): return .serve
            case .valid(let limit) where staleness <= limit * HTTPCachePolicy.second: return .serve
            default: break
            }
        }
        if !forbidsStale, let limit = said.validSeconds("stale-while-revalidate"),
            staleness <= limit * HTTPCachePolicy.second
        {
            return .serveWhileRevalidating
        }
        return .revalidate(mayServeOnError: onError)
    }

    /// Returns whether the request always requires revalidation.
    private static func wantsCheck(_ request: DataRequest, _ asked: CacheDirectives) -> Bool {
        if asked.has("no-cache") || asked.has("no-store") { return true }
        if asked.validSeconds("max-age") == 0 { return !asked.has("max-stale") }
        // RFC 9111 §5.4: only without `Cache-Control`.
        guard asked.isEmpty else { return false }
        return FieldList.members(request.headers.values("Pragma")).contains { $0.lowercased() == "no-cache" }
    }

    /// Returns whether a response forbids stale use.
    func forbidsStale(_ said: CacheDirectives) -> Bool {
        said.has("must-revalidate") || said.isWhole("no-cache")
            || isShared && (said.has("proxy-revalidate") || said.has("s-maxage"))
    }

    private func mayServe(
        onError response: StoredResponse, _ said: CacheDirectives, _ asked: CacheDirectives, staleness: Int64
    ) -> Bool {
        guard !forbidsStale(said) else { return false }
        // A request for the newest response must not receive a stale one.
        guard !asked.has("no-cache"), !asked.has("no-store") else { return false }
        let named = [said, asked].compactMap { $0.validSeconds("stale-if-error") }.max()
        let limit = named.map { $0 * HTTPCachePolicy.second } ?? staleOnErrorLimit.nanoseconds
        return staleness <= limit
    }
}
