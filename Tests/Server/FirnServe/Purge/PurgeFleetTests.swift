import FirnReport
import FirnSync
import FirnSystem
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnServe

@Suite("Purges of a fleet", .timeLimit(.minutes(5)))
struct PurgeFleetTests {
    private static let advice: Comment = "redis-server is not installed: apt-get install redis-tools"

    private static func change(_ store: RedisProcess, _ origin: ChangingOrigin)
        -> @Sendable (inout ServeSettings) -> Void
    {
        { settings in
            origin.change(&settings)
            settings.redis = try? RedisAddress(store.address)
            settings.redisTimeLimit = .seconds(20)
        }
    }

    @Test(.enabled(if: RedisProcess.isInstalled, advice))
    func `no server of three sends an old result after the response, under load and without an error`() async throws {
        let (store, origin) = (try await RedisProcess(), try ChangingOrigin(10))
        let change = Self.change(store, origin)
        try await ServeFixture.run(change) { one in
            try await ServeFixture.run(change) { two in
                try await ServeFixture.run(change) { three in
                    try await purgeUnderLoad([one, two, three], origin)
                }
            }
        }
    }

    /// Has clients check that the width of an image is at least that of the last purge.
    private func purgeUnderLoad(_ servers: [ServeFixture], _ origin: ChangingOrigin) async throws {
        let path = "/plain/\(origin.server.url("/a.png"))@png"
        let targets = ["source=\(origin.server.url("/a.png"))", "prefix=\(origin.server.url("/"))", "all=1"]
        let (least, isOver) = (Locked(10), Locked(false))
        try await withThrowingTaskGroup(of: Int.self) { group in
            for server in servers + servers {
                group.addTask {
                    var count = 0
                    while !isOver.withLock({ $0 }) {
                        let expected = least.withLock { $0 }
                        let width = try await server.width(path)
                        #expect(width.map { $0 >= expected } == true)
                        count += 1
                    }
                    return count
                }
            }
            for (round, target) in (targets + targets + targets).enumerated() {
                let width = 11 + round
                origin.width.withLock { $0 = width }
                let report = try await servers[round % servers.count].purge(target)
                #expect(report.contains("\"missing\":[],\"delaySeconds\":0"), "\(report)")
                least.withLock { $0 = width }
                for server in servers { #expect(try await server.width(path) == width) }
            }
            isOver.withLock { $0 = true }
            for try await count in group { #expect(count > 0) }
        }
    }

    @Test(.enabled(if: RedisProcess.isInstalled, advice))
    func `a server that starts knows the purges, and takes newer results from the store`() async throws {
        let (store, origin) = (try await RedisProcess(), try ChangingOrigin())
        let change = Self.change(store, origin)
        let path = "/plain/\(origin.server.url("/a.png"))@png"
        try await ServeFixture.run(change) { one in
            #expect(try await one.width(path) == 100)
            origin.width.withLock { $0 = 60 }
            try await one.purge("source=\(origin.server.url("/a.png"))")
            #expect(try await one.width(path) == 60)
            try await ServeFixture.run(change) { two in
                let width = try await two.width(path)
                #expect(width == 60)
                #expect(two.server.service.statistics.made == 0 && two.server.service.statistics.storeHits == 1)
            }
        }
    }

    @Test(.enabled(if: RedisProcess.isInstalled, advice))
    func `without the records of its fleet a server serves nothing from disk and takes no purge`() async throws {
        let (store, origin) = (try await RedisProcess(), try ChangingOrigin())
        let folder = FileManager.default.temporaryDirectory.path + "/firn-serve-purge-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let change: (inout ServeSettings) -> Void = { settings in
            Self.change(store, origin)(&settings)
            settings.cacheDirectory = folder
        }
        let path = "/plain/\(origin.server.url("/a.png"))@png"
        for width in [100, 100, 60] {
            if width == 60 { store.signal(SIGKILL) }
            try await ServeFixture.run(change) { fixture in
                let found = try await fixture.width(path)
                #expect(found == width)
                if width == 60 {
                    let response = try await fixture.admin.get("/purge?all=1", method: "POST")
                    #expect(response.status == 503 && fixture.server.service.statistics.purges == 0)
                }
            }
            origin.width.withLock { $0 = 60 }
        }
    }

    @Test(.enabled(if: RedisProcess.isInstalled, advice))
    func `the response names a server that does not confirm, and a lost log is restored`() async throws {
        let (store, origin) = (try await RedisProcess(), try ChangingOrigin())
        try await ServeFixture.run(Self.change(store, origin)) { fixture in
            // Heard of a while ago, so nothing waits for it.
            try await store.reply("ZADD", "f:{purges}:s", "\(ServeClock.seconds() - 10)", "ghost 1")
            let report = try await fixture.purge("all=1")
            #expect(report.contains("\"missing\":[\"ghost\"]"), "\(report)")
            try await store.reply("DEL", "f:{purges}:r")
            try await eventually { (try? await store.reply("HLEN", "f:{purges}:r")) == .number(2) }
        }
        // A server that ends is no longer one of the fleet.
        try await ServeFixture.run(Self.change(store, origin)) { fixture in
            let report = try await fixture.purge("all=1")
            #expect(report.components("\"") == 13, "\(report)")
        }
    }

    @Test func `servers with a bucket alone read purges, and restore one that another server has replaced`()
        async throws
    {
        let object = Locked<[UInt8]?>(nil)
        let bucket = try S3TestServer { request in
            if request.head.hasPrefix("PUT") {
                object.withLock { $0 = request.body }
                return .response(200)
            }
            guard let bytes = object.withLock({ $0 }) else { return .response(404) }
            return .bytes(S3TestServer.Reply.head(200, length: bytes.count) + bytes)
        }
        let address = try S3Address("s3://bucket?endpoint=http://127.0.0.1:\(bucket.port)")
        let credentials = try S3CredentialStore(environment: S3TestServer.keys)
        let servers = (0..<2).map { _ in
            let client = S3Client(address: address, credentials: credentials)
            let store = PurgeStore(redis: nil, objects: client, limit: .seconds(60))
            return Purges(ServeSettings(), store: store, logger: ServeFixture.quiet)
        }
        let (one, two) = (try #require(servers.first), try #require(servers.last))
        let source = SourceReference.http(url: "http://a.org/", host: "a.org")
        // Nothing stored is found before the log was read.
        #expect(two.revision(of: source) > 0)
        #expect(await two.sync() == 0 && two.revision(of: source) == 0)
        let report = try await one.purge("shttp://a.org/").text
        #expect(report.contains("\"missing\":[],\"delaySeconds\":3"), "\(report)")
        let number = one.revision(of: source)
        #expect(await two.sync() == number && two.revision(of: source) == number)
        // Both have read the same log, and the second write replaces the first.
        let former = object.withLock { $0 }
        _ = try await one.purge("shttp://a.org/")
        object.withLock { $0 = former }
        _ = try await two.purge("shttp://b.org/")
        #expect(two.revision(of: source) == number)
        let restored = try #require(await one.sync())
        #expect(await two.sync() == restored && two.revision(of: source) == restored)
        object.withLock { $0 = Array("FRES".utf8) }
        let error = await #expect(throws: ServeError.self) { _ = try await one.purge("a") }
        #expect(error?.status == 503)
    }
}
