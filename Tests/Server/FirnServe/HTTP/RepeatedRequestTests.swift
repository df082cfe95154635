import FirnImage
import FoundationEssentials
import Testing

@testable import FirnServe

/// Requests that arrive in the same bytes as one before, which nothing parses.
@Suite("Requests in the same bytes", .timeLimit(.minutes(3)))
struct RepeatedRequestTests {
    private func request(_ target: String, _ method: String = "GET", _ fields: String = "") -> String {
        "\(method) \(target) HTTP/1.1\r\nHost: test\r\n\(fields)\r\n"
    }

    /// Returns the text of a request that the server has had often enough to know its bytes.
    private func known(_ path: String, _ fixture: ServeFixture) async throws -> String {
        let target = try fixture.signed(path)
        _ = try await fixture.client.get(target)
        let known = request(target)
        _ = try await fixture.client.inTurn([known, known])
        return known
    }

    /// The fields of a response but those that each has of its own.
    private func fields(_ response: RawClient.Response) -> [String: String] {
        response.headers.filter { !["date", "x-request-id"].contains($0.key) }
    }

    @Test func `get the response of the first, with a date and a name of their own`() async throws {
        try await ServeFixture.run { fixture in
            let target = try fixture.signed("/w:9/plain/local:///a.jpg")
            let made = try await fixture.client.get(target)
            let texts =
                Array(repeating: request(target), count: 5) + Array(repeating: request(target, "HEAD"), count: 4)
            let responses = try await fixture.client.inTurn(texts)
            #expect(responses.allSatisfy { $0.status == 200 && $0["Date"]?.hasSuffix(" GMT") == true })
            #expect(responses[..<5].allSatisfy { $0.body == made.body } && responses[5...].allSatisfy(\.body.isEmpty))
            #expect(Set(responses.map { $0["X-Request-ID"] ?? "" }).count == 9)
            #expect(Set(responses.map(fields)).count == 1)
            // The first of each kind is read, and the others are compared.
            #expect(fixture.server.service.statistics.compared == 7)
            #expect(fixture.server.service.statistics.memoryHits == 9)
            let page = try await fixture.admin.get("/metrics")
            let text = String(decoding: page.body, as: UTF8.self)
            #expect(text.contains("firn_serve_requests_total{language=\"imgproxy\",status=\"200\"} 10\n"))
        }
    }

    @Test func `are not found in the middle of another request`() async throws {
        try await ServeFixture.run { fixture in
            let known = try await known("/w:9/plain/local:///a.jpg", fixture)
            let before = fixture.server.service.statistics.compared
            #expect(before == 1)
            // The bytes that are known are the value of a field.
            let split = known + "GET /missing/x HTTP/1.1\r\nX-Other: "
            let responses = try await fixture.client.inTurn([split, known, known])
            #expect(responses.map(\.status) == [200, 403, 200])
            #expect(fixture.server.service.statistics.compared == before)
        }
    }

    @Test func `wait for earlier requests of their connection`() async throws {
        try await ServeFixture.run { fixture in
            let known = try await known("/w:9/plain/local:///a.jpg", fixture)
            let made = try fixture.signed("/w:11/plain/local:///a.jpg")
            let last = request("/health", "GET", "Connection: close\r\n")
            let bytes = try await fixture.client.exchange(request(made) + known + last)
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.hasSuffix("ok\n") && text.components("HTTP/1.1 200 OK\r\n") == 4)
        }
    }

    @Test func `have no response once keys or the source have changed, or their result is gone`() async throws {
        try await ServeFixture.run { fixture in
            let known = try await known("/w:10/plain/local:///a.jpg", fixture)
            #expect(fixture.server.service.statistics.compared == 1)
            try ServeFixture.image(PixelSize(width: 20, height: 60), .jpeg)
                .write(to: URL(filePath: fixture.folder + "/images/a.jpg"))
            let changed = try await fixture.client.response(to: known)
            #expect(try ServeFixture.describe(changed.body).size == PixelSize(width: 10, height: 30))
            var loaded = LoadedConfiguration()
            loaded.configuration.settings = fixture.server.settings
            loaded.configuration.settings.imgproxy.keyPairs =
                [ImgproxyKeyPair(hexKey: "00", hexSalt: "01")].compactMap { $0 }
            fixture.server.apply(loaded)
            #expect(try await fixture.client.response(to: known).status == 403)
            #expect(fixture.server.service.statistics.compared == 1)
        }
    }

    @Test func `see a changed file once its status may be looked at again`() async throws {
        try await ServeFixture.run({ $0.fileFreshness = .milliseconds(300) }) { fixture in
            let known = try await known("/w:10/plain/local:///a.jpg", fixture)
            let old = PixelSize(width: 10, height: 5)
            let before = try await fixture.client.inTurn([known, known, known])
            #expect(try before.map { try ServeFixture.describe($0.body).size } == Array(repeating: old, count: 3))
            try ServeFixture.image(PixelSize(width: 20, height: 60), .jpeg)
                .write(to: URL(filePath: fixture.folder + "/images/a.jpg"))
            // Without an end, and cut off by the limit of the suite, if the file is not looked at again.
            var size: PixelSize? = old
            while size == old {
                let response = try await fixture.client.response(to: known)
                size = try ServeFixture.describe(response.body).size
            }
            #expect(size == PixelSize(width: 10, height: 30))
            #expect(fixture.server.service.statistics.compared >= 2)
        }
    }

    @Test func `have no response on an open connection once keys have changed`() async throws {
        try await ServeFixture.run({ $0.fileFreshness = .seconds(3600) }, now: { 1_700_000_000 }) { fixture in
            let known = try await known("/w:10/plain/local:///a.jpg", fixture)
            let server = fixture.server
            let responses = try await fixture.client.inTurn([known, known, known, known]) { place in
                guard place == 3 else { return }
                var loaded = LoadedConfiguration()
                loaded.configuration.settings = server.settings
                loaded.configuration.settings.imgproxy.keyPairs =
                    [ImgproxyKeyPair(hexKey: "00", hexSalt: "01")].compactMap { $0 }
                server.apply(loaded)
            }
            #expect(responses.map(\.status) == [200, 200, 200, 403])
            #expect(server.service.statistics.compared >= 3)
        }
    }

    @Test func `keep the name that the client gives, if it is one`() async throws {
        try await ServeFixture.run { fixture in
            let target = try fixture.signed("/w:9/plain/local:///a.jpg")
            for (given, isKept) in [("abc-1_Z", true), ("a b", false), (String(repeating: "x", count: 65), false)] {
                for _ in 0..<3 {
                    let named = request(target, "GET", "X-Request-ID: \(given)\r\n")
                    let response = try await fixture.client.response(to: named)
                    #expect((response["X-Request-ID"] == given) == isKept && response["X-Request-ID"] != nil)
                }
            }
            #expect(try await fixture.client.get("/nothing")["X-Request-ID"] != nil)
        }
    }
}
