import FirnData
import FirnHTTP
import Testing

/// Tests how a stored response may be used for a request (RFC 9111 §4 and §5.2, RFC 5861, RFC 8246).
@Suite struct ReuseRulesTests {
    private let minute: HTTPHeaderFields = ["Cache-Control": "max-age=60", "ETag": "\"a\""]
    private let onError = CachedUse.revalidate(mayServeOnError: true)
    private let never = CachedUse.revalidate(mayServeOnError: false)

    private func asking(_ directive: String) -> DataRequest { Caching.get(["Cache-Control": directive]) }

    @Test func `4_2 A response serves while it is fresh, and is checked from the moment on when it is not`() {
        #expect(Caching.use(minute, after: 59) == .serve)
        #expect(Caching.use(minute, after: 60) == onError)
    }

    @Test func `4_2_3 A response from the future is checked, since the clock was ahead when it arrived`() {
        #expect(Caching.use(minute, after: -59) == .serve)
        #expect(Caching.use(minute, after: -61) == onError)
        #expect(Caching.use(["Cache-Control": "max-age=60, stale-while-revalidate=90"], after: -61) == onError)
        #expect(Caching.use(["Cache-Control": "max-age=60, must-revalidate"], after: -31_536_000) == never)
    }

    @Test func `5_2_2_4 no-cache is checked each time; one that names fields is not`() {
        #expect(Caching.use(["Cache-Control": "max-age=60, no-cache"], after: 0) == never)
        #expect(Caching.use(["Cache-Control": "max-age=60, No-CaChE"], after: 0) == never)
        #expect(Caching.use(["Cache-Control": "max-age=60, no-cache=\"a, b\""], after: 0) == .serve)
    }

    @Test func `5_2_2_2 must-revalidate serves while it is fresh, and never stale`() {
        let headers: HTTPHeaderFields = ["Cache-Control": "max-age=60, must-revalidate, stale-while-revalidate=100"]
        #expect(Caching.use(headers, after: 59) == .serve)
        #expect(Caching.use(headers, after: 61) == never)
        #expect(Caching.use(headers, after: 61, for: asking("max-stale")) == never)
    }

    @Test(arguments: ["proxy-revalidate", "s-maxage=60"])
    func `5_2_2_8 and 5_2_2_10 Directives for shared caches that forbid stale responses do not bind a private one`(
        directive: String
    ) {
        let headers: HTTPHeaderFields = ["Cache-Control": "max-age=60, \(directive)"]
        #expect(Caching.use(headers, after: 61, for: Caching.get(), Caching.shared()) == never)
        #expect(Caching.use(headers, after: 61) == onError)
    }

    @Test func `5_2_1_1 An entry older than a request's max-age is stale`() {
        #expect(Caching.use(minute, after: 11, for: asking("max-age=10")) == onError)
        #expect(Caching.use(minute, after: 10, for: asking("max-age=10")) == .serve)
        #expect(Caching.use(minute, after: 0, for: asking("max-age=0")) == onError)
        #expect(Caching.use(minute, after: 11, for: asking("max-age=soon")) == .serve)
    }

    @Test func `5_2_1_2 max-stale takes stale responses, so stale or any`() {
        #expect(Caching.use(minute, after: 70, for: asking("max-stale=10")) == .serve)
        #expect(Caching.use(minute, after: 71, for: asking("max-stale=10")) == onError)
        #expect(Caching.use(minute, after: 70_000, for: asking("max-stale")) == .serve)
        #expect(Caching.use(minute, after: 61, for: asking("max-stale=x")) == onError)
    }

    @Test func `5_2_1_3 min-fresh wants responses that stay fresh for so long`() {
        #expect(Caching.use(minute, after: 50, for: asking("min-fresh=10")) == .serve)
        #expect(Caching.use(minute, after: 51, for: asking("min-fresh=10")) == onError)
    }

    @Test func `5_2_1_4 and 5_4 no-cache asks whatever is kept, Pragma only where there is no Cache-Control`() {
        #expect(Caching.use(minute, after: 0, for: asking("no-cache")) == never)
        #expect(Caching.use(minute, after: 0, for: Caching.get(["Pragma": "x, No-Cache"])) == onError)
        #expect(
            Caching.use(minute, after: 0, for: Caching.get(["Pragma": "no-cache", "Cache-Control": "x"])) == .serve)
        #expect(Caching.use(minute, after: 0, for: Caching.get(["Pragma": "other"])) == .serve)
    }

    @Test func `RFC 8246 An immutable response is not checked while it is fresh, not for a reload either`() {
        let headers: HTTPHeaderFields = ["Cache-Control": "max-age=60, immutable"]
        #expect(Caching.use(headers, after: 10, for: asking("no-cache")) == .serve)
        #expect(Caching.use(headers, after: 10, for: asking("max-age=0")) == .serve)
        #expect(Caching.use(headers, after: 61, for: asking("max-age=0")) == onError)
    }

    @Test func `RFC 5861 §3 A stale response serves within its window while it is checked`() {
        let headers: HTTPHeaderFields = ["Cache-Control": "max-age=60, stale-while-revalidate=30"]
        #expect(Caching.use(headers, after: 90) == .serveWhileRevalidating)
        #expect(Caching.use(headers, after: 91) == onError)
    }

    @Test func `RFC 5861 §4 A stale response serves on failure within its window, if it or the request says so`() {
        let headers: HTTPHeaderFields = ["Cache-Control": "max-age=60, stale-if-error=30"]
        #expect(Caching.use(headers, after: 90) == onError)
        #expect(Caching.use(headers, after: 91) == never)
        #expect(Caching.use(headers, after: 91, for: asking("stale-if-error=40")) == onError)
        #expect(Caching.use(minute, after: 60 + 7 * 86_400 + 1) == never)
    }

    @Test func `4_1 A response serves requests with equal selecting header fields`() {
        let policy = HTTPCachePolicy()
        let headers: HTTPHeaderFields = ["Cache-Control": "max-age=60", "Vary": "Foo, accept-language"]
        let asked: HTTPHeaderFields = ["Foo": "1, 2", "Accept-Language": "en, de"]
        let kept = Caching.response(headers, selecting: VaryRule(headers).selecting(asked))
        func serves(_ fields: HTTPHeaderFields) -> Bool {
            policy.use(of: kept, for: Caching.get(fields), at: Caching.start * Caching.second) == .serve
        }
        #expect(serves(asked))
        #expect(serves(["foo": "1", "Foo": "2", "accept-language": "DE,en"]))
        #expect(serves(["Foo": " 1,2", "Accept-Language": "de ,  en", "Other": "x"]))
        #expect(!serves(["Foo": "2, 1", "Accept-Language": "en, de"]))
        #expect(!serves(["Foo": "1, 2"]))
        #expect(!serves(["Foo": "1, 2", "Accept-Language": ""]))
    }

    @Test(arguments: ["*", "*, *", ", *", "Foo, *", "*, Foo"])
    func `4_1 A response with Vary: * serves no request`(vary: String) {
        #expect(VaryRule(["Vary": vary]) == .everything)
        #expect(
            !HTTPCachePolicy().mayStore(
                Caching.response(["Cache-Control": "max-age=60", "Vary": vary]), to: Caching.get()))
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
    func `4 Only GET and HEAD are served from stored responses`(method: String) {
        #expect(Caching.use(minute, after: 0, for: Caching.get(method: method)) == .unusable)
        #expect(Caching.use(minute, after: 0, for: Caching.get(method: "HEAD")) == .serve)
    }
}
