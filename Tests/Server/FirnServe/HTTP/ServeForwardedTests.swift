import FirnHTTP
import FirnImage
import FoundationEssentials
import Testing

@testable import FirnServe

@Suite("Proxies in front of the image server", .timeLimit(.minutes(3)))
struct ServeForwardedTests {
    private static let address = "/iiif/a.jpg/0,0,100,100/50,/0/default.jpg"

    /// Returns the start of the address in the field `Link`.
    private func base(_ response: RawClient.Response) -> String? {
        guard let link = response["Link"]?.split(separator: ", <").last else { return nil }
        return link.split(separator: "/iiif/").first.map(String.init)
    }

    @Test(arguments: [
        (["X-Forwarded-Proto: https"], "https://test"), (["X-Forwarded-Proto: HTTPS, http"], "https://test"),
        (["X-Forwarded-Proto: ftp"], "http://test"),
        (["X-Forwarded-Host: a.example:8443, b.example"], "http://a.example:8443"),
        (["X-Forwarded-Port: 8113"], "http://test:8113"),
        (["X-Forwarded-Host: a.example:9", "X-Forwarded-Port: 8113"], "http://a.example:8113"),
        (["X-Forwarded-Host: [::1]", "X-Forwarded-Port: 8113"], "http://[::1]:8113"),
        (["X-Forwarded-Proto: https", "X-Forwarded-Port: 443"], "https://test"),
        (["X-Forwarded-Port: 0"], "http://test"), (["X-Forwarded-Port: 70000"], "http://test"),
        (["X-Forwarded-Prefix: /images/"], "http://test/images"),
        (["X-Forwarded-Prefix: /a", "X-Forwarded-Prefix: /b"], "http://test/a/b"),
        (["X-Forwarded-Prefix: //evil.example"], "http://test"), (["X-Forwarded-Prefix: /a>b"], "http://test"),
        (
            ["Forwarded: for=192.0.2.1;Proto=https;host=\"a.example:8443\", proto=http;host=b"],
            "https://a.example:8443"
        ),
        // A proxy that knows none but the first kind leaves the other to its clients.
        (["X-Forwarded-Proto: https", "Forwarded: host=evil.example"], "https://test"),
    ])
    func `identifiers and links have the address at which the client reached the proxy`(
        _ fields: [String], _ expected: String
    ) async throws {
        try await ServeFixture.run { fixture in
            let lines = fields.map { $0 + "\r\n" }.joined()
            let request = "GET \(Self.address) HTTP/1.1\r\nHost: test\r\n\(lines)\r\n"
            // The second and third response are repeated.
            let responses = try await fixture.client.inTurn([request, request, request])
            #expect(responses.map(base) == [expected, expected, expected])
            let plain = "GET \(Self.address) HTTP/1.1\r\nHost: test\r\n\r\n"
            #expect(base(try await fixture.client.response(to: plain)) == "http://test")
            let page = "GET /iiif/a.jpg HTTP/1.1\r\nHost: test\r\n\(lines)\r\n"
            #expect(try await fixture.client.response(to: page)["Location"] == expected + "/iiif/a.jpg/info.json")
        }
    }

    @Test func `an invalid authority is refused`() async throws {
        try await ServeFixture.run { fixture in
            for field in ["X-Forwarded-Host", "Forwarded"] {
                let value = field == "Forwarded" ? "host=\"a/b\"" : "a/b"
                let status = try await fixture.client.get(Self.address, headers: [field: value]).status
                #expect(status == 400)
            }
        }
    }

    @Test func `fields of other clients are not read, also of a request in the same bytes`() async throws {
        try await ServeFixture.run({
            $0.trustedProxies = [NetworkPolicy.AddressRange("127.0.0.2")].compactMap { $0 }
        }) {
            fixture in
            var proxy = fixture.client
            proxy.source = "127.0.0.2"
            let fields = "X-Forwarded-Proto: https\r\nX-Forwarded-Host: evil.example\r\n"
            let request = "GET \(Self.address) HTTP/1.1\r\nHost: test\r\n\(fields)\r\n"
            let texts = [request, request, request]
            for (client, expected) in [
                (proxy, "https://evil.example"), (fixture.client, "http://test"), (proxy, "https://evil.example"),
            ] {
                let found = try await client.inTurn(texts).map(base)
                #expect(found == [expected, expected, expected])
            }
        }
    }

    @Test func `proxies are addresses and ranges; those on this machine are trusted without a list`() throws {
        var layers = ConfigurationLayers()
        layers.environment = ["FIRN_INSECURE": "true"]
        func ranges() throws -> [String] {
            try layers.load().configuration.settings.trustedProxies.map(\.description)
        }
        #expect(try ranges() == ["127.0.0.0/8", "::1/128"])
        layers.environment["FIRN_TRUSTED_PROXIES"] = "10.0.0.0/8,192.0.2.7"
        #expect(try ranges() == ["10.0.0.0/8", "192.0.2.7/32"])
        layers.environment["FIRN_TRUSTED_PROXIES"] = "proxy.example"
        let error = #expect(throws: ConfigurationError.self) { try layers.load() }
        #expect(error?.description.contains("trusted-proxies: 'proxy.example' is not an address") == true)
    }

    @Test(arguments: [
        ("", 400), ("Host: a\r\nHost: b\r\n", 400), ("Host: a, b\r\n", 400), ("Host: a/b\r\n", 400),
        ("Host: a\r\n", 200), ("Host:\r\n", 200),
    ])
    func `a request of HTTP/1.1 names one host, or it is 400 and the last of its connection`(
        _ fields: String, _ status: Int
    ) async throws {
        try await ServeFixture.run({ $0.connections.firstRequest = .seconds(600) }) { fixture in
            let request = "GET /health HTTP/1.1\r\n\(fields)\r\n"
            let last = "GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            let text = String(decoding: try await fixture.client.exchange(request + last), as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 \(status)") && text.components("HTTP/1.1 ") == (status == 200 ? 3 : 2))
            let old = try await fixture.client.exchange("GET /health HTTP/1.0\r\nConnection: close\r\n\r\n")
            #expect(old.starts(with: "HTTP/1.1 200".utf8))
        }
    }

    @Test func `a range behind the end is not kept by caches`() async throws {
        try await ServeFixture.run { fixture in
            let response = try await fixture.get("/w:9/plain/local:///a.jpg", headers: ["Range": "bytes=99999999-"])
            #expect(response.status == 416 && response["Content-Range"]?.hasPrefix("bytes */") == true)
            #expect(response["Cache-Control"] == "no-store" && response["Content-Disposition"] == nil)
        }
    }
}
