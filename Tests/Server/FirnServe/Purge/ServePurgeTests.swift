import FirnData
import FirnImage
import FirnSync
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnServe

/// An origin whose images have a width that changes, and may be kept for an hour.
struct ChangingOrigin: Sendable {
    let width: Locked<Int>
    let server: ScriptedServer

    init(_ width: Int = 100) throws {
        let current = Locked(width)
        self.width = current
        server = try ScriptedServer { _ in
            let size = PixelSize(width: current.withLock { $0 }, height: 20)
            guard let image = try? ServeFixture.image(size, .png) else { return .status(500, "No") }
            return .body(image, headers: ["Cache-Control": "max-age=3600"])
        }
    }

    func change(_ settings: inout ServeSettings) {
        settings.allowedHosts = [AllowedHost("127.0.0.1:\(server.port)")].compactMap { $0 }
    }
}

extension ServeFixture {
    /// Gets the width of an image; `nil` for a response without one.
    func width(_ path: String, headers: [String: String] = [:]) async throws -> Int? {
        let response = try await get(path, headers: headers)
        return response.status == 200 ? try ServeFixture.describe(response.body).size?.width : nil
    }

    /// Purges on the operator's port, and returns the body of the response.
    @discardableResult
    func purge(_ target: String, _ location: SourceLocation = #_sourceLocation) async throws -> String {
        let response = try await admin.get("/purge?\(target)", method: "POST")
        #expect(response.status == 200, "\(target)", sourceLocation: location)
        return String(decoding: response.body, as: UTF8.self)
    }
}

@Suite("Purges of one server", .timeLimit(.minutes(3)))
struct ServePurgeTests {
    private static func folder() -> String {
        FileManager.default.temporaryDirectory.path + "/firn-serve-purge-\(UUID().uuidString)"
    }

    @Test(arguments: [true, false])
    func `a purge of a source, a prefix or all gets new bytes from the source, and one of a result does not`(
        _ isOnDisk: Bool
    ) async throws {
        let (origin, folder) = (try ChangingOrigin(), Self.folder())
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await ServeFixture.run { settings in
            origin.change(&settings)
            settings.cacheDirectory = isOnDisk ? folder : nil
        } _: { fixture in
            let paths = ["/a/1.png", "/a/2.png", "/b/1.png"].map { "/plain/\(origin.server.url($0))@png" }
            func widths() async throws -> [Int?] {
                var widths: [Int?] = []
                for path in paths { widths.append(try await fixture.width(path)) }
                return widths
            }
            #expect(try await widths() == [100, 100, 100])
            origin.width.withLock { $0 = 60 }
            #expect(try await widths() == [100, 100, 100])
            let made = fixture.server.service.statistics.made
            // The bytes of the source are still fresh.
            try await fixture.purge("result=\(try fixture.signed(paths[0]))")
            #expect(try await widths() == [isOnDisk ? 100 : 60, 100, 100])
            #expect(fixture.server.service.statistics.made == made + 1)
            try await fixture.purge("source=\(origin.server.url("/a/2.png"))")
            #expect(try await widths() == [isOnDisk ? 100 : 60, 60, 100])
            origin.width.withLock { $0 = 30 }
            try await fixture.purge("prefix=\(origin.server.url("/a/"))")
            #expect(try await widths() == [30, 30, 100])
            try await fixture.purge("all=1")
            #expect(try await widths() == [30, 30, 30])
            #expect(fixture.server.service.statistics.purges == 4)
            #expect(fixture.server.service.statistics.purgedHits == 7)
        }
    }

