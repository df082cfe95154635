import FirnData
import FirnImage
import FirnSync
import FirnTesting
import FoundationEssentials
import NIOCore
import Testing

@testable import FirnServe

@Suite("Image servers with stores", .timeLimit(.minutes(10)))
struct ServeFleetTests {
    private static func credentials() throws -> S3CredentialStore {
        try S3CredentialStore(environment: S3TestServer.keys)
    }

    @Test(.enabled(if: MotoServer.isInstalled, Comment(rawValue: MotoServer.advice)))
    func `objects of allowed buckets and prefixes are sources, and no others`() async throws {
        let bucket = try await MotoServer.shared.value.bucket("sources")
        let endpoint = "endpoint=http://127.0.0.1:\(bucket.host.split(separator: ":").last ?? "")"
        let client = S3Client(address: bucket, credentials: try Self.credentials())
        let jpeg = try ServeFixture.image(PixelSize(width: 100, height: 50), .jpeg)
        for key in ["open/a b.jpg", "closed/a.jpg"] {
            try await client.put(ByteBuffer(bytes: jpeg), for: key, within: .seconds(60))
        }
        try await ServeFixture.run { settings in
            settings.s3Sources = [try? S3Address("s3://sources/open?\(endpoint)")].compactMap { $0 }
            settings.s3Credentials = try? Self.credentials()
        } _: { fixture in
            let found = try await fixture.get("/w:10/plain/s3://sources/open/a%20b.jpg")
            #expect(found.status == 200)
            #expect(try ServeFixture.describe(found.body).size == PixelSize(width: 10, height: 5))
            for path in ["sources/closed/a.jpg", "other/open/a.jpg", "sources/open/none.jpg", "sources/open/..%2Fa"] {
                #expect(try await fixture.get("/w:10/plain/s3://\(path)").status == 404, "\(path)")
            }
        }
    }

    @Test(.enabled(if: MotoServer.isInstalled, Comment(rawValue: MotoServer.advice)))
    func `a result that one server has made is served by another one, from a bucket`() async throws {
        let bucket = try await MotoServer.shared.value.bucket("fleet")
        let source = try ScriptedServer()
        source.respond(to: "/a.jpg", with: .body(try ServeFixture.image(PixelSize(width: 100, height: 50), .jpeg)))
        let path = "/w:20/plain/\(source.url("/a.jpg"))"
        let change: (inout ServeSettings) -> Void = { settings in
            settings.allowedHosts = [AllowedHost("127.0.0.1:\(source.port)")].compactMap { $0 }
            settings.s3Results = bucket
            settings.s3Credentials = try? Self.credentials()
            // A busy machine is slow, and that is not what this tests.
            settings.timeLimit = .seconds(100)
            settings.s3ResultLimits.readTime = .seconds(60)
        }
        let client = S3Client(address: bucket, credentials: try Self.credentials())
        try await ServeFixture.run(change) { one in
            let first = try await one.get(path)
            #expect(first.status == 200)
            let parsed = try ImgproxyParser(settings: one.server.settings.imgproxy)
                .parse(target: try one.signed(path), now: 0, hints: ImgproxyClientHints(dpr: nil, width: nil))
            let rendering = ImgproxyRendering(request: parsed, settings: one.server.settings.imgproxy, accept: "")
            let reference = try SourceReference(parsed.source, one.server.settings)
            let job = ResultJob(source: reference, options: rendering.key) { (_, _) throws(ServeError) in throw .timeout
            }
            // The bucket is written after the response.
            for _ in 0..<500 {
                if (try? await client.get(job.key, maximumBytes: 1 << 20, within: .seconds(60))) != nil { break }
                // Sleeps: a store has no end that a client sees.
                try await Task.sleep(for: .milliseconds(20))
            }
            try await ServeFixture.run(change) { other in
                let second = try await other.get(path)
                #expect(second.status == 200 && second.body == first.body && second["ETag"] == first["ETag"])
                let counters = other.server.service.statistics
                #expect(counters.storeHits == 1 && counters.made == 0 && source.requests.count == 1)
            }
            // A damaged object is a miss.
            try await client.put(ByteBuffer(string: "FRES"), for: job.key, within: .seconds(60))
            try await ServeFixture.run(change) { third in
                let again = try await third.get(path)
                #expect(again.body == first.body)
                #expect(third.server.service.statistics.made == 1)
            }
        }
    }

