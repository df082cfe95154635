import FirnData
import FirnHTTP
import Testing

/// Tests dates and ages that do not fit 64 bits of nanoseconds (RFC 9111 §4.2).
@Suite struct DistantDatesTests {
    private let policy = HTTPCachePolicy.images

    private static let years = [1583, 1601, 1677, 1678, 1700, 2262, 2263, 9999]

    private func date(_ year: Int) -> String { "Sat, 01 Jan \(year) 00:00:00 GMT" }

    @Test(arguments: years, ["Date", "Expires", "Last-Modified"])
    func `A field of any year is judged without a trap`(year: Int, field: String) {
        for control in [nil, "max-age=60", "max-age=99999999999", "min-fresh=99999999999"] as [String?] {
            var headers: HTTPHeaderFields = [field: date(year)]
            headers["Cache-Control"] = control
            let response = Caching.response(headers)
            for now in [Int64.min, 0, Caching.start * Caching.second, .max] {
                for asked in ["max-age=0", "max-stale=99999999999", "min-fresh=99999999999", ""] {
                    _ = policy.use(of: response, for: Caching.get(["Cache-Control": asked]), at: now)
                }
            }
            _ = policy.staleTime(response)
        }
    }

    @Test(arguments: [1583, 1601, 1677])
    func `A response that was made long ago is stale`(year: Int) {
        let response = Caching.response(["Date": date(year), "Cache-Control": "max-age=60"])
        let now = Caching.start * Caching.second
        #expect(policy.age(response, at: now) > 300 * 365 * 86_400 / 2 * Caching.second)
        #expect(policy.use(of: response, for: Caching.get(), at: now) != .serve)
    }

    @Test(arguments: [2262, 2263, 9999])
    func `A response that will be made some day has no age`(year: Int) {
        let response = Caching.response(["Date": date(year), "Cache-Control": "max-age=60"])
        #expect(policy.initialAge(response) == 0)
        #expect(policy.use(of: response, for: Caching.get(), at: Caching.start * Caching.second) == .serve)
    }

    @Test(arguments: [Int64.min, .max], [Int64.min, .max])
    func `Times from a damaged entry are judged without a trap`(requested: Int64, responded: Int64) {
        var response = Caching.response(["Age": "99999999999", "Cache-Control": "max-age=60"])
        (response.times.requested, response.times.responded) = (requested, responded)
        for now in [Int64.min, 0, .max] {
            _ = policy.use(of: response, for: Caching.get(), at: now)
            _ = policy.verdict(on: response, for: Caching.get(), at: now)
        }
    }
}
