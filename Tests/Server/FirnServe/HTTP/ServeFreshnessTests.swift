import FirnData
import FirnImage
import FirnSync
import FirnTesting
import FoundationEssentials
import NIOCore
import Testing

@testable import FirnServe

@Suite("How long results of HTTP sources are served", .timeLimit(.minutes(3)))
struct ServeFreshnessTests {
    /// The width of each version of the source.
    private static func version(_ width: Int) throws -> Data {
        try ServeFixture.image(PixelSize(width: width, height: 50), .jpeg)
    }

    /// Checks the width of the result; `nil` for an error.
    private func expectWidth(
        _ width: Int?, _ fixture: ServeFixture, _ address: String, _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let response = try await fixture.get("/plain/\(address)@png")
        let found = response.status == 200 ? try ServeFixture.describe(response.body).size?.width : nil
        #expect(found == width, sourceLocation: location)
    }

    @Test(arguments: [true, false])
    func `a stale result is served at once, and the next requests get the new one`(_ isInMemory: Bool) async throws {
        let source = try ScriptedServer()
        let headers: HTTPHeaderFields = ["Cache-Control": "no-cache"]
        source.respond(
            to: "/a.jpg",
            with: [.body(try Self.version(100), headers: headers), .body(try Self.version(60), headers: headers)])
        let clock = Locked(1_000_000)
        let folder = FileManager.default.temporaryDirectory.path + "/firn-serve-cache-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await ServeFixture.run(
            { settings in
                settings.allowedHosts = [AllowedHost("127.0.0.1:\(source.port)")].compactMap { $0 }
                settings.resultLifetime = .seconds(100)
                settings.staleLifetime = .seconds(1000)
                settings.imgproxy.followsSources = false
                // Results on disk grow stale in the same way.
                settings.resultMemory = isInMemory ? 64 << 20 : 0
                settings.cacheDirectory = isInMemory ? nil : folder
            },
            now: { clock.withLock { $0 } }
        ) { fixture in
            let (address, service) = (source.url("/a.jpg"), fixture.server.service)
            try await expectWidth(100, fixture, address)
            clock.withLock { $0 += 99 }
            try await expectWidth(100, fixture, address)
            #expect(service.statistics.made == 1)
            clock.withLock { $0 += 1 }
            try await expectWidth(100, fixture, address)
            try await eventually { service.statistics.made >= 2 }
            try await eventually { service.statistics.running == 0 }
            try await expectWidth(60, fixture, address)
            #expect(source.requests.count == 2 && service.statistics.made == 2)
        }
    }

    @Test func `a source that fails leaves the stale result until its end, and is not asked by each request`()
        async throws
    {
        let source = try ScriptedServer()
        source.respond(
            to: "/a.jpg",
            with: [
                .body(try Self.version(100), headers: ["Cache-Control": "no-store"]),
                .status(503, "Service Unavailable"),
            ])
        let clock = Locked(1_000_000)
        try await ServeFixture.run(
            { settings in
                settings.allowedHosts = [AllowedHost("127.0.0.1:\(source.port)")].compactMap { $0 }
                settings.resultLifetime = .seconds(100)
                settings.staleLifetime = .seconds(1000)
                settings.imgproxy.followsSources = false
            },
            now: { clock.withLock { $0 } }
        ) { fixture in
            let (address, service) = (source.url("/a.jpg"), fixture.server.service)
            try await expectWidth(100, fixture, address)
            clock.withLock { $0 += 200 }
            for _ in 0..<20 { try await expectWidth(100, fixture, address) }
            try await eventually { source.requests.count >= 2 }
            try await eventually { service.statistics.running == 0 }
            let asked = source.requests.count
            for _ in 0..<20 { try await expectWidth(100, fixture, address) }
            #expect(source.requests.count == asked && service.statistics.made == 1)
            clock.withLock { $0 += 900 }
            try await expectWidth(nil, fixture, address)
        }
    }

    @Test(arguments: [0, 3600])
    func `a local file counts as unchanged for the time that is configured`(_ seconds: Int) async throws {
        try await ServeFixture.run({ $0.fileFreshness = .seconds(seconds) }) { fixture in
            func height() async throws -> Int? {
                let response = try await fixture.get("/w:10/plain/local:///a.jpg")
                return try ServeFixture.describe(response.body).size?.height
            }
            // Made, and served from memory.
            for _ in 0..<3 { #expect(try await height() == 5) }
            try ServeFixture.image(PixelSize(width: 20, height: 60), .jpeg)
                .write(to: URL(filePath: fixture.folder + "/images/a.jpg"))
            for _ in 0..<3 { #expect(try await height() == (seconds == 0 ? 30 : 5)) }
            #expect(try await fixture.get("/w:10/plain/local:///no.jpg").status == 404)
        }
    }

    @Test func `ages at their borders, and with clocks that jump`() {
        let result = ServedResult(body: ByteBuffer(), mediaType: "image/png", entityTag: "\"a\"", made: 1000)
        func age(_ now: Int) -> ResultAge { ResultAge(result, now: now, lifetime: .seconds(10), stale: .seconds(5)) }
        #expect(age(1000) == .fresh && age(1009) == .fresh && age(1010) == .stale && age(1014) == .stale)
        #expect(age(1015) == .expired && age(Int.max) == .expired && age(Int.min) == .expired)
        #expect(age(940) == .fresh && age(939) == .expired)
        let bounded = ServedResult(
            body: ByteBuffer(), mediaType: "image/png", entityTag: "\"a\"", made: 1000,
            terms: SourceTerms(freshUntil: 1003))
        func boundedAge(_ now: Int) -> ResultAge {
            ResultAge(bounded, now: now, lifetime: .seconds(10), stale: .seconds(5))
        }
        #expect(boundedAge(1002) == .fresh && boundedAge(1003) == .stale && boundedAge(1008) == .expired)
        var list = RefreshList()
        #expect(list.begin("a", now: 5) && !list.begin("a", now: 14) && list.begin("b", now: 6))
        #expect(list.begin("a", now: 15) && list.begin("a", now: 3))
    }
}
