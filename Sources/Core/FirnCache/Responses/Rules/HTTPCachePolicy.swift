import FirnSync

/// The rules for storing and reusing responses: RFC 9111 and RFC 5861, with settings where these leave a choice.
///
/// A pure value: all rules are functions of the stored response, the request and the time.
public struct HTTPCachePolicy: Hashable, Sendable {
    /// True if several users share the cache. Default: `false`. A single-user cache may store `private` responses and
    /// responses to requests with `Authorization`, and ignores `s-maxage`. `true` for a proxy.
    public var isShared = false

    /// The freshness lifetime of responses that state neither a lifetime nor a modification time. Default: zero, since
    /// nothing is known about them.
    public var unstatedLifetime: Duration = .zero

    /// The fraction of the time since the last modification for which a response without a stated lifetime is fresh.
    /// Default: 0.1, as proposed in RFC 9111 §4.2.2.
    public var heuristicShare = 0.1

    /// The maximum of this estimate. Default: one day, long enough to save requests and short enough to notice a
    /// change.
    public var heuristicLimit: Duration = .seconds(86_400)

    /// The time after the end of its freshness for which a response may be used if the server fails or cannot be
    /// reached, unless the response states it (`stale-if-error`, or a directive that forbids it). Default: one week,
    /// since an old image is better than none.
    public var staleOnErrorLimit: Duration = .seconds(7 * 86_400)

    /// Creates the policy of a private cache.
    public init() {}

    /// Returns whether a method is safe, that is, only reads.
    ///
    /// - Source: RFC 9110 §9.2.1.
    package static func isSafe(_ method: String) -> Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method) }

    /// Returns the addresses whose stored responses a request has invalidated.
    ///
    /// - Source: RFC 9111 §4.4: after a 2xx or 3xx response to an unsafe method, the request's own address, and those
    ///   of the same origin that the response names.
    package func invalidated(by request: DataRequest, status: Int, headers: HTTPHeaderFields) -> [String] {
        guard !HTTPCachePolicy.isSafe(request.method), (200..<400).contains(status) else { return [] }
        guard let target = WebAddress(request.url) else { return [WebAddress.resource(of: request.url)] }
        let named = ["Location", "Content-Location"].compactMap { headers[$0] }
            .compactMap { WebAddress($0, relativeTo: target) }
            .filter { $0.origin == target.origin && $0.resource != target.resource }
        return [target.resource] + named.map(\.resource)
    }

    // MARK: Age and freshness

    // Times and intervals are in nanoseconds; times count from 1970.

    static let second: Int64 = 1_000_000_000

    /// Returns the freshness lifetime of a response, counted from its creation by the server.
    ///
    /// - Source: RFC 9111 §4.2.1 and §4.2.2.
    package func lifetime(_ response: StoredResponse) -> Int64 {
        explicitLifetime(response) ?? heuristicLifetime(response)
    }

    /// Returns the lifetime that the response states; `nil` if it states none. Invalid information counts as 0.
    package func explicitLifetime(_ response: StoredResponse) -> Int64? {
        let directives = CacheDirectives(response.headers)
        for name in isShared ? ["s-maxage", "max-age"] : ["max-age"] {
            switch directives.seconds(name) {
            case .absent: continue
            case .invalid: return 0
            case .valid(let seconds): return seconds * HTTPCachePolicy.second
            }
        }
        let expires = response.headers.values("Expires")
        guard let first = expires.first else { return nil }
        let received = response.times.responded / HTTPCachePolicy.second
        // With two different values, at least one is wrong.
        guard expires.allSatisfy({ $0 == first }), let until = HTTPDate.anySeconds(first, now: received) else {
            return 0
        }
        let from = date(response) ?? received
        return min(max(until.saturatingSubtract(from), 0), DeltaSeconds.limit) * HTTPCachePolicy.second
    }

    /// Returns an estimated lifetime for a response that states none.
    ///
    /// - Source: RFC 9111 §4.2.2: only for statuses that allow it, or a response marked `public`.
    package func heuristicLifetime(_ response: StoredResponse) -> Int64 {
        let directives = CacheDirectives(response.headers)
        guard HTTPCachePolicy.isHeuristicallyCacheable(response.status) || directives.has("public") else { return 0 }
        let received = response.times.responded / HTTPCachePolicy.second
        guard let text = response.headers["Last-Modified"], let changed = HTTPDate.anySeconds(text, now: received)
        else {
            return unstatedLifetime.nanoseconds
        }
        let unchanged = Double(max((date(response) ?? received).saturatingSubtract(changed), 0))
        let limit = heuristicLimit.nanoseconds
        let guess = unchanged * max(heuristicShare, 0) * Double(HTTPCachePolicy.second)
        return guess < Double(limit) ? Int64(guess) : limit
    }

    /// Returns the age of a response at a time.
    ///
    /// Times are clamped to 64 bits of nanoseconds, so a `Date` of 1601 gives an age of 292 years.
    /// - Source: RFC 9111 §4.2.3.
    package func age(_ response: StoredResponse, at now: Int64) -> Int64 {
        initialAge(response).saturatingAdd(max(now.saturatingSubtract(response.times.responded), 0))
    }

    /// Returns the value of `Age` for a stored response at the time of use.
    package func ageField(of response: StoredResponse, at now: Int64) -> String {
        String(age(response, at: now) / HTTPCachePolicy.second)
    }

    /// Returns the age of a response on arrival.
    package func initialAge(_ response: StoredResponse) -> Int64 {
        let apparent =
            date(response).map {
                max(response.times.responded.saturatingSubtract($0.saturatingMultiply(HTTPCachePolicy.second)), 0)
            } ?? 0
        let delay = max(response.times.responded.saturatingSubtract(response.times.requested), 0)
        // The first of several values counts. Invalid values are ignored (RFC 9111 §5.1).
        let told = FieldList.members(response.headers.values("Age")).first.flatMap { DeltaSeconds.parse($0) } ?? 0
        // A clock with whole seconds lags by up to one second, which is not age.
        return max(
            apparent < HTTPCachePolicy.second ? 0 : apparent, (told * HTTPCachePolicy.second).saturatingAdd(delay))
    }

    /// Returns when a response becomes stale: its own time, or that of a redirect that led to it, whichever is first.
    package func staleTime(_ response: StoredResponse) -> Int64 {
        let own = response.times.responded.saturatingSubtract(initialAge(response)).saturatingAdd(lifetime(response))
        return response.redirects.reduce(own) { min($0, staleTime($1)) }
    }

    /// Returns when a response becomes stale by what it and the redirects that led to it state; `nil` if none of them
    /// states a lifetime. `no-cache` and `no-store` count as a lifetime of 0.
    package func statedStaleTime(_ response: StoredResponse) -> Int64? {
        let said = CacheDirectives(response.headers)
        let lifetime = said.isWhole("no-cache") || said.has("no-store") ? 0 : explicitLifetime(response)
        let start = response.times.responded.saturatingSubtract(initialAge(response))
        return (response.redirects.map { statedStaleTime($0) } + [lifetime.map { start.saturatingAdd($0) }])
            .compactMap { $0 }.min()
    }

    /// Returns the time that the server states for the response, in seconds since 1970.
    private func date(_ response: StoredResponse) -> Int64? {
        response.headers["Date"].flatMap {
            HTTPDate.anySeconds($0, now: response.times.responded / HTTPCachePolicy.second)
        }
    }

    /// - Source: RFC 9110 §15.1.
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
    }

    // MARK: Reuse

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
        let isUndated = response.times.responded.isFromFuture(at: now)
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
