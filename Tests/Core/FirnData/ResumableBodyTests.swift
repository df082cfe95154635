import FirnData
import Testing

@Suite struct `Bodies that can be resumed` {
    private let request = DataRequest(url: "http://a/x.jpg", headers: ["Accept": "image/*"])

    private func response(
        _ headers: HTTPHeaderFields = ["ETag": "\"v1\""], status: Int? = 200, length: Int? = 1000,
        url: String = "http://b/x"
    ) -> DataResponse {
        DataResponse(url: url, status: status, headers: headers, expectedLength: length)
    }

    private func body(_ headers: HTTPHeaderFields = ["ETag": "\"v1\""], length: Int? = 1000) throws -> ResumableBody {
        try #require(ResumableBody(response(headers, length: length), to: request))
    }

    // MARK: Resumable bodies

    @Test(arguments: ["\"v1\"", "\"\"", "\"!#~\"", "\"é\""])
    func `A strong entity tag makes a body resumable`(tag: String) throws {
        #expect(try body(["ETag": tag]).validator == .entityTag(tag))
    }

    @Test(arguments: ["W/\"v1\"", "v1", "\"v1", "\"", "", "\"a\"b\"", "\"a b\"", "\"a\u{7F}\"", "\"a\r\n\""])
    func `A weak or malformed tag does not allow resuming, with any other field`(tag: String) {
        let headers: HTTPHeaderFields = [
            "ETag": tag, "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Mon, 06 Nov 1995 08:49:37 GMT",
        ]
        #expect(ResumableBody(response(headers), to: request) == nil)
    }

