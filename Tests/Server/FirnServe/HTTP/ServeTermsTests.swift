import FirnData
import FirnImage
import FirnSync
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnServe

@Suite("Header fields between sources and clients", .timeLimit(.minutes(3)))
struct ServeTermsTests {
    private let jpeg: Data

    init() throws { jpeg = try ServeFixture.image(PixelSize(width: 100, height: 50), .jpeg) }

    /// Runs a server whose sources may come from the given servers.
    private func run(
        _ sources: ScriptedServer..., change: (inout ServeSettings) -> Void = { _ in },
        now: @escaping @Sendable () -> Int = ServeClock.seconds, _ body: (ServeFixture) async throws -> Void
    ) async throws {
        try await ServeFixture.run(
            { settings in
                settings.allowedHosts = sources.compactMap { AllowedHost("127.0.0.1:\($0.port)") }
                change(&settings)
            }, now: now, body)
    }

    private func rule(_ text: String, isForSources: Bool = true) throws -> FieldRule {
        try FieldRule(text, isForSources: isForSources)
    }

    /// The seconds of `max-age`.
    private func age(_ response: RawClient.Response) throws -> Int {
        let text = try #require(response["Cache-Control"])
        return try #require(Int(text.drop { !$0.isNumber }.prefix { $0.isNumber }))
    }

    // MARK: Freshness

    @Test(
        arguments: [
            (["Cache-Control": "private, no-store"], "private, no-store"), (["Cache-Control": "no-store"], "no-store"),
            (["Cache-Control": "no-cache"], "no-cache"), (["Cache-Control": "max-age=0"], "no-cache"),
            (["Cache-Control": "s-maxage=0, max-age=60"], "no-cache"),
            (["Cache-Control": "max-age=60", "Age": "60"], "no-cache"), (["Expires": "0"], "no-cache"),
            (["Cache-Control": "private=\"X\""], "max-age=31536000, public"), ([:], "max-age=31536000, public"),
            (["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"], "max-age=31536000, public"),
            (["Cache-Control": "max-age=99999999"], "max-age=31536000, public"),
        ] as [(HTTPHeaderFields, String)])
    func `the freshness that a source states bounds that of its results, unless that is fixed`(
        _ headers: HTTPHeaderFields, _ expected: String
    ) async throws {
        let source = try ScriptedServer()
        source.respond(to: "/a.jpg", with: .body(jpeg, headers: headers))
        for follows in [true, false] {
            try await run(source, change: { $0.imgproxy.followsSources = follows }) { fixture in
                for segment in ["", "/info"] {
                    let target = try fixture.signed("/w:10/plain/\(source.url("/a.jpg"))")
                    let found = try await fixture.client.get(segment + target)
                    #expect(found.status == 200)
                    #expect(found["Cache-Control"] == (follows ? expected : "max-age=31536000, public"))
                }
            }
        }
    }

    @Test func `the lifetime that remains counts, with the age on arrival and that of a redirect`() async throws {
        let source = try ScriptedServer()
        let date = HTTPDate.text(Int64(ServeClock.seconds() - 100))
        let until = HTTPDate.text(Int64(ServeClock.seconds() + 900))
        source.respond(
            to: "/a.jpg", with: .body(jpeg, headers: ["Cache-Control": "private, max-age=1000", "Age": "100"]))
        source.respond(to: "/b.jpg", with: .body(jpeg, headers: ["Expires": until, "Date": date]))
        var redirect = ScriptedResponse.redirect(to: "/long.jpg")
        redirect.headers["Cache-Control"] = "max-age=900"
        source.respond(to: "/c.jpg", with: redirect)
        source.respond(to: "/long.jpg", with: .body(jpeg, headers: ["Cache-Control": "max-age=9000"]))
        try await run(source) { fixture in
            for (name, audience) in [("a", "private"), ("b", "public"), ("c", "public")] {
                let found = try await fixture.get("/w:10/plain/\(source.url("/\(name).jpg"))")
                let seconds = try age(found)
                #expect((800...900).contains(seconds), "\(name)")
                #expect(found["Cache-Control"]?.hasSuffix(audience) == true)
            }
        }
    }

