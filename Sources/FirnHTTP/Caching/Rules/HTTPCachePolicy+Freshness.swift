package import FirnData

/// How old an answer is and how long it is fresh. Times in nanoseconds, since 1970 or of difference.
extension HTTPCachePolicy {
    static let second: Int64 = 1_000_000_000

    /// For how long an answer is fresh from the moment its server made it.
    ///
    /// - Source: RFC 9111 §4.2.1 and §4.2.2.
    package func lifetime(_ response: StoredResponse) -> Int64 {
        explicitLifetime(response) ?? heuristicLifetime(response)
    }

    /// What the answer says itself; `nil` if it says nothing. Information that is invalid counts as 0.
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
        // Two that differ: one of them is wrong.
        guard expires.allSatisfy({ $0 == first }), let until = HTTPDate.anySeconds(first, now: received) else {
            return 0
        }
        let from = date(response) ?? received
        return min(max(until.subtractingClamped(from), 0), DeltaSeconds.limit) * HTTPCachePolicy.second
    }

    /// A guess for an answer that does not say it.
    ///
    /// - Source: RFC 9111 §4.2.2: only of statuses that say so, or of an answer marked `public`.
    package func heuristicLifetime(_ response: StoredResponse) -> Int64 {
        let directives = CacheDirectives(response.headers)
        guard HTTPCachePolicy.isHeuristicallyCacheable(response.status) || directives.has("public") else { return 0 }
        let received = response.responseTime / HTTPCachePolicy.second
        guard let text = response.headers["Last-Modified"], let changed = HTTPDate.anySeconds(text, now: received)
        else {
            return unstatedLifetime.nanoseconds
        }
        let unchanged = Double(max((date(response) ?? received).subtractingClamped(changed), 0))
        let limit = heuristicLimit.nanoseconds
        let guess = unchanged * max(heuristicShare, 0) * Double(HTTPCachePolicy.second)
        return guess < Double(limit) ? Int64(guess) : limit
    }

    /// How old an answer is at a moment.
    ///
    /// Times that are beyond 64 bits of nanoseconds count as the nearest that there is, so a `Date` of 1601 is an age of 292 years.
    /// - Source: RFC 9111 §4.2.3.
    package func age(_ response: StoredResponse, at now: Int64) -> Int64 {
        initialAge(response).addingClamped(max(now.subtractingClamped(response.responseTime), 0))
    }

    /// How old an answer was when it came.
    package func initialAge(_ response: StoredResponse) -> Int64 {
        let apparent =
            date(response).map {
                max(response.responseTime.subtractingClamped($0.multipliedClamped(by: HTTPCachePolicy.second)), 0)
            } ?? 0
        let delay = max(response.responseTime.subtractingClamped(response.requestTime), 0)
        // Of several values the first counts; one that is no number is as good as none (RFC 9111 §5.1).
        let told = FieldList.members(response.headers.values("Age")).first.flatMap { DeltaSeconds.parse($0) } ?? 0
        // A clock of whole seconds is behind by up to one of them, which is no age.
        return max(
            apparent < HTTPCachePolicy.second ? 0 : apparent, (told * HTTPCachePolicy.second).addingClamped(delay))
    }

    /// From when on an answer is stale: it, or the first of the redirects that led to it.
    package func staleTime(_ response: StoredResponse) -> Int64 {
        let own = response.responseTime.subtractingClamped(initialAge(response)).addingClamped(lifetime(response))
        return response.redirects.reduce(own) { min($0, staleTime($1)) }
    }

    /// When the answer was made, in seconds since 1970, as its server says.
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
