import FirnCodecs
import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnServe

@Suite("HTTP semantics of the image server", .timeLimit(.minutes(3)))
struct ServeConditionTests {
    private let path = "/w:50/plain/local:///sub/b.png"

    @Test func `HEAD has no ranges`() async throws {
        try await ServeFixture.run { fixture in
            let whole = try await fixture.get(path)
            let head = try await fixture.get(path, method: "HEAD", headers: ["Range": "bytes=0-9"])
            #expect(head.status == 200 && head["Content-Length"] == "\(whole.body.count)" && head.body.isEmpty)
            #expect(head["Content-Range"] == nil)
            #expect(try await fixture.get(path, headers: ["Range": "bytes=0-9"]).status == 206)
        }
    }

    @Test func `a refused format is not sent, and its name is read in any case`() async throws {
        try await ServeFixture.run({ $0.imgproxy.automaticFormats = [.webp] }) { fixture in
            for (accept, type) in [("image/webp;q=0", "image/png"), ("IMAGE/WEBP", "image/webp")] {
                let found = try await fixture.get(path, headers: ["Accept": accept])
                #expect(found["Content-Type"] == type, "\(accept)")
            }
        }
    }

    @Test(arguments: ["GET", "HEAD"])
    func `conditions on validators and times are kept, also by requests that repeat`(_ method: String) async throws {
        try await ServeFixture.run { fixture in
            let target = try fixture.signed(path)
            let first = try await fixture.client.get(target)
            let (tag, time) = (try #require(first["ETag"]), try #require(first["Last-Modified"]))
            let file = fixture.folder + "/images/sub/b.png"
            #expect(HTTPDate.seconds(time) == (try LocalFileSystem().status(file).modified) / 1_000_000_000)
            for (field, status) in [
                ("If-Match: \"other\"", 412), ("If-Match: \(tag)", 200), ("If-None-Match: \(tag)", 304),
                ("If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT", 412), ("If-Unmodified-Since: \(time)", 200),
                ("If-Modified-Since: \(time)", 304), ("If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT", 200),
            ] {
                for _ in 1...3 {
                    let request = "\(method) \(target) HTTP/1.1\r\nHost: test\r\nConnection: close\r\n"
                    let bytes = try await fixture.client.exchange(request + field + "\r\n\r\n")
                    #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("HTTP/1.1 \(status) "), "\(field)")
                }
            }
            // The same request with and without a condition, over one connection.
            let plain = "\(method) \(target) HTTP/1.1\r\nHost: test\r\n"
            let other = plain + "If-Match: \"other\"\r\n\r\n"
            let texts = [plain + "\r\n", plain + "\r\n", other, other, plain + "\r\n"]
            #expect(try await fixture.client.inTurn(texts).map(\.status) == [200, 200, 412, 412, 200])
        }
    }

    @Test func `errors and OPTIONS name the configured origin, and IIIF any`() async throws {
        func origin(_ fixture: ServeFixture, _ target: String, _ method: String = "GET") async throws -> String? {
            let fields = ["Origin": "https://evil.example", "Access-Control-Request-Method": "GET"]
            return try await fixture.client.get(target, method: method, headers: fields)["Access-Control-Allow-Origin"]
        }
        try await ServeFixture.run({ $0.imgproxy.allowedOrigin = "https://x.example" }) { fixture in
            let good = try fixture.signed(path)
            for target in [
                good, "/_" + path, try fixture.signed("/w:50/plain/local:///none.png"), "/info" + good,
                "/info/_" + path,
            ] {
                #expect(try await origin(fixture, target) == "https://x.example", "\(target)")
                #expect(try await origin(fixture, target, "OPTIONS") == "https://x.example")
                #expect(try await origin(fixture, target, "POST") == "https://x.example")
            }
            #expect(try await origin(fixture, "/iiif/a.jpg/info.json", "OPTIONS") == "*")
            #expect(try await origin(fixture, "/iiif/none.jpg/info.json") == "*")
        }
        try await ServeFixture.run { fixture in
            let target = try fixture.signed(path)
            let (image, information) = (
                try await origin(fixture, target, "OPTIONS"), try await origin(fixture, "/info" + target, "OPTIONS")
            )
            #expect(image == nil && information == "*")
        }
    }

    @Test(arguments: ["Close", "close", "keep-alive, CLOSE"])
    func `bytes after a request to close the connection get no response`(_ value: String) async throws {
        try await ServeFixture.run { fixture in
            let target = try fixture.signed(path)
            let last = "GET \(target) HTTP/1.1\r\nHost: h\r\nConnection: \(value)\r\n\r\n"
            for rest in ["GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n", "nonsense\r\n\r\n"] {
                let text = String(decoding: try await fixture.client.exchange(last + rest), as: UTF8.self)
                #expect(text.hasPrefix("HTTP/1.1 200 ") && text.split(separator: "HTTP/1.1 ").count == 1)
            }
        }
    }

    @Test func `info.json has a validator, and is compressed for clients that accept it`() async throws {
        try await ServeFixture.run { fixture in
            func get(_ fields: [String: String]) async throws -> RawClient.Response {
                try await fixture.client.get("/iiif/a.jpg/info.json", headers: fields)
            }
            let plain = try await get(["Accept-Encoding": "br, gzip;q=0"])
            let packed = try await get(["Accept-Encoding": "br, GZIP;q=0.5"])
            #expect(plain["Content-Encoding"] == nil && packed["Content-Encoding"] == "gzip")
            #expect(plain["Vary"] == "Accept, Accept-Encoding" && packed["Vary"] == plain["Vary"])
            #expect(packed.body.count < plain.body.count && packed.body.starts(with: [0x1F, 0x8B]))
            // The checksum and the length of the content.
            #expect(Array(packed.body.suffix(8)) == Array(GzipWriter.member(Data(plain.body)).suffix(8)))
            let tag = try #require(packed["ETag"])
            #expect(tag != plain["ETag"])
            let again = try await get(["Accept-Encoding": "gzip", "If-None-Match": tag])
            #expect(again.status == 304 && again.body.isEmpty && again["ETag"] == tag)
        }
    }

    @Test(arguments: [500, 503, 504])
    func `a decoder that does not work is the server's fault, and clients learn no paths`(_ status: Int) {
        let cause = DecoderUnavailable(status)
        let image = ImageError(.limit, at: .decoding, "cannot be started: /usr/libexec/x", underlying: cause)
        for underlying: any Error in [image, cause] {
            for stage in [ImageLoadingError.Stage.decoding, .processing] {
                let error = ServeError(
                    ImageLoadingError(.limit, at: stage, source: "a", message: image.message, underlying: underlying))
                #expect(error.status == status && !error.message.contains("/"))
            }
        }
    }
}
