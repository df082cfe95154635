import FirnData
import FirnHTTP

/// Responses and requests for the rules' tests. Times are in seconds; the response comes at `start`.
enum Caching {
    /// Sat, 21 Nov 2026 00:00:00 GMT.
    static let start: Int64 = 1_795_219_200
    static let second: Int64 = 1_000_000_000
    static let date = "Sat, 21 Nov 2026 00:00:00 GMT"
    static let url = "http://a.example/x"

    /// Returns a response with the date of `start`, unless its headers have another.
    static func response(
        _ headers: HTTPHeaderFields, status: Int = 200, selecting: HTTPHeaderFields = HTTPHeaderFields(),
        delay: Int64 = 0
    )
        -> StoredResponse
    {
        var headers = headers
        if headers["Date"] == nil { headers.append("Date", date) }
        return StoredResponse(
            url: url, status: status, headers: headers, selecting: selecting,
            times: ResponseTimes(requested: (start - delay) * second, responded: start * second))
    }

    static func get(_ headers: HTTPHeaderFields = HTTPHeaderFields(), method: String = "GET") -> DataRequest {
        DataRequest(url: url, method: method, headers: headers)
    }

    static func shared() -> HTTPCachePolicy {
        var policy = HTTPCachePolicy()
        policy.isShared = true
        return policy
    }

    /// Returns how a stored response may be used for a request `seconds` after it was received.
    static func use(
        _ headers: HTTPHeaderFields, after seconds: Int64, for request: DataRequest = get(),
        _ policy: HTTPCachePolicy = HTTPCachePolicy()
    ) -> CachedUse {
        policy.use(of: response(headers), for: request, at: (start + seconds) * second)
    }

    static func lifetime(_ headers: HTTPHeaderFields, status: Int = 200, _ policy: HTTPCachePolicy = HTTPCachePolicy())
        -> Int64
    {
        policy.lifetime(response(headers, status: status)) / second
    }
}