    @Test func `results, information and descriptions of a local file are purged by its address`() async throws {
        try await ServeFixture.run { fixture in
            let service = fixture.server.service
            let paths = [
                try fixture.signed("/w:10/plain/local:///sub/b.png"),
                "/info" + (try fixture.signed("/plain/local:///sub/b.png")), "/iiif/sub%2Fb.png/full/20,/0/default.png",
            ]
            for (count, target) in ["", "source=local:///sub/b.png", "prefix=local:///sub/", "source=local:///a.jpg"]
                .enumerated()
            {
                if !target.isEmpty { try await fixture.purge(target) }
                for path in paths + paths { #expect(try await fixture.client.get(path).status == 200) }
                #expect(service.statistics.made == paths.count * min(count + 1, 3), "\(target)")
            }
        }
    }

    @Test(arguments: ["source", "result"])
    func `work that began before a purge is neither joined nor kept`(_ kind: String) async throws {
        let (source, gate) = (try ScriptedServer(), Gate())
        let (old, new) = (
            try ServeFixture.image(PixelSize(width: 100, height: 50), .png),
            try ServeFixture.image(PixelSize(width: 60, height: 50), .png)
        )
        let headers: HTTPHeaderFields = ["Cache-Control": "no-store"]
        source.respond(
            to: "/a.png",
            with: [
                .steps([.hold(gate), .bytes(old)], framing: .untilClose, headers: headers),
                .body(new, headers: headers),
            ])
        let folder = Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await ServeFixture.run { settings in
            settings.allowedHosts = [AllowedHost("127.0.0.1:\(source.port)")].compactMap { $0 }
            settings.cacheDirectory = folder
            // So that the data cache has no bytes of the source, and the result stays.
            settings.imgproxy.followsSources = false
        } _: { fixture in
            let path = "/plain/\(source.url("/a.png"))@png"
            async let first = fixture.width(path)
            try await eventually { source.requests.count == 1 }
            try await fixture.purge(
                kind == "source" ? "source=\(source.url("/a.png"))" : "result=\(try fixture.signed(path))")
            if kind == "source" {
                // Not held up by the old transfer.
                #expect(try await fixture.width(path) == 60)
                gate.open()
                #expect(try await first == 100)
            } else {
                // A purge of a result leaves the transfer of its source.
                gate.open()
                #expect(try await first == 100)
                #expect(try await fixture.width(path) == 60)
            }
            #expect(try await fixture.width(path) == 60 && source.requests.count == 2)
        }
    }

    @Test func `requests in the same bytes are compared no more`() async throws {
        try await ServeFixture.run({ $0.fileFreshness = .seconds(3600) }, now: { 1_700_000_000 }) { fixture in
            let service = fixture.server.service
            let target = try fixture.signed("/w:9/plain/local:///a.jpg")
            let text = "GET \(target) HTTP/1.1\r\nHost: test\r\n\r\n"
            for _ in 0..<4 { #expect(try await fixture.client.response(to: text).status == 200) }
            #expect(service.statistics.made == 1 && service.statistics.compared > 0)
            for (made, target) in [(1, "source=local:///other.jpg"), (2, "source=local:///a.jpg"), (3, "all=1")] {
                try await fixture.purge(target)
                for _ in 0..<4 { #expect(try await fixture.client.response(to: text).status == 200) }
                #expect(service.statistics.made == made)
            }
        }
    }

    @Test func `the failure of a source is forgotten`() async throws {
        let source = try ScriptedServer()
        var busy = ScriptedResponse.status(503, "Busy")
        busy.headers["Retry-After"] = "3000"
        source.respond(
            to: "/a.png", with: [busy, busy, .body(try ServeFixture.image(PixelSize(width: 8, height: 8), .png))])
        try await ServeFixture.run { settings in
            settings.allowedHosts = [AllowedHost("127.0.0.1:\(source.port)")].compactMap { $0 }
        } _: { fixture in
            let path = "/w:4/plain/\(source.url("/a.png"))"
            for _ in 0..<3 { #expect(try await fixture.get(path).status == 502) }
            #expect(source.requests.count == 1)
            try await fixture.purge("prefix=\(source.url("/"))")
            #expect(try await fixture.get(path).status == 502 && source.requests.count == 2)
            try await fixture.purge("source=\(source.url("/a.png"))")
            #expect(try await fixture.get(path).status == 200)
        }
    }

    @Test func `a purge outlasts the server whose cache folder has older results`() async throws {
        let (origin, folder) = (try ChangingOrigin(), Self.folder())
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "/plain/\(origin.server.url("/a.png"))@png"
        func expectWidths(_ expected: [Int], purging target: String? = nil) async throws {
            try await ServeFixture.run { settings in
                origin.change(&settings)
                settings.cacheDirectory = folder
            } _: { fixture in
                for width in expected {
                    let found = try await fixture.width(path)
                    #expect(found == width)
                }
                if let target { try await fixture.purge(target) }
            }
        }
        try await expectWidths([100])
        origin.width.withLock { $0 = 60 }
        try await expectWidths([100], purging: "source=\(origin.server.url("/a.png"))")
        try await expectWidths([60, 60])
        origin.width.withLock { $0 = 30 }
        try await expectWidths([60])
        // A log that cannot be read hides no purge.
        try Data("nonsense".utf8).write(to: URL(filePath: folder + "/purges"))
        try await expectWidths([30])
        origin.width.withLock { $0 = 20 }
        try await expectWidths([30])
    }

    @Test func `a purge of a result has all formats and sizes that clients get at its path`() async throws {
        try await ServeFixture.run { settings in
            settings.imgproxy.automaticFormats = [.webp]
            settings.imgproxy.usesClientHints = true
        } _: { fixture in
            let path = "/plain/local:///a.jpg"
            let clients = [[:], ["Accept": "image/webp"], ["Width": "300"], ["Width": "400", "Accept": "image/webp"]]
            for made in [4, 8] {
                for fields in clients + clients { _ = try await fixture.width(path, headers: fields) }
                #expect(fixture.server.service.statistics.made == made)
                try await fixture.purge("result=\(try fixture.signed(path))")
            }
            try await fixture.purge("result=\(try fixture.signed("/w:5\(path)"))")
            #expect(try await fixture.width(path) == 1000)
            #expect(fixture.server.service.statistics.made == 9)
        }
    }

    @Test(arguments: ["", "all", "all=2", "source=", "source=ftp://a.org/1", "prefix=%zz", "other=1", "prefix=%0A"])
    func `a purge of nothing that is known is refused`(_ target: String) async throws {
        try await ServeFixture.run { fixture in
            let response = try await fixture.admin.get("/purge?\(target)", method: "POST")
            #expect(response.status == (target.contains("ftp") ? 404 : 400))
            #expect(try await fixture.admin.get("/purge?all=1").status == 404)
            let page = try await fixture.admin.get("/purge?all=1", method: "POST", headers: ["Origin": "http://a.org"])
            #expect(page.status == 403 && fixture.server.service.statistics.purges == 0)
            let tile = try await fixture.admin.get("/purge?result=/iiif/a.jpg/full/max/0/default.jpg", method: "POST")
            #expect(tile.status == 422)
        }
    }

    @Test func `a signed request purges until it expires, and its signature fits nothing else`() async throws {
        try await ServeFixture.run({ $0.imgproxy.trustedSignatures = ["trusted"] }, now: { 1000 }) { fixture in
            func status(_ target: String) async throws -> Int {
                try await fixture.client.get(target, method: "POST").status
            }
            #expect(try await fixture.get("/w:9/plain/local:///a.jpg").status == 200)
            let good = try fixture.signed("/purge/1001/source=local:///a.jpg")
            let response = try await fixture.client.get(good, method: "POST")
            #expect(response.status == 200 && response["Content-Type"] == "application/json")
            #expect(String(decoding: response.body, as: UTF8.self).contains("\"missing\":[]"))
            #expect(fixture.server.service.statistics.purges == 1)
            let image = try fixture.signed("/w:9/plain/local:///a.jpg")
            #expect(try await status(try fixture.signed("/purge/1001/result=\(image)")) == 200)
            for (target, expected) in [
                (good.replacing("a.jpg", with: "b.jpg"), 403), ("/trusted/purge/1001/all=1", 403),
                (try fixture.signed("/purge/1000/all=1"), 404), (try fixture.signed("/purge/all=1"), 404),
                (try fixture.signed("/purge/1001/all"), 400), (image, 405), ("/purge/1001/all=1", 405),
            ] {
                #expect(try await status(target) == expected, "\(target)")
            }
            #expect(try await fixture.client.get(good).status == 404)
            #expect(fixture.server.service.statistics.purges == 2)
        }
        try await ServeFixture.run { settings in
            settings.imgproxy.keyPairs = []
            settings.imgproxy.isInsecure = true
        } _: { fixture in
            let response = try await fixture.client.get("/_/purge/9999999999/all=1", method: "POST")
            #expect(response.status == 405)
        }
    }

    @Test(arguments: [true, false])
    func `results of a source have its tag, if the configuration says so`(_ sends: Bool) async throws {
        try await ServeFixture.run({ $0.sendsCacheTag = sends }) { fixture in
            var tags: [String?] = []
            for path in ["/w:5/plain/local:///a.jpg", "/w:6/plain/local:///a.jpg", "/w:5/plain/local:///sub/b.png"] {
                // The second response comes from memory.
                for _ in 0..<2 { tags.append(try await fixture.get(path)["Cache-Tag"]) }
            }
            #expect(try await fixture.get("/w:5/plain/local:///no.jpg")["Cache-Tag"] == nil)
            #expect(tags.allSatisfy { ($0?.utf8.count == 32) == sends })
            #expect(Set(tags[..<4]).count == 1 && (tags[0] != tags[4]) == sends && tags[4] == tags[5])
        }
    }
}
