import FirnData
import FirnHTTP
import FoundationEssentials
import Testing

/// Tests which responses are stored, and which are invalidated (RFC 9111 §3 and §4.4).
@Suite struct StoringRulesTests {
    private func stores(
        _ headers: HTTPHeaderFields, status: Int = 200, to request: DataRequest = Caching.get(),
        _ policy: HTTPCachePolicy = HTTPCachePolicy()
    ) -> Bool {
        policy.mayStore(Caching.response(headers, status: status), to: request)
    }

    @Test func `5_2_1_5 and 5_2_2_5 no-store keeps nothing, of the response or the request`() {
        #expect(stores(["Cache-Control": "max-age=60"]))
        #expect(!stores(["Cache-Control": "max-age=60, no-store"]))
        #expect(!stores(["Cache-Control": "max-age=60", "cache-control": "No-Store"]))
        #expect(!stores(["Cache-Control": "max-age=60"], to: Caching.get(["Cache-Control": "no-store"])))
    }

    @Test func `5_2_2_3 must-understand sets no-store aside for a status that is understood`() {
        let headers: HTTPHeaderFields = ["Cache-Control": "max-age=60, no-store, must-understand"]
        #expect(stores(headers))
        #expect(!stores(headers, status: 599))
    }

    @Test func `5_2_2_7 private and responses to Authorization are for private caches`() {
        let own: HTTPHeaderFields = ["Cache-Control": "max-age=60, private"]
        #expect(stores(own))
        #expect(!stores(own, Caching.shared()))
        #expect(stores(["Cache-Control": "max-age=60, private=\"a\""], Caching.shared()))
        let known = Caching.get(["Authorization": "x"])
        #expect(stores(["Cache-Control": "max-age=60"], to: known))
        #expect(!stores(["Cache-Control": "max-age=60"], to: known, Caching.shared()))
        for directive in ["public", "must-revalidate", "s-maxage=60"] {
            #expect(stores(["Cache-Control": "max-age=60, \(directive)"], to: known, Caching.shared()))
        }
    }

    @Test(arguments: [200, 203, 204, 299, 300, 301, 302, 303, 307, 308, 400, 404, 410, 499, 500, 503, 599])
    func `3 Any final status is kept that says how long`(status: Int) {
        #expect(stores(["Cache-Control": "max-age=60"], status: status))
    }

    @Test(arguments: [100, 103, 206, 304, 999])
    func `3_3 Interim responses, unrequested parts and 304 responses are not stored`(status: Int) {
        #expect(!stores(["Cache-Control": "max-age=60", "ETag": "\"a\""], status: status))
    }

    @Test func `3 What could never serve is not kept`() {
        #expect(!stores([:]))
        #expect(!stores(["Cache-Control": "no-cache"]))
        #expect(!stores(["Cache-Control": "max-age=0"]))
        #expect(stores(["Cache-Control": "no-cache", "ETag": "\"a\""]))
        #expect(stores(["Last-Modified": "Sat, 21 Nov 2015 00:00:00 GMT"]))
        #expect(!stores(["Last-Modified": "Sat, 21 Nov 2015 00:00:00 GMT"], status: 403))
    }

    @Test func `RFC 9110 §9_3_3 A response to POST is kept only where it says that it is what GET gives`() {
        let post = Caching.get(method: "POST")
        #expect(!stores(["Cache-Control": "max-age=60"], to: post))
        #expect(stores(["Cache-Control": "max-age=60", "Content-Location": "/x"], to: post))
        #expect(!stores(["Cache-Control": "max-age=60", "Content-Location": "/y"], to: post))
        #expect(!stores(["Content-Location": "/x", "ETag": "\"a\""], to: post))
        let redirect = Caching.response(["Cache-Control": "max-age=60"], status: 307)
        let said: HTTPHeaderFields = ["Cache-Control": "max-age=60", "Content-Location": Caching.url]
        for redirects in [[], [redirect]] {
            var response = Caching.response(said)
            response.redirects = redirects
            #expect(HTTPCachePolicy().mayStore(response, to: post) == redirects.isEmpty)
        }
    }

    @Test func `Set-Cookie is kept like any other field`() {
        #expect(stores(["Cache-Control": "max-age=60", "Set-Cookie": "a=b"]))
        #expect(HTTPCachePolicy().storedFields(["Set-Cookie": "a=b"])["Set-Cookie"] == "a=b")
    }

    @Test func `3_1 Fields of the connection are not kept, nor those that may be used only after a check`() {
        let headers: HTTPHeaderFields = [
            "Connection": "close, A", "a": "1", "b": "2", "Keep-Alive": "x", "TE": "x", "Transfer-Encoding": "chunked",
            "Upgrade": "x", "Proxy-Authenticate": "x", "Proxy-Connection": "x", "Cache-Control": "no-cache=\"c, d\"",
            "C": "3",
            "e": "5",
        ]
        #expect(HTTPCachePolicy().storedFields(headers).fields.map(\.name) == ["b", "Cache-Control", "e"])
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "M-SEARCH"])
    func `4_4 A change invalidates the responses of its address and of those that its response names`(method: String) {
        let policy = HTTPCachePolicy()
        let headers: HTTPHeaderFields = ["Location": "y", "Content-Location": "http://b.example/z"]
        let request = DataRequest(url: "HTTP://A.example:80/x#f", method: method)
        #expect(policy.invalidated(by: request, status: 200, headers: headers) == [Caching.url, "http://a.example/y"])
        #expect(policy.invalidated(by: request, status: 301, headers: [:]) == [Caching.url])
        #expect(policy.invalidated(by: request, status: 500, headers: headers).isEmpty)
        #expect(policy.invalidated(by: request, status: 404, headers: headers).isEmpty)
    }

    @Test(arguments: ["GET", "HEAD", "OPTIONS", "TRACE"])
    func `4_4 What only reads makes nothing forgotten`(method: String) {
        let found = HTTPCachePolicy().invalidated(
            by: Caching.get(method: method), status: 200, headers: ["Location": "/y"])
        #expect(found.isEmpty)
    }

    @Test func `A response is restored from the metadata of its entry`() throws {
        let response = Caching.response(["ETag": "\"a\""], status: 404, selecting: ["foo": "+1", "bar": "-"], delay: 3)
        let entry = DataCacheEntry(data: .init(), headers: response.headers, metadata: response.metadata)
        var back = try #require(StoredResponse(entry))
        #expect(back.selecting.fields.map(\.name) == ["bar", "foo"])
        back.selecting = response.selecting
        #expect(back == response)
        #expect(StoredResponse(DataCacheEntry(data: .init(), headers: response.headers)) == nil)
    }
}