    @Test(arguments: ["private", "no-store", "private, max-age=60"])
    func `a result that is not for everyone is kept nowhere`(_ value: String) async throws {
        let source = try ScriptedServer()
        source.respond(to: "/a.jpg", with: .body(jpeg, headers: ["Cache-Control": "\(value)"]))
        let folder = FileManager.default.temporaryDirectory.path + "/firn-serve-cache-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await run(source, change: { $0.cacheDirectory = folder }) { fixture in
            for number in 1...3 {
                let status = try await fixture.get("/w:10/plain/\(source.url("/a.jpg"))").status
                #expect(status == 200)
                #expect(fixture.server.service.statistics.made == number)
            }
            #expect(fixture.server.service.statistics.memoryBytes == 0)
            #expect(fixture.server.service.statistics.diskHits == 0)
        }
    }

    @Test func `requests that repeat get the lifetime that remains now`() async throws {
        let source = try ScriptedServer()
        source.respond(to: "/a.jpg", with: .body(jpeg, headers: ["Cache-Control": "max-age=1000"]))
        let clock = Locked(1_000_000)
        try await run(source, change: { $0.fileFreshness = .seconds(3600) }, now: { clock.withLock { $0 } }) {
            fixture in
            let target = try fixture.signed("/w:10/plain/\(source.url("/a.jpg"))")
            #expect(try await fixture.client.get(target).status == 200)
            let text = "GET \(target) HTTP/1.1\r\nHost: test\r\n\r\n"
            let responses = try await fixture.client.inTurn(Array(repeating: text, count: 6)) { place in
                clock.withLock { $0 = 1_000_000 + place / 2 * 100 }
            }
            let ages = try responses.map(age)
            #expect(ages.map { ($0 + 99) / 100 } == [10, 10, 9, 9, 8, 8], "\(ages)")
            #expect(fixture.server.service.statistics.made == 1 && fixture.server.service.statistics.compared == 3)
        }
    }

    @Test(arguments: [true, false])
    func `a stored result has the terms of its source`(_ isInMemory: Bool) async throws {
        let source = try ScriptedServer()
        let changed = "Sun, 06 Nov 1994 08:49:37 GMT"
        source.respond(
            to: "/a.jpg",
            with: .body(
                jpeg,
                headers: ["Cache-Control": "max-age=1000", "Last-Modified": changed, "X-Rights": "a", "X-No": "b"]))
        let folder = FileManager.default.temporaryDirectory.path + "/firn-serve-cache-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let rules = [
            try rule("x-rights", isForSources: false), try rule("X-Missing", isForSources: false),
            try rule("X-Served-By: firn", isForSources: false),
        ]
        try await run(
            source,
            change: { settings in
                settings.cacheDirectory = folder
                settings.resultMemory = isInMemory ? 64 << 20 : 0
                settings.responseFields = rules
            }
        ) { fixture in
            let target = try fixture.signed("/w:10/plain/\(source.url("/a.jpg"))")
            for _ in 1...3 {
                let found = try await fixture.client.get(target)
                #expect(found["Last-Modified"] == changed && found["X-Rights"] == "a" && found["X-No"] == nil)
                let seconds = try age(found)
                #expect((900...1000).contains(seconds))
                let again = try await fixture.client.get(target, headers: ["If-Modified-Since": changed])
                #expect(again.status == 304 && again["X-Rights"] == "a")
            }
            #expect(fixture.server.service.statistics.made == 1)
            let missing = try await fixture.client.get("/none")
            #expect(missing["X-Served-By"] == "firn" && missing["X-Rights"] == nil)
        }
    }

    // MARK: Fields of requests

    @Test func `fields go to their host only, and not past a redirect to another one`() async throws {
        let (source, other) = (try ScriptedServer(), try ScriptedServer())
        source.respond(to: "/a.jpg", with: .body(jpeg))
        source.respond(to: "/r.jpg", with: .redirect(to: other.url("/a.jpg")))
        other.respond(to: "/a.jpg", with: .body(jpeg))
        let names = ["Authorization", "Cookie", "User-Agent", "Referer", "X-Key", "X-Client"]
        let host = "127.0.0.1:\(source.port)"
        let rules = try [
            "Authorization: Bearer a, b", "Cookie: c=d", "User-Agent: agent/1", "Referer: https://x.example/",
            "X-Key: k",
            "X-Client", "Accept-Language",
        ].map { try rule("\(host) \($0)") }
        try await run(source, other, change: { $0.sourceFields = rules }) { fixture in
            for target in [source.url("/a.jpg"), source.url("/r.jpg"), other.url("/a.jpg")] {
                let found = try await fixture.get(
                    "/w:10/plain/\(target)", headers: ["X-Client": "me", "X-Other": "no", "Cookie": "mine=1"])
                let isOther = target == other.url("/a.jpg")
                #expect(found.status == 200 && found["Vary"] == (isOther ? nil : "X-Client, Accept-Language"))
            }
            let sent = ["Bearer a, b", "c=d", "agent/1", "https://x.example/", "k", "me"]
            #expect(source.requests.count == 2 && other.requests.count == 2)
            for request in source.requests.calls {
                #expect(names.map { request.headers[$0] } == sent)
                #expect(request.headers["X-Other"] == nil)
            }
            for request in other.requests.calls {
                for (name, value) in zip(names, sent) { #expect(request.headers[name] != value, "\(name)") }
                #expect(request.headers["X-Client"] == nil && request.headers["Cookie"] == nil)
            }
        }
    }

    @Test func `clients whose passed-on fields differ get different results, and no key has a secret`() async throws {
        let widths = ["de": 100, "fr": 60]
        let images = try widths.mapValues { try ServeFixture.image(PixelSize(width: $0, height: 50), .jpeg) }
        let source = try ScriptedServer { request in
            .body(
                images[request.headers["Accept-Language"] ?? ""] ?? Data(),
                headers: ["Cache-Control": "max-age=1000", "Vary": "Accept-Language"])
        }
        let folder = FileManager.default.temporaryDirectory.path + "/firn-serve-cache-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let rules = try ["Accept-Language", "X-Key: topsecret"].map { try rule("127.0.0.1:\(source.port) \($0)") }
        try await run(
            source,
            change: { settings in
                settings.cacheDirectory = folder
                settings.sourceFields = rules
            }
        ) { fixture in
            let path = "/plain/\(source.url("/a.jpg"))@png"
            for (language, width) in [("de", 100), ("fr", 60), ("de", 100), ("fr", 60)] {
                let found = try await fixture.get(path, headers: ["Accept-Language": language])
                #expect(try ServeFixture.describe(found.body).size?.width == width)
                #expect(found["Vary"] == "Accept-Language")
            }
            // The same over one connection, which repeats responses.
            let target = try fixture.signed(path)
            let texts = ["de", "de", "fr", "fr", "de"].map {
                "GET \(target) HTTP/1.1\r\nHost: test\r\nAccept-Language: \($0)\r\n\r\n"
            }
            let found = try await fixture.client.inTurn(texts).map { try ServeFixture.describe($0.body).size?.width }
            #expect(found == [100, 100, 60, 60, 100])
            #expect(source.requests.count == 2 && fixture.server.service.statistics.made == 2)
        }
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            guard let data = FileManager.default.contents(atPath: folder + "/" + name) else { continue }
            #expect(data.firstRange(of: Data("topsecret".utf8)) == nil, "\(name)")
        }
    }

    @Test(arguments: ["Cookie", "Authorization"])
    func `a result for credentials of a client is private, unless its source says otherwise`(
        _ name: String
    ) async throws {
        let source = try ScriptedServer()
        source.respond(to: "/a.jpg", with: .body(jpeg, headers: ["Cache-Control": "max-age=1000"]))
        source.respond(to: "/b.jpg", with: .body(jpeg, headers: ["Cache-Control": "public, max-age=1000"]))
        let rules = [try rule("127.0.0.1:\(source.port) \(name)")]
        try await run(source, change: { $0.sourceFields = rules }) { fixture in
            func audience(_ file: String, _ fields: [String: String]) async throws -> String? {
                let found = try await fixture.get("/w:10/plain/\(source.url(file))", headers: fields)
                #expect(found.status == 200 && found["Vary"] == name)
                return found["Cache-Control"]?.split(separator: " ").last.map(String.init)
            }
            var found: [String?] = []
            for (file, value) in [("/a.jpg", "one"), ("/a.jpg", "two"), ("/a.jpg", nil), ("/b.jpg", "one")] {
                found.append(try await audience(file, value.map { [name: $0] } ?? [:]))
            }
            #expect(found == ["private", "private", "public", "public"])
            #expect(source.requests.calls.map { $0.headers[name] } == ["one", "two", nil, "one"])
        }
    }
}