    @Test(.enabled(if: RedisProcess.isInstalled, "redis-server is not installed: apt-get install redis-tools"))
    func `a source that is overloaded is left alone by all servers`() async throws {
        let (store, source) = (try await RedisProcess(), try ScriptedServer())
        var busy = ScriptedResponse.status(503, "Busy")
        busy.headers["Retry-After"] = "3000"
        source.respond(to: "/a.jpg", with: Array(repeating: busy, count: 8))
        let change: (inout ServeSettings) -> Void = { settings in
            settings.allowedHosts = [AllowedHost("127.0.0.1:\(source.port)")].compactMap { $0 }
            settings.redis = try? RedisAddress(store.address)
            settings.redisTimeLimit = .seconds(20)
        }
        try await ServeFixture.run(change) { one in
            try await ServeFixture.run(change) { other in
                for (server, width) in [(one, 10), (other, 10), (other, 20)] {
                    let response = try await server.get("/w:\(width)/plain/\(source.url("/a.jpg"))")
                    #expect(response.status == 502 && (1...3000).contains(Int(response["Retry-After"] ?? "") ?? 0))
                }
                #expect(source.requests.count == 1)
            }
        }
    }

    /// Settings of servers that share a Redis.
    private static func fleet(
        _ store: RedisProcess, _ source: ScriptedServer
    ) -> @Sendable (inout ServeSettings) -> Void {
        { settings in
            settings.allowedHosts = [AllowedHost("127.0.0.1:\(source.port)")].compactMap { $0 }
            settings.redis = try? RedisAddress(store.address)
            settings.redisTimeLimit = .seconds(20)
            settings.timeLimit = .seconds(100)
        }
    }

    @Test(.enabled(if: RedisProcess.isInstalled, "redis-server is not installed: apt-get install redis-tools"))
    func `a stale result that several servers have is made again by one`() async throws {
        let (store, source) = (try await RedisProcess(), try ScriptedServer())
        let versions = try [100, 60, 20].map { width in
            ScriptedResponse.body(
                try ServeFixture.image(PixelSize(width: width, height: 50), .jpeg),
                headers: ["Cache-Control": "no-cache"])
        }
        source.respond(to: "/a.jpg", with: versions)
        let clock = Locked(1_000_000)
        let change: @Sendable (inout ServeSettings) -> Void = { settings in
            Self.fleet(store, source)(&settings)
            settings.imgproxy.followsSources = false
            settings.resultLifetime = .seconds(100)
            settings.staleLifetime = .seconds(1000)
        }
        func width(_ server: ServeFixture) async throws -> Int? {
            let response = try await server.get("/plain/\(source.url("/a.jpg"))@png")
            return try ServeFixture.describe(response.body).size?.width
        }
        try await ServeFixture.run(change, now: { clock.withLock { $0 } }) { one in
            try await ServeFixture.run(change, now: { clock.withLock { $0 } }) { other in
                #expect(try await width(one) == 100)
                #expect(try await width(other) == 100)
                clock.withLock { $0 += 100 }
                let (maker, taker) = (one.server.service, other.server.service)
                #expect(try await width(one) == 100)
                try await eventually { maker.statistics.made == 2 }
                try await eventually { maker.statistics.running == 0 }
                #expect(try await width(one) == 60)
                #expect(taker.statistics.storeHits == 1)
                #expect(try await width(other) == 100)
                try await eventually { taker.statistics.storeHits == 2 }
                try await eventually { taker.statistics.running == 0 }
                #expect(try await width(other) == 60)
                #expect(taker.statistics.made == 0 && maker.statistics.made == 2 && source.requests.count == 2)
            }
        }
    }

