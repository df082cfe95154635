import FirnData
import FirnHTTP
import Testing

/// Tests validation and its effects, and conditional and range requests (RFC 9111 §4.3, RFC 9110 §13 and §14).
@Suite struct ValidationRulesTests {
    private let policy = HTTPCachePolicy()
    private let changed = "Fri, 20 Nov 2026 00:00:00 GMT"

    private func updated(_ old: HTTPHeaderFields, by new: HTTPHeaderFields) -> HTTPHeaderFields? {
        policy.updated(Caching.response(old), by: new, ResponseTimes(requested: 5, responded: 7))?.headers
    }

    @Test func `4_3_1 A check names all validators there are`() {
        let response = Caching.response(["ETag": "W/\"a\"", "Last-Modified": changed])
        #expect(policy.validators(of: response) == ["If-None-Match": "W/\"a\"", "If-Modified-Since": changed])
        #expect(policy.validators(of: Caching.response([:])).isEmpty)
    }

    @Test func `3_2 A confirmation renews fields and keeps those that it does not name`() throws {
        let fields = try #require(
            updated(
                ["A": "1", "a": "2", "B": "3", "ETag": "\"e\"", "Age": "9", "Cache-Control": "max-age=1"],
                by: ["A": "4", "ETag": "\"e\"", "Cache-Control": "max-age=60"]))
        #expect(fields.values("A") == ["4"])
        #expect(fields["B"] == "3")
        #expect(fields["Cache-Control"] == "max-age=60")
        #expect(fields["Age"] == nil)
    }

    @Test func `3_2 A confirmation changes nothing that describes the bytes, nor brings fields of its connection`()
        throws
    {
        let fields = try #require(
            updated(
                ["Content-Length": "5", "Content-Encoding": "gzip"],
                by: [
                    "Content-Length": "0", "Content-Encoding": "br", "Content-Range": "x", "Connection": "A", "A": "1",
                ]))
        #expect(fields["Content-Length"] == "5")
        #expect(fields["Content-Encoding"] == "gzip")
        #expect(fields["Content-Range"] == nil)
        #expect(fields["A"] == nil && fields["Connection"] == nil)
    }

    @Test func `4_3_4 A confirmation of another body changes nothing`() {
        #expect(updated(["ETag": "\"a\""], by: ["ETag": "\"b\""]) == nil)
        #expect(updated(["ETag": "\"a\""], by: ["ETag": "W/\"a\""]) != nil)
        #expect(updated(["ETag": "\"a\""], by: [:]) != nil)
    }

    @Test func `4_3_5 A HEAD renews a response only if their fields match`() {
        let old = Caching.response(["ETag": "\"a\"", "Content-Length": "5", "A": "1"])
        func after(_ headers: HTTPHeaderFields) -> HTTPHeaderFields? {
            policy.updated(old, byHead: headers, ResponseTimes(requested: 1, responded: 2))?.headers
        }
        #expect(after(["A": "2", "ETag": "\"a\"", "Content-Length": "5"])?["A"] == "2")
        #expect(after(["Content-Length": "6"]) == nil)
        #expect(after(["ETag": "\"b\""]) == nil)
        #expect(after(["Last-Modified": changed]) == nil)
    }

    @Test(arguments: [
        ("\"a\"", "\"a\"", true), ("\"x\", \"a\"", "\"a\"", true), ("*", "\"a\"", true), ("W/\"a\"", "\"a\"", true),
        ("\"a\"", "w/\"a\"", true), ("\"x, \\\"a\\\"\"", "\"a\"", false), ("a", "\"a\"", false),
        ("\"b\"", "\"a\"", false),
    ])
    func `4_3_2 A client that has the body receives no second one`(asked: String, tag: String, hasIt: Bool) {
        let response = Caching.response(["ETag": tag, "Last-Modified": changed])
        let condition = policy.judge(
            ["If-None-Match": asked, "If-Modified-Since": "Sat, 21 Nov 2020 00:00:00 GMT"], response)
        #expect(condition == (hasIt ? .notModified : .send))
    }

    @Test func `4_3_2 Without a tag the time of change decides, and Date where there is none`() {
        let response = Caching.response(["Last-Modified": changed])
        #expect(policy.judge(["If-Modified-Since": changed], response) == .notModified)
        #expect(policy.judge(["If-Modified-Since": Caching.date], response) == .notModified)
        #expect(policy.judge(["If-Modified-Since": "Thu, 19 Nov 2026 00:00:00 GMT"], response) == .send)
        #expect(policy.judge(["If-Modified-Since": "yesterday"], response) == .send)
        #expect(policy.judge(["If-Modified-Since": Caching.date], Caching.response([:])) == .notModified)
        #expect(policy.judge(["If-Match": "\"a\""], response) == .unknown)
    }

    @Test func `RFC 9110 §15_4_5 A 304 says nothing of a body`() {
        let fields = HTTPCachePolicy.notModifiedFields(["ETag": "\"a\"", "Content-Length": "5", "Content-Type": "x"])
        #expect(fields == ["ETag": "\"a\""])
    }

    @Test(arguments: [
        ("bytes=0-1", 0..<2), ("bytes=1-", 1..<10), ("bytes=-3", 7..<10), ("bytes=-30", 0..<10), ("BYTES=9-99", 9..<10),
        ("bytes= 2-3 ", 2..<4),
    ])
    func `RFC 9110 §14 A range is cut from the whole`(text: String, range: Range<Int>) {
        #expect(RangeSpec(text)?.bytes(of: 10) == range)
    }

    @Test(arguments: [
        "bytes=10-", "bytes=3-2", "bytes=-0", "bytes=-", "bytes=0-1,3-4", "lines=0-1", "bytes", "bytes=a-b",
        "bytes=+1-2",
    ])
    func `RFC 9110 §14 Any other range is for the source to judge`(text: String) {
        #expect(RangeSpec(text)?.bytes(of: 10) == nil)
    }

    @Test func `RFC 9110 §13_1_5 A range on a condition that fails is the whole`() {
        let response: HTTPHeaderFields = ["ETag": "\"a\"", "Last-Modified": changed]
        func isMet(_ condition: String) -> Bool {
            RangeSpec.isMet(["Range": "bytes=0-1", "If-Range": condition], by: response)
        }
        #expect(isMet("\"a\""))
        #expect(isMet(changed))
        #expect(!isMet("\"b\""))
        #expect(!isMet("W/\"a\""))
        #expect(!isMet(Caching.date))
    }
}
