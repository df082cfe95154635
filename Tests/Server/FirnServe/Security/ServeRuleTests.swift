import FirnData
import FirnImage
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnServe

/// Rules that `Documentation/ServeFailures.md` lists, seen from a client.
@Suite("Rules of the image server", .timeLimit(.minutes(3)))
struct ServeRuleTests {
    @Test func `with any byte of the address changed or added the source gets no request`() async throws {
        let source = try ScriptedServer()
        source.respond(to: "/a.jpg", with: .body(try ServeFixture.image(PixelSize(width: 8, height: 8), .jpeg)))
        try await ServeFixture.run({ settings in
            settings.allowedHosts = [AllowedHost("127.0.0.1:\(source.port)")].compactMap { $0 }
        }) { fixture in
            let good = try fixture.signed("/w:4/plain/\(source.url("/a.jpg"))")
            var targets = [good + "/", good + "%2F", good + "="]
            for index in good.utf8.indices.dropFirst() {
                var bytes = Array(good.utf8)
                let place = good.utf8.distance(from: good.utf8.startIndex, to: index)
                bytes[place] = bytes[place] == UInt8(ascii: "x") ? UInt8(ascii: "y") : UInt8(ascii: "x")
                targets.append(String(decoding: bytes, as: UTF8.self))
            }
            for count in [1, 31, 42, 44, 20_000] {
                targets.append("/" + String(repeating: "A", count: count) + good.dropFirst(44))
            }
            for target in targets {
                let status = try await fixture.client.get(target).status
                #expect(status == 403 || status == 404, "\(target)")
            }
            #expect(source.requests.isEmpty)
            #expect(try await fixture.client.get(good).status == 200)
        }
    }

    @Test(arguments: [
        "0x7f.1", "2130706433", "0177.0.0.1", "127.1", "0.0.0.0", "localhost.", "127.0.0.1.", "100.64.0.1",
    ])
    func `spellings of special addresses reach no host`(_ host: String) async throws {
        let source = try ScriptedServer()
        try await ServeFixture.run({ settings in
            // The port is allowed, so only the host is left to refuse.
            settings.allowedHosts = ["*.example.org", "other.example.org:\(source.port)"].compactMap { AllowedHost($0) }
        }) { fixture in
            let response = try await fixture.get("/w:4/plain/http://\(host):\(source.port)/a.jpg")
            #expect(response.status == 404)
            #expect(source.requests.isEmpty)
        }
    }

    @Test func `localhost is this machine where the list names it, and refused where a name only leads there`()
        async throws
    {
        let source = try ScriptedServer()
        let jpeg = try ServeFixture.image(PixelSize(width: 64, height: 32), .jpeg)
        source.respond(to: "/a.jpg", with: Array(repeating: .body(jpeg), count: 4))
        for (entry, status) in [("localhost:\(source.port)", 200), ("*:\(source.port)", 404), ("localhost", 404)] {
            try await ServeFixture.run({ settings in
                settings.allowedHosts = [AllowedHost(entry)].compactMap { $0 }
            }) { fixture in
                let response = try await fixture.get("/w:16/plain/http://localhost:\(source.port)/a.jpg")
                #expect(response.status == status, "\(entry)")
            }
        }
        #expect(source.requests.count == 1)
    }

    @Test func `a result on disk outlives its server, and with any byte changed it is made again`() async throws {
        let cache = FileManager.default.temporaryDirectory.path + "/firn-results-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: cache) }
        let source = try ScriptedServer()
        let jpeg = try ServeFixture.image(PixelSize(width: 64, height: 32), .jpeg)
        source.respond(to: "/a.jpg", with: Array(repeating: .body(jpeg), count: 8))
        func get(_ body: (ServiceCounters, RawClient.Response) throws -> Void) async throws {
            try await ServeFixture.run({ settings in
                settings.allowedHosts = [AllowedHost("127.0.0.1:\(source.port)")].compactMap { $0 }
                settings.cacheDirectory = cache
            }) { fixture in
                let response = try await fixture.get("/w:16/plain/\(source.url("/a.jpg"))")
                try body(fixture.server.service.statistics, response)
            }
        }
        var first: [UInt8] = []
        try await get { counters, response in
            #expect(response.status == 200 && counters.made == 1)
            first = response.body
        }
        try await get { counters, response in
            #expect(response.body == first && counters.made == 0 && counters.diskHits == 1)
        }
        // Flipping one byte in the middle of each file of results.
        var count = 0
        for name in try FileManager.default.subpathsOfDirectory(atPath: cache + "/results") {
            let file = URL(filePath: "\(cache)/results/\(name)")
            guard var bytes = try? Data(contentsOf: file), bytes.count > 200 else { continue }
            bytes[bytes.startIndex + bytes.count / 2] ^= 1
            try bytes.write(to: file)
            count += 1
        }
        try #require(count > 0)
        try await get { counters, response in
            #expect(response.body == first && counters.made == 1 && counters.diskHits == 0)
        }
    }

    @Test func `a bomb in a content coding is 422`() async throws {
        let source = try ScriptedServer()
        // A megabyte of zeros in 7 kB.
        let zeros = GzipWriter.zeros(repeats: 4_000)
        source.respond(to: "/a.jpg", with: .body(zeros, headers: ["Content-Encoding": "gzip"]))
        try await ServeFixture.run({ settings in
            settings.allowedHosts = [AllowedHost("127.0.0.1:\(source.port)")].compactMap { $0 }
            settings.limits.maximumBytes = 64 << 10
        }) { fixture in
            let response = try await fixture.get("/w:4/plain/\(source.url("/a.jpg"))")
            #expect(response.status == 422)
            let text = String(decoding: response.body, as: UTF8.self)
            // Its first bytes may be looked at before its length is over the limit.
            #expect(text.contains("65536 bytes") || text.contains("not an image"), "\(text)")
            #expect(!text.contains("Limits"), "\(text)")
        }
    }

    @Test func `an error is not kept: the next request asks the source again`() async throws {
        let source = try ScriptedServer()
        let jpeg = try ServeFixture.image(PixelSize(width: 64, height: 32), .jpeg)
        source.respond(to: "/a.jpg", with: [.body(Data("no image".utf8)), .body(jpeg)])
        try await ServeFixture.run({ settings in
            settings.allowedHosts = [AllowedHost("127.0.0.1:\(source.port)")].compactMap { $0 }
            settings.cacheDirectory = nil
        }) { fixture in
            let path = "/w:16/plain/\(source.url("/a.jpg"))"
            let statuses = [try await fixture.get(path).status, try await fixture.get(path).status]
            #expect(statuses == [422, 200])
        }
    }
}