    @Test func `A time of change counts from a minute before the response on`() {
        func validator(_ date: String?) -> BodyValidator? {
            var headers: HTTPHeaderFields = ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]
            headers["Date"] = date
            return BodyValidator(headers)
        }
        #expect(validator("Sun, 06 Nov 1994 08:50:37 GMT") == .lastModified("Sun, 06 Nov 1994 08:49:37 GMT"))
        #expect(validator("Sun, 06 Nov 1994 08:50:36 GMT") == nil)
        #expect(validator("Sat, 05 Nov 1994 08:49:37 GMT") == nil)
        #expect(validator("yesterday") == nil)
        #expect(validator(nil) == nil)
        #expect(BodyValidator(["Last-Modified": "soon", "Date": "Sun, 06 Nov 1994 08:50:37 GMT"]) == nil)
    }

    @Test func `Responses without status 200, compressed, or of servers without ranges are not`() {
        let tag: HTTPHeaderFields = ["ETag": "\"v1\""]
        func with(_ name: String, _ value: String) -> HTTPHeaderFields {
            var headers = tag
            headers[name] = value
            return headers
        }
        for status in [203, 206, 404, nil] { #expect(ResumableBody(response(tag, status: status), to: request) == nil) }
        for coding in ["gzip", "br", "identity"] {
            #expect(ResumableBody(response(with("Content-Encoding", coding)), to: request) == nil)
        }
        #expect(ResumableBody(response(with("accept-ranges", "None")), to: request) == nil)
        #expect(ResumableBody(response(with("Accept-Ranges", "bytes")), to: request) != nil)
        #expect(ResumableBody(response([:]), to: request) == nil)
    }

    @Test func `Only what a GET of the whole brought is`() {
        let ranged = DataRequest(url: "http://a/x.jpg", headers: ["range": "bytes=5-"])
        #expect(ResumableBody(response(), to: DataRequest(url: "http://a/x.jpg", method: "POST")) == nil)
        #expect(ResumableBody(response(), to: ranged) == nil)
    }

    // MARK: Requests

    @Test func `The rest is asked for with the validator as condition`() throws {
        let rest = try #require(try body().request(request, from: 300))
        #expect(rest.url == request.url && rest.method == "GET")
        #expect(
            rest.headers
                == ["Accept": "image/*", "Range": "bytes=300-", "If-Range": "\"v1\"", "Accept-Encoding": "identity"])
        let time = try body(["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Mon, 06 Nov 1995 08:49:37 GMT"])
        #expect(time.request(request, from: 1)?.headers["If-Range"] == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test func `Nothing is requested if no bytes are stored, or none is missing`() throws {
        let body = try body()
        for offset in [-1, 0, 1000, 1001] { #expect(body.request(request, from: offset) == nil) }
        #expect(try self.body(length: nil).request(request, from: 5000) != nil)
    }

    // MARK: Responses

    private func rest(_ range: String?, _ change: (inout HTTPHeaderFields) -> Void = { _ in }) -> HTTPHeaderFields {
        var headers: HTTPHeaderFields = ["ETag": "\"v1\""]
        headers["Content-Range"] = range
        change(&headers)
        return headers
    }

    @Test func `The rest of the same body goes on`() throws {
        let headers = rest("bytes 300-999/1000")
        #expect(try body().judge(response(headers, status: 206, length: 700), from: 300) == .goesOn(total: 1000))
        #expect(try body().judge(response(headers, status: 206, length: nil), from: 300) == .goesOn(total: 1000))
        #expect(
            try body(length: nil).judge(response(headers, status: 206, length: 700), from: 300) == .goesOn(total: 1000))
    }

    @Test func `A complete response replaces the stored bytes`() throws {
        #expect(try body().judge(response(["ETag": "\"v2\""]), from: 300) == .replaces)
        #expect(try body().judge(response([:], length: nil), from: 300) == .replaces)
    }

    @Test(arguments: [
        nil, "", "bytes", "bytes 300-999", "bytes 300-999/", "bytes 300-999/*", "bytes 300-999/1001",
        "bytes 300-1000/1000", "bytes 300-998/1000", "bytes 299-999/1000", "bytes 301-999/1000", "bytes 0-999/1000",
        "bytes 999-300/1000", "bytes -300-999/1000", "bytes +300-999/1000", "bytes 300 - 999/1000", "bytes */1000",
        "bits 300-999/1000", "bytes 300-999/1000, bytes 0-1/1000", "bytes 300-9999999999999999999/1000",
        "bytes 300-9223372036854775807/9223372036854775807", "bytes 300-999/9223372036854775808",
    ])
    func `A range that is not the missing one starts again`(range: String?) throws {
        #expect(try body().judge(response(rest(range), status: 206, length: 700), from: 300) == .startsAgain)
    }

    @Test func `A rest of unknown length of a body of unknown length starts again`() throws {
        let body = try body(length: nil)
        #expect(body.judge(response(rest("bytes 300-999/*"), status: 206, length: 700), from: 300) == .startsAgain)
    }

    @Test func `A rest with another validator, or none, starts again`() throws {
        let range = "bytes 300-999/1000"
        for tag in [nil, "\"v2\"", "W/\"v1\"", "\"V1\""] {
            let headers = rest(range) { $0["ETag"] = tag }
            #expect(try body().judge(response(headers, status: 206, length: 700), from: 300) == .startsAgain)
        }
        let twice = rest(range) { $0.append("ETag", "\"v2\"") }
        #expect(try body().judge(response(twice, status: 206, length: 700), from: 300) == .startsAgain)
        let changed = "Sun, 06 Nov 1994 08:49:37 GMT"
        let time = try body(["Last-Modified": changed, "Date": "Mon, 06 Nov 1995 08:49:37 GMT"])
        let same = HTTPHeaderFields([
            .init(name: "Content-Range", value: range), .init(name: "Last-Modified", value: changed),
        ])
        #expect(time.judge(response(same, status: 206, length: 700), from: 300) == .goesOn(total: 1000))
        #expect(
            time.judge(response(rest(range) { $0["ETag"] = nil }, status: 206, length: 700), from: 300) == .startsAgain)
        #expect(time.judge(response(rest(range), status: 206, length: 700), from: 300) == .startsAgain)
    }

    @Test func `A rest in parts, compressed, of another length or from elsewhere starts again`() throws {
        let range = "bytes 300-999/1000"
        let lies: [DataResponse] = [
            response(rest(range) { $0["Content-Type"] = "Multipart/ByteRanges; boundary=x" }, status: 206, length: 700),
            response(rest(range) { $0["Content-Encoding"] = "gzip" }, status: 206, length: 700),
            response(rest(range) { $0.append("Content-Range", range) }, status: 206, length: 700),
            response(rest(range), status: 206, length: 699),
            response(rest(range), status: 206, length: 1000),
            response(rest(range), status: 206, length: 700, url: "http://c/x"),
            response(rest(range), status: 203, length: 700),
            response(rest(range), status: nil, length: 700),
            response(rest("bytes */1000"), status: 416, length: 0),
        ]
        for lie in lies { #expect(try body().judge(lie, from: 300) == .startsAgain) }
    }
}
