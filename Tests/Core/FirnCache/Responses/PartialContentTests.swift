import FirnCache
import FirnData
import FirnHTTP
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

/// Tests parts that are stored, cut, combined and completed (RFC 9111 §3.3 and §3.4).
@Suite struct PartialContentTests {
    typealias Response = RespondingLoader.Response
    typealias Rig = HTTPCacheTests.Rig

    private static let whole = "0123456789"

    /// Returns a part of the whole as a conforming server sends it.
    private static func part(_ first: Int, _ last: Int, _ headers: HTTPHeaderFields = ["ETag": "\"a\""]) -> Response {
        var fields: HTTPHeaderFields = ["Cache-Control": "max-age=3600", "Content-Range": "bytes \(first)-\(last)/10"]
        for field in headers.fields { fields[field.name] = field.value }
        return Response(status: 206, headers: fields, body: String(whole.dropFirst(first).prefix(last - first + 1)))
    }

    /// Serves each `Range` of two ends with its part, and anything else with the whole.
    private static func serve(_ request: DataRequest, _ headers: HTTPHeaderFields = ["ETag": "\"a\""]) -> Response {
        guard let text = request.headers["Range"], let spec = RangeSpec(text) else {
            var fields = headers
            fields.append("Cache-Control", "max-age=3600")
            return Response(headers: fields, body: whole)
        }
        switch spec {
        case .between(let first, let last): return part(first, last, headers)
        case .from(let first): return part(first, 9, headers)
        case .suffix(let count): return part(10 - count, 9, headers)
        }
    }

    private func range(_ text: String) -> HTTPHeaderFields { ["Range": "bytes=" + text] }

    // MARK: One part

    @Test(arguments: [
        ("2-7", "234567", "bytes 2-7/10"), ("2-2", "2", "bytes 2-2/10"), ("4-6", "456", "bytes 4-6/10"),
    ])
    func `3_3 A part serves requests for bytes that it holds`(text: String, body: String, place: String) {
        let rig = Rig { request, _ in Self.serve(request) }
        #expect(rig.load(range("2-7")).body == "234567")
        let served = rig.load(range(text))
        #expect(served.status == 206 && served.body == body && served.ends == 1)
        #expect(served.headers["Content-Range"] == place && served.headers["Content-Length"] == "\(body.count)")
        #expect(served.headers["Age"] == "0" && rig.source.requests.count == 1)
    }

    @Test(arguments: ["1-3", "5-8", "9-9", "2-", "-3"])
    func `3_3 A part does not serve requests for bytes that it does not hold`(text: String) {
        let rig = Rig { request, _ in Self.serve(request) }
        _ = rig.load(range("2-7"))
        _ = rig.load(range(text))
        #expect(rig.source.requests.map { $0.headers["Range"] } == ["bytes=2-7", "bytes=" + text])
    }

    @Test(arguments: [("-3", "789"), ("-1", "9"), ("8-", "89"), ("7-9", "789"), ("8-200", "89")])
    func `3_3 A part that reaches the end serves requests that name the end`(text: String, body: String) {
        let rig = Rig { request, _ in Self.serve(request) }
        #expect(rig.load(range("-3")).body == "789")
        #expect(rig.load(range(text)).body == body)
        #expect(rig.source.requests.count == 1)
    }

    /// Announces six bytes and sends five, as the test server of a well-known suite does.
    @Test(arguments: [("-5", "01234"), ("6-8", "234"), ("6-", "234"), ("-1", "4")])
    func `A part shorter than announced ends at its own length`(text: String, body: String) {
        let rig = Rig { _, _ in
            Response(
                status: 206, headers: ["Cache-Control": "max-age=3600", "Content-Range": "bytes 4-9/10"], body: "01234")
        }
        _ = rig.load(range("-5"))
        #expect(rig.load(range(text)).body == body)
        #expect(rig.source.requests.count == 1)
    }

    @Test func `3_3 Of a length that is unknown a part serves only between its ends`() {
        let rig = Rig { _, _ in
            Response(
                status: 206, headers: ["Cache-Control": "max-age=3600", "Content-Range": "bytes 0-4/*"], body: "01234")
        }
        _ = rig.load(range("0-4"))
        let served = rig.load(range("1-2"))
        #expect(served.body == "12" && served.headers["Content-Range"] == "bytes 1-2/*")
        for text in ["3-", "-2", "0-5"] { _ = rig.load(range(text)) }
        #expect(rig.source.requests.count == 4)
    }

