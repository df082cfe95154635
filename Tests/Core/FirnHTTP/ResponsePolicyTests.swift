import FirnData
import FirnHTTP
import Testing

@Suite("Responses")
struct ResponsePolicyTests {
    private func judge(
        _ status: Int, _ reason: String = "", _ headers: HTTPHeaderFields = [:], method: String = "GET",
        limit: Int = 1000
    ) -> ResponsePolicy.Verdict {
        var chain = RedirectChain(limit: 1)
        return ResponsePolicy.judge(
            status: status, reason: reason, headers: headers,
            request: DataRequest(url: "http://a/x", method: method), chain: &chain, sizeLimit: limit)
    }

    @Test func `200 to 299 are delivered with their length`() {
        for status in [200, 203, 299] {
            let expected = DataResponse(
                url: "http://a/x", status: status, headers: ["Content-Length": "7"], expectedLength: 7)
            #expect(judge(status, "OK", ["Content-Length": "7"]) == .deliver(expected))
        }
    }

    @Test func `A partial response is delivered if a range was requested, and refused otherwise`() {
        let headers: HTTPHeaderFields = ["Content-Range": "bytes 3-9/10", "Content-Length": "7"]
        var chain = RedirectChain(limit: 1)
        let verdict = ResponsePolicy.judge(
            status: 206, reason: "", headers: headers,
            request: DataRequest(url: "http://a/x", headers: ["range": "bytes=3-"]), chain: &chain, sizeLimit: 1000)
        #expect(
            verdict
                == .deliver(DataResponse(url: "http://a/x", status: 206, headers: headers, expectedLength: 7)))
        guard case .fail(let error) = judge(206, "", headers) else {
            Issue.record("delivered")
            return
        }
        #expect(error.cause == .status(206))
    }

    @Test func `An unrequested part with all bytes is the whole body; any other part is refused`() {
        let whole: HTTPHeaderFields = ["Content-Range": "bytes 0-9/10", "Content-Length": "10"]
        #expect(
            judge(206, "", whole)
                == .deliver(
                    DataResponse(
                        url: "http://a/x", status: 200, headers: ["Content-Length": "10"], expectedLength: 10)))
        for (range, length) in [("0-8/10", "9"), ("1-9/10", "9"), ("0-9/*", "10"), ("0-9/10", "9"), ("x", "10")] {
            let verdict = judge(206, "", ["Content-Range": "bytes \(range)", "Content-Length": length])
            guard case .fail(let error) = verdict else {
                Issue.record("delivered \(range)")
                continue
            }
            #expect(error.cause == .status(206))
        }
    }

    @Test func `Other statuses are errors that say what the server said`() {
        #expect(judge(404, "Not Found") == .fail(.init(.status(404), "the server responded with 404 Not Found")))
        #expect(judge(599) == .fail(.init(.status(599), "the server responded with 599")))
        #expect(judge(304, "Not Modified") == .fail(.init(.status(304), "the server responded with 304 Not Modified")))
    }

    @Test func `A 304 response is delivered to a conditional request, without a length`() {
        for field in ["If-None-Match", "If-Modified-Since"] {
            var chain = RedirectChain(limit: 1)
            let verdict = ResponsePolicy.judge(
                status: 304, reason: "", headers: ["Content-Length": "7"],
                request: DataRequest(url: "http://a/x", headers: [field: "x"]), chain: &chain, sizeLimit: 1)
            #expect(
                verdict
                    == .deliver(DataResponse(url: "http://a/x", status: 304, headers: ["Content-Length": "7"])))
        }
    }

    @Test(arguments: [206, 301, 304, 404, 500, 999])
    func `With any status accepted, a response is delivered unchanged`(status: Int) {
        var chain = RedirectChain(limit: 1)
        let headers: HTTPHeaderFields = ["Location": "/y", "Content-Length": "7", "Content-Encoding": "gzip"]
        var settings = LoaderConfiguration()
        settings.acceptsAnyStatus = true
        (settings.followsRedirects, settings.decompresses) = (false, false)
        let verdict = ResponsePolicy.judge(
            status: status, reason: "", headers: headers, request: DataRequest(url: "http://a/x"), chain: &chain,
            sizeLimit: 1000, settings)
        let length = status == 304 ? nil : 7
        #expect(
            verdict
                == .deliver(
                    DataResponse(url: "http://a/x", status: status, headers: headers, expectedLength: length)))
    }

    @Test func `An announced length over the limit is refused, one at the limit is not`() {
        guard case .fail(let error) = judge(200, "OK", ["content-length": "1001"]) else {
            Issue.record("not refused")
            return
        }
        #expect(error.cause == .tooLarge(limit: 1000))
        if case .fail = judge(200, "OK", ["content-length": "1000"]) { Issue.record("refused at the limit") }
    }

    @Test func `A length counts only where it is the length of what will be received`() {
        #expect(ResponsePolicy.bodyLength(["Content-Length": "9"], method: "GET") == 9)
        #expect(ResponsePolicy.bodyLength(["Content-Length": "9"], method: "HEAD") == nil)
        #expect(ResponsePolicy.bodyLength(["Content-Length": "9"], method: "GET", 204) == 0)
        for equal in [["9", "9"], ["9, 9"], ["9", " 9,9 "]] {
            let fields = HTTPHeaderFields(equal.map { HTTPHeaderFields.Field(name: "Content-Length", value: $0) })
            #expect(ResponsePolicy.bodyLength(fields, method: "GET") == 9)
        }
        #expect(ResponsePolicy.bodyLength(["Content-Length": "9", "content-length": "8"], method: "GET") == nil)
        #expect(ResponsePolicy.bodyLength(["Content-Length": "9", "Content-Encoding": "GZIP"], method: "GET") == nil)
        #expect(ResponsePolicy.bodyLength(["Content-Length": "9", "Content-Encoding": "identity"], method: "GET") == 9)
        #expect(
            ResponsePolicy.bodyLength(["Content-Length": "9", "Transfer-Encoding": "chunked"], method: "GET") == nil)
        for text in ["-1", "x", "", "99999999999999999999"] {
            #expect(ResponsePolicy.bodyLength(["Content-Length": text], method: "GET") == nil)
        }
    }

    @Test func `A body is counted against its limit and its announced length`() {
        var body = BodyMeter(limit: 10)
        body.expected = 9
        #expect(body.take(8) == nil)
        #expect(body.end()?.message == "the body ended after 8 of 9 bytes")
        #expect(body.take(1) == nil && body.end() == nil)
        #expect(body.take(2)?.cause == .tooLarge(limit: 10))
        #expect(body.received == 9)
        #expect(body.take(.max)?.cause == .tooLarge(limit: 10))
    }

    @Test func `A redirect to an address that is known to be fresh is the end, and names the redirects`() {
        var chain = RedirectChain(limit: 3)
        var request = DataRequest(url: "http://a/r")
        request.targetConditions = TargetConditions(url: "http://a/x", headers: [:], isFresh: true)
        func judge(_ location: String) -> ResponsePolicy.Verdict {
            ResponsePolicy.judge(
                status: 302, reason: "", headers: ["Location": location], request: request, chain: &chain,
                sizeLimit: 1000)
        }
        guard case .follow = judge("/y"), case .settle(let response) = judge("/x") else {
            Issue.record("not settled")
            return
        }
        #expect(response.status == 304 && response.isUnasked && response.url == "http://a/x")
        #expect(response.redirects.map(\.status) == [302, 302])
    }
}
