import FirnImage
import FirnTesting
import Testing

@testable import FirnServe

@Suite("Reloading the configuration of the image server", .timeLimit(.minutes(3)))
struct ServeReloadTests {
    /// Applies the settings of the server with a change.
    private func reload(_ fixture: ServeFixture, _ change: (inout ServeSettings) -> Void) {
        var loaded = LoadedConfiguration()
        loaded.configuration.settings = fixture.server.settings
        change(&loaded.configuration.settings)
        fixture.server.apply(loaded)
    }

    @Test func `new keys hold for the next request, and old ones no longer`() async throws {
        try await ServeFixture.run { fixture in
            let old = try fixture.signed("/w:10/plain/local:///a.jpg")
            #expect(try await fixture.client.get(old).status == 200)
            reload(fixture) { settings in
                settings.imgproxy.keyPairs = [ImgproxyKeyPair(hexKey: "00", hexSalt: "01")].compactMap { $0 }
            }
            #expect(try await fixture.client.get(old).status == 403)
            #expect(try await fixture.get("/w:10/plain/local:///a.jpg").status == 200)
        }
    }

    @Test func `new hosts are allowed, and removed ones are not, up to the connection`() async throws {
        let source = try ScriptedServer()
        let jpeg = try ServeFixture.image(PixelSize(width: 8, height: 8), .jpeg)
        source.respond(to: "/reloaded.jpg", with: .body(jpeg))
        try await ServeFixture.run { fixture in
            let path = "/w:4/plain/\(source.url("/reloaded.jpg"))"
            let before = try await fixture.get(path)
            #expect(before.status == 404)
            reload(fixture) { $0.allowedHosts = [AllowedHost("127.0.0.1:\(source.port)")].compactMap { $0 } }
            #expect(try await fixture.get(path).status == 200)
            reload(fixture) { $0.allowedHosts = [] }
            #expect(try await fixture.get(path).status == 404)
            // A late request of another test can arrive here, because systems reuse ports.
            let paths = source.requests.calls.map(\.path)
            #expect(paths.filter { $0 == "/reloaded.jpg" }.count == 1, "\(paths)")
        }
    }

    @Test(arguments: [true, false])
    func `settings that change the result change its key`(_ isInMemory: Bool) async throws {
        try await ServeFixture.run { settings in
            settings.resultMemory = isInMemory ? 64 << 20 : 0
            settings.cacheDirectory = isInMemory ? nil : settings.localRoot.map { "\($0)/../cache" }
        } _: { fixture in
            let path = "/w:300/plain/local:///sub/b.png"
            #expect(try ServeFixture.describe(try await fixture.get(path).body).format == .png)
            reload(fixture) { $0.imgproxy.preferredFormats = [.webp] }
            #expect(try ServeFixture.describe(try await fixture.get(path).body).format == .webp)
            reload(fixture) { $0.imgproxy.limits.resultSide = 100 }
            #expect(try ServeFixture.describe(try await fixture.get(path).body).size?.width == 100)
            reload(fixture) { $0.imgproxy.pathPrefix = "/img" }
            let made = fixture.server.service.statistics.made
            #expect(made == 3)
            let prefixed = "/img" + (try fixture.signed("/w:300/plain/local:///sub/b.png"))
            #expect(try await fixture.client.get(prefixed).status == 200)
            #expect(fixture.server.service.statistics.made == 4)
        }
    }

    @Test func `cachebuster asks for another result`() async throws {
        try await ServeFixture.run { fixture in
            for options in ["w:9", "w:9/cb:1", "w:9/cachebuster:2", "w:9/cb:1"] {
                let status = try await fixture.get("/\(options)/plain/local:///a.jpg").status
                #expect(status == 200)
            }
            #expect(fixture.server.service.statistics.made == 3)
        }
    }

    @Test func `presets and limits are those of the new configuration; folders stay`() async throws {
        try await ServeFixture.run { fixture in
            #expect(try await fixture.get("/pr:small/plain/local:///a.jpg").status == 404)
            reload(fixture) { settings in
                settings.imgproxy.presets = ["small": "w:7"]
                settings.localRoot = "/nonexistent"
            }
            let small = try await fixture.get("/pr:small/plain/local:///a.jpg")
            #expect(try ServeFixture.describe(small.body).size?.width == 7)
            reload(fixture) { settings in
                settings.limits.maximumPixels = 1000
                settings.admission.total = 0
            }
            #expect(try await fixture.get("/w:8/plain/local:///a.jpg").status == 429)
            reload(fixture) { $0.admission.total = 8 }
            #expect(try await fixture.get("/w:8/plain/local:///a.jpg").status == 422)
        }
    }
}