    @Test(arguments: [
        "bytes 0-1", "bytes */10", "bytes 3-1/10", "bytes 0-9/5", "items 0-1/10", "", "bytes 0-0/10",
        "bytes 0-99999999999999999999/*",
    ])
    func `3_3 A part that does not say what it is, or has more bytes than it says, is not kept`(place: String) {
        let rig = Rig { _, _ in
            Response(status: 206, headers: ["Cache-Control": "max-age=3600", "Content-Range": place], body: "01")
        }
        for _ in 0..<2 { #expect(rig.load(range("0-1")).body == "01") }
        #expect(rig.source.requests.count == 2 && rig.files.files.isEmpty)
    }

    @Test func `RFC 9110 §15_3_7_2 Several parts in one response are handed on and not kept`() {
        let rig = Rig { _, _ in
            Response(
                status: 206,
                headers: ["Cache-Control": "max-age=3600", "Content-Type": "multipart/byteranges; boundary=x"],
                body: "x")
        }
        for _ in 0..<2 { _ = rig.load(range("0-1,4-5")) }
        #expect(rig.source.requests.count == 2 && rig.files.files.isEmpty)
    }

    @Test func `4_3 A stale part is checked, and serves if it still holds`() {
        let rig = Rig { request, _ in
            request.headers["If-None-Match"] == "\"a\""
                ? Response(status: 304, headers: ["ETag": "\"a\"", "A": "2"]) : Self.serve(request)
        }
        _ = rig.load(range("2-7"))
        rig.wait(3600)
        let checked = rig.load(range("3-4"))
        #expect(checked.status == 206 && checked.body == "34" && checked.headers["A"] == "2")
        #expect(rig.source.requests.count == 2)
    }

    @Test func `RFC 9110 §13_1_5 If-Range that is not met wants the whole`() {
        let rig = Rig { request, _ in Self.serve(request) }
        _ = rig.load(range("2-7"))
        #expect(rig.load(["Range": "bytes=2-3", "If-Range": "\"a\""]).body == "23")
        #expect(rig.source.requests.count == 1)
        _ = rig.load(["Range": "bytes=2-3", "If-Range": "\"b\""])
        #expect(rig.source.requests.count == 2)
    }

    // MARK: Several parts

    @Test func `3_4 Parts that touch or overlap become one, and the whole once nothing is missing`() {
        let rig = Rig { request, _ in Self.serve(request) }
        _ = rig.load(range("4-6"))
        _ = rig.load(range("6-9"))
        #expect(rig.load(range("5-8")).body == "5678")
        #expect(rig.source.requests.count == 2)
        _ = rig.load(range("0-3"))
        let whole = rig.load()
        #expect(whole.status == 200 && whole.body == Self.whole && whole.headers["Content-Range"] == nil)
        #expect(whole.headers["Content-Length"] == "10")
        #expect(rig.source.requests.count == 3 && rig.files.files.count == 1)
    }

    @Test func `3_4 Parts with a gap are not put together: the newer one stays`() {
        let rig = Rig { request, _ in Self.serve(request) }
        _ = rig.load(range("0-2"))
        _ = rig.load(range("6-9"))
        #expect(rig.load(range("7-8")).body == "78")
        #expect(rig.source.requests.count == 2)
        _ = rig.load(range("0-2"))
        #expect(rig.source.requests.count == 3)
    }

    @Test(
        arguments: [["ETag": "W/\"a\""], [:], ["Last-Modified": "Fri, 20 Nov 2026 00:00:00 GMT"]] as [HTTPHeaderFields])
    func `3_4 Without a strong validator no bytes of two responses are put together`(headers: HTTPHeaderFields) {
        let rig = Rig { request, _ in Self.serve(request, headers) }
        _ = rig.load(range("0-4"))
        _ = rig.load(range("5-9"))
        #expect(rig.load(range("6-8")).body == "678")
        #expect(rig.source.requests.count == 2)
        #expect(rig.load().body == Self.whole)
        #expect(rig.source.requests.count == 3)
    }

    @Test func `3_4 Parts of two versions are never put together`() {
        let rig = Rig { request, number in Self.serve(request, ["ETag": "\"\(number)\""]) }
        _ = rig.load(range("0-4"))
        _ = rig.load(range("5-9"))
        #expect(rig.load(range("4-6")).body == "456")
        #expect(rig.source.requests.count == 3)
    }

    @Test func `3_4 A part renews the fields of the whole that it is of, and what it does not name stays`() {
        let rig = Rig { request, number in
            request.headers["Range"] == nil
                ? Self.serve(request, ["ETag": "\"a\"", "A": "1", "B": "1"])
                : Self.serve(request, ["ETag": "\"a\"", "A": "2"])
        }
        _ = rig.load()
        #expect(rig.load(["Range": "bytes=0-1", "Cache-Control": "no-cache"]).headers["A"] == "2")
        let whole = rig.load()
        #expect(whole.body == Self.whole && whole.headers["A"] == "2" && whole.headers["B"] == "1")
        #expect(whole.headers["Content-Range"] == nil && rig.source.requests.count == 2)
    }

    // MARK: Completing

    @Test func `3_3 The first bytes are completed by a range under their validator`() {
        let rig = Rig { request, _ in Self.serve(request, ["ETag": "\"a\"", "A": request.headers["If-Range"] ?? "-"]) }
        _ = rig.load(range("0-4"))
        let whole = rig.load()
        #expect(whole.status == 200 && whole.body == Self.whole && whole.ends == 1 && whole.error == nil)
        #expect(whole.headers["Content-Range"] == nil && whole.headers["A"] == "\"a\"")
        #expect(rig.source.requests.last?.headers == ["Range": "bytes=5-", "If-Range": "\"a\""])
        #expect(rig.load().body == Self.whole)
        #expect(rig.source.requests.count == 2)
    }

    @Test func `3_3 A changed body is loaded whole, without old bytes`() {
        let rig = Rig { request, number in
            number == 0 ? Self.serve(request) : Response(headers: ["ETag": "\"b\""], body: "abcdefghij")
        }
        _ = rig.load(range("0-4"))
        #expect(rig.load().body == "abcdefghij")
        #expect(rig.source.requests.count == 2)
    }

    @Test(
        arguments: [
            ["ETag": "\"b\""], ["Content-Range": "bytes 6-9/10"], ["Content-Range": "bytes 5-8/10"],
            ["Content-Range": "bytes 5-9/11"],
        ] as [HTTPHeaderFields])
    func `3_4 A range that does not match the first bytes is requested again`(lie: HTTPHeaderFields) {
        let rig = Rig { request, number in
            var response = Self.serve(request)
            if number == 1 { for field in lie.fields { response.headers[field.name] = field.value } }
            return response
        }
        _ = rig.load(range("0-4"))
        let whole = rig.load()
        #expect(whole.status == 200 && whole.body == Self.whole && whole.ends == 1)
        #expect(rig.source.requests.map { $0.headers["Range"] } == ["bytes=0-4", "bytes=5-", nil])
    }

    @Test func `A too short rest is an error, and is not stored`() {
        let rig = Rig { request, number in
            var response = Self.serve(request)
            if number == 1 { response.body = "567" }
            return response
        }
        _ = rig.load(range("0-4"))
        let whole = rig.load()
        #expect(whole.error?.cause == .truncated && whole.ends == 1)
        #expect(rig.load().body == Self.whole)
    }

    @Test func `3_3 A body that broke off is kept as its first part, under a strong validator`() {
        let rig = Rig { request, number in
            var response = Self.serve(request)
            guard number == 0 else { return response }
            response.headers.append("Content-Length", "10")
            response.body = "0123"
            response.end = DataLoadingError(.truncated, "cut")
            return response
        }
        #expect(rig.load().error?.cause == .truncated)
        #expect(rig.load(range("1-2")).body == "12")
        #expect(rig.source.requests.count == 1)
        #expect(rig.load().body == Self.whole)
        #expect(rig.source.requests.last?.headers["Range"] == "bytes=4-")
    }

    @Test func `A part serves neither only-if-cached nor HEAD`() {
        let rig = Rig { request, _ in Self.serve(request) }
        _ = rig.load(range("0-4"))
        #expect(rig.load(["Cache-Control": "only-if-cached"]).status == 504)
        _ = rig.load(Caching.get(method: "HEAD"))
        #expect(rig.source.requests.map(\.method) == ["GET", "HEAD"])
    }
}
