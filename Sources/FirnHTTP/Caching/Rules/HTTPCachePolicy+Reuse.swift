package import FirnData

/// What a kept answer may do for a request.
package enum CachedUse: Hashable, Sendable {
    /// It answers the request as it is.
    case serve
    /// It answers the request at once, and is checked behind its back.
    case serveWhileRevalidating
    /// Its server has to say that it still holds; whether it may serve if the server cannot be reached, or fails.
    case revalidate(mayServeOnError: Bool)
    /// It is for other requests.
    case unusable
}

extension CachedUse {
    /// The stricter of two.
    package func least(_ other: CachedUse) -> CachedUse { rank < other.rank ? other : self }

    private var rank: Int {
        switch self {
        case .serve: 0
        case .serveWhileRevalidating: 1
        case .revalidate(mayServeOnError: true): 2
        case .revalidate(mayServeOnError: false): 3
        case .unusable: 4
        }
    }
}

extension HTTPCachePolicy {
    /// What a kept answer may do for a request at a moment: the least of what it and each redirect that led to it may do.
    ///
    /// - Source: RFC 9111 §4, §4.2.4, §5.2; RFC 5861; RFC 8246. A redirect is a response like any other (RFC 9110 §15.4).
    package func use(of response: StoredResponse, for request: DataRequest, at now: Int64) -> CachedUse {
        response.redirects.reduce(useAlone(of: response, for: request, at: now)) {
            $0.least(useAlone(of: $1, for: request, at: now))
        }
    }

    /// What an answer may do whatever led to it.
    package func useAlone(of response: StoredResponse, for request: DataRequest, at now: Int64) -> CachedUse {
        guard request.method == "GET" || request.method == "HEAD" || request.method == "",
            VaryRule.matches(response.selecting, request.headers)
        else { return .unusable }
        let said = CacheDirectives(response.headers)
        let asked = CacheDirectives(request.headers)
        let age = age(response, at: now)
        let lifetime = lifetime(response)
        let staleness = age.subtractingClamped(lifetime)
        let isFresh = staleness < 0
        let onError = mayServe(onError: response, said, asked, staleness: max(staleness, 0))
        // A check of its own, or one that the request wants; `immutable` spares those of a reload (RFC 8246 §2).
        // A redirect marked `no-store` is asked each time.
        let isForgetful = said.has("no-store") && RedirectChain.isRedirect(response.status)
        if said.isWhole("no-cache") || isForgetful { return .revalidate(mayServeOnError: false) }
        if HTTPCachePolicy.wantsCheck(request, asked), !(isFresh && said.has("immutable")) {
            return .revalidate(mayServeOnError: onError)
        }
        let forbidsStale = forbidsStale(said)
        if let limit = asked.validSeconds("max-age"), age > limit * HTTPCachePolicy.second {
            // Too old for this request, unless it also takes stale ones.
            let isImmutable = isFresh && said.has("immutable")
            guard isImmutable || asked.has("max-stale") else { return .revalidate(mayServeOnError: onError) }
        }
        if let margin = asked.validSeconds("min-fresh"),
            lifetime.subtractingClamped(age) < margin * HTTPCachePolicy.second
        {
            return .revalidate(mayServeOnError: onError)
        }
        if isFresh { return .serve }
        if !forbidsStale, asked.has("max-stale") {
            switch asked.seconds("max-stale") {
            // Without a number: however stale.
            case .invalid where asked.isBare("max-stale"): return .serve
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

    /// Whether the request wants the server asked whatever is kept.
    private static func wantsCheck(_ request: DataRequest, _ asked: CacheDirectives) -> Bool {
        if asked.has("no-cache") || asked.has("no-store") { return true }
        if asked.validSeconds("max-age") == 0 { return !asked.has("max-stale") }
        // RFC 9111 §5.4: only where there is no `Cache-Control`.
        guard asked.isEmpty else { return false }
        return FieldList.members(request.headers.values("Pragma")).contains { $0.lowercased() == "no-cache" }
    }

    /// Whether an answer says that it must not be used once it is stale.
    func forbidsStale(_ said: CacheDirectives) -> Bool {
        said.has("must-revalidate") || said.isWhole("no-cache")
            || isShared && (said.has("proxy-revalidate") || said.has("s-maxage"))
    }

    private func mayServe(
        onError response: StoredResponse, _ said: CacheDirectives, _ asked: CacheDirectives, staleness: Int64
    ) -> Bool {
        guard !forbidsStale(said) else { return false }
        // Somebody who asks for the newest is not helped by the oldest.
        guard !asked.has("no-cache"), !asked.has("no-store") else { return false }
        let named = [said, asked].compactMap { $0.validSeconds("stale-if-error") }.max()
        let limit = named.map { $0 * HTTPCachePolicy.second } ?? staleOnErrorLimit.nanoseconds
        return staleness <= limit
    }

}

extension CacheDirectives {
    /// Whether a directive stands without any argument.
    package func isBare(_ name: String) -> Bool { has(name) && fields(name).isEmpty }
}
