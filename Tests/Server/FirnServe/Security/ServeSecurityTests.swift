import FirnData
import FirnImage
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnServe

@Suite("What the image server refuses", .timeLimit(.minutes(3)))
struct ServeSecurityTests {
    private static func allowed(_ server: ScriptedServer) -> [AllowedHost] {
        [AllowedHost("127.0.0.1:\(server.port)")].compactMap { $0 }
    }

    @Test func `unusual spellings of an allowed host are other hosts`() async throws {
        try await ServeFixture.run({ $0.allowedHosts = [AllowedHost("ok.example")].compactMap { $0 } }) { fixture in
            for address in [
                "http://ok.example./a", "http://ok.example.evil/a", "http://evil/ok.example", "http://ok.example%09/a",
                "http:%5C%5Cok.example/a", "http://%C3%B6k.example/a", "http://ok.example:81/a",
                "http://ok%40ok.example/a", "http://ok.example%40evil/a", "http://%5B::ffff:127.0.0.1%5D/a",
                "http://ok.example%23%40evil/a", "HTTP://evil/a", "http://0177.0.0.1/a", "http:///ok.example/a",
            ] {
                let response = try await fixture.get("/w:10/plain/\(address)")
                #expect(response.status == 404, "\(address)")
            }
            #expect(fixture.server.service.statistics.made == 0)
        }
    }

    @Test(arguments: ["file:///etc/passwd", "http://169.254.169.254/latest", "http://[::1]/a", "ftp://127.0.0.1/a"])
    func `a redirect to another scheme or to a special address is not followed`(_ target: String) async throws {
        let source = try ScriptedServer()
        source.respond(to: "/r.jpg", with: Array(repeating: .redirect(to: target), count: 4))
        try await ServeFixture.run({ $0.allowedHosts = ServeSecurityTests.allowed(source) }) { fixture in
            let response = try await fixture.get("/w:10/plain/\(source.url("/r.jpg"))")
            #expect(response.status == 404)
            #expect(source.requests.count == 1)
        }
    }

    @Test(arguments: [
        "bl:1000", "sh:1000", "dpr:100/w:9999", "pd:100000", "z:1e9", "w:99999999999999999999", "bl:nan", "z:inf",
        "dpr:-1", "w:-1", "ex:1/w:65535/h:65535", "mrd:1", "msr:1000", "raw:1",
    ])
    func `options whose cost has no bound are refused before work`(_ options: String) async throws {
        try await ServeFixture.run { fixture in
            let response = try await fixture.get("/\(options)/plain/local:///a.jpg")
            #expect((400..<500).contains(response.status), "\(response.status)")
            #expect(fixture.server.service.statistics.made == 0)
        }
    }

    @Test func `a source that sends a byte now and then is 504`() async throws {
        let source = try ScriptedServer()
        let jpeg = try ServeFixture.image(PixelSize(width: 100, height: 50), .jpeg)
        source.respond(to: "/slow.jpg", with: .steps([.drip(jpeg, pause: .milliseconds(50))], framing: .untilClose))
        try await ServeFixture.run({ settings in
            settings.allowedHosts = ServeSecurityTests.allowed(source)
            settings.timeLimit = .milliseconds(500)
        }) { fixture in
            let response = try await fixture.get("/w:10/plain/\(source.url("/slow.jpg"))")
            #expect(response.status == 504)
        }
    }

    @Test func `a source that is larger than the limit is 422, whether or not it says its size`() async throws {
        let source = try ScriptedServer()
        let body = Data(repeating: 7, count: 1 << 20)
        source.respond(to: "/endless.jpg", with: .steps([.bytes(body)], framing: .untilClose))
        source.respond(to: "/long.jpg", with: .body(body))
        try await ServeFixture.run({ settings in
            settings.allowedHosts = ServeSecurityTests.allowed(source)
            settings.limits.maximumBytes = 64 << 10
        }) { fixture in
            for path in ["/endless.jpg", "/long.jpg"] {
                let response = try await fixture.get("/w:10/plain/\(source.url(path))")
                #expect(response.status == 422, "\(path)")
            }
        }
    }

    @Test(arguments: ["skp:jpg:png:svg", "f:jpg", "skp:jpg"])
    func `a page that is named like an image is never passed on`(_ options: String) async throws {
        try await ServeFixture.run { fixture in
            try Data("<html><script>alert(1)</script></html>".utf8)
                .write(to: URL(filePath: fixture.folder + "/images/page.jpg"))
            let response = try await fixture.get("/\(options)/plain/local:///page.jpg")
            #expect(response.status == 422 && !String(decoding: response.body, as: UTF8.self).contains("script"))
        }
    }
}