    @Test(.enabled(if: RedisProcess.isInstalled, "redis-server is not installed: apt-get install redis-tools"))
    func `a server whose source hangs responds with the result of the server that overtook it`() async throws {
        let (store, source) = (try await RedisProcess(), try ScriptedServer())
        let jpeg = ScriptedResponse.body(try ServeFixture.image(PixelSize(width: 100, height: 50), .jpeg))
        var hanging = jpeg
        hanging.beforeHead = [.stall]
        source.respond(to: "/a.jpg", with: [hanging, jpeg])
        let path = "/w:20/plain/\(source.url("/a.jpg"))"
        try await ServeFixture.run(Self.fleet(store, source)) { one in
            try await ServeFixture.run(Self.fleet(store, source)) { other in
                async let first = one.get(path)
                try await eventually { source.requests.count == 1 }
                let second = try await other.get(path)
                let body = try await first.body
                #expect(second.status == 200 && second.body == body)
                #expect(one.server.service.statistics.made == 0 && other.server.service.statistics.made == 1)
            }
        }
    }

    @Test(.enabled(if: RedisProcess.isInstalled, "redis-server is not installed: apt-get install redis-tools"))
    func `arriving bytes are the progress of a lease`() async throws {
        let (store, source, gate) = (try await RedisProcess(), try ScriptedServer(), Gate())
        let jpeg = try ServeFixture.image(PixelSize(width: 100, height: 50), .jpeg)
        let parts = (jpeg.prefix(40), Data(jpeg.dropFirst(40).prefix(30)), jpeg.dropFirst(70))
        var slow = ScriptedResponse.body(jpeg)
        slow.framing = .statedLength(jpeg.count)
        slow.body = [
            .bytes(parts.0), .hold(gate), .drip(parts.1, pause: .milliseconds(100)), .bytes(Data(parts.2)),
        ]
        source.respond(to: "/a.jpg", with: slow)
        func hasProgress() async -> Bool { (try? await store.reply("KEYS", "f:*:o").texts.isEmpty) == false }
        try await ServeFixture.run(Self.fleet(store, source)) { one in
            async let response = one.get("/w:20/plain/\(source.url("/a.jpg"))")
            try await eventually { source.requests.count == 1 }
            // The source sends nothing more.
            try await eventually { await !hasProgress() }
            gate.open()
            try await eventually { await hasProgress() }
            let status = try await response.status
            #expect(status == 200)
        }
    }

    @Test func `a configuration names stores, and shows no secret`() throws {
        var layers = ConfigurationLayers()
        layers.environment = [
            "FIRN_INSECURE": "true", "FIRN_REDIS": "redis://me:hidden@cache/1", "FIRN_S3": "s3://results/firn",
            "FIRN_S3_SOURCES": "s3://photos,s3://more/part", "AWS_ACCESS_KEY_ID": "ID",
            "AWS_SECRET_ACCESS_KEY": "HIDDEN", "AWS_REGION": "eu-central-1",
        ]
        let loaded = try layers.load()
        let settings = loaded.configuration.settings
        #expect(settings.redis?.password == "hidden" && settings.s3Results?.region == "eu-central-1")
        #expect(settings.s3Sources.map(\.prefix) == ["", "part/"] && settings.s3Credentials != nil)
        #expect(!loaded.rows.contains { $0.value.lowercased().contains("hidden") })
        for (name, value, part) in [
            ("FIRN_REDIS", "http://x", "redis"), ("FIRN_S3", "http://x", "s3"),
            ("FIRN_S3_SOURCES", "s3://A", "s3-sources"),
        ] {
            layers.environment[name] = value
            let error = #expect(throws: ConfigurationError.self) { try layers.load() }
            #expect(error?.description.contains("\(part): ") == true, "\(error?.description ?? "")")
            layers.environment[name] = nil
        }
    }
}
