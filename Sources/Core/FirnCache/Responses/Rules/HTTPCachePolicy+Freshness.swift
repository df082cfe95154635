import FirnData
import FirnSync

/// The age and freshness of responses. Times and intervals are in nanoseconds; times count from 1970.
extension HTTPCachePolicy {
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
        let received = response.responseTime / HTTPCachePolicy.second
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
        let received = response.responseTime / HTTPCachePolicy.second
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
        initialAge(response).saturatingAdd(max(now.saturatingSubtract(response.responseTime), 0))
    }

    /// Returns the value of `Age` for a stored response at the time of use.
    package func ageField(of response: StoredResponse, at now: Int64) -> String {
        String(age(response, at: now) / HTTPCachePolicy.second)
    }

    /// Returns the age of a response on arrival.
    package func initialAge(_ response: StoredResponse) -> Int64 {
        let apparent =
            date(response).map {
                max(response.responseTime.saturatingSubtract($0.saturatingMultiply(HTTPCachePolicy.second)), 0)
            } ?? 0
        let delay = max(response.responseTime.saturatingSubtract(response.requestTime), 0)
        // The first of several values counts. Invalid values are ignored (RFC 9111 §5.1).
        let told = FieldList.members(response.headers.values("Age")).first.flatMap { DeltaSeconds.parse($0) } ?? 0
        // A clock with whole seconds lags by up to one second, which is not age.
        return max(
            apparent < HTTPCachePolicy.second ? 0 : apparent, (told * HTTPCachePolicy.second).saturatingAdd(delay))
    }

    /// Returns when a response becomes stale: its own time, or that of a redirect that led to it, whichever is first.
    package func staleTime(_ response: StoredResponse) -> Int64 {
        let own = response.responseTime.saturatingSubtract(initialAge(response)).saturatingAdd(lifetime(response))
        return response.redirects.reduce(own) { min($0, staleTime($1)) }
    }

    /// Returns the time that the server states for the response, in seconds since 1970.
    private func date(_ response: StoredResponse) -> Int64? {
        response.headers["Date"].flatMap {
            HTTPDate.anySeconds($0, now: response.responseTime / HTTPCachePolicy.second)
        }
    }

    /// - Source: RFC 9110 §15.1.
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
    }
}
