import FirnSystem
import FirnTesting
import NIOCore
import Testing

@testable import FirnServe

@Suite("Stores that fail", .timeLimit(.minutes(3)))
struct StoreCheckTests {
    @Test func `Redis that accepts and is silent is waited for as long as for a reply, by one request`() async throws {
        // The kernel connects, and nothing accepts.
        let (descriptor, port) = try S3TestServer.listen()
        defer { close(descriptor) }
        let lines = LogLines()
        let redis = RedisResults(
            try RedisAddress("redis://127.0.0.1:\(port)"), within: .milliseconds(20),
            logger: lines.logger(.text))
        defer { redis.stop() }
        #expect(await redis.bytes(for: "a") == nil)
        #expect(redis.faults == [.late: 1])
        for _ in 0..<5 { #expect(await redis.bytes(for: "a") == nil) }
        // A late connection goes on for half a second. On a busy machine that may end meanwhile, and a request makes
        // the next one: for each connection, one request is late.
        let late = redis.faults[.late] ?? 0
        #expect(redis.faults[.unavailable, default: 0] + late == 6)
        #expect(fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0)
        var connections = 0
        while case let connection = accept(descriptor, nil, nil), connection >= 0 {
            close(connection)
            connections += 1
        }
        #expect(connections == late)
        #expect(lines.all.count == 1 && lines.all[0].contains("there is no reply in time"))
    }

    private func settings(redis: String? = nil, s3: Int? = nil) throws -> ServeSettings {
        var settings = ServeSettings()
        settings.redis = try redis.map { try RedisAddress($0) }
        settings.s3Results = try s3.map { try S3Address("s3://bucket?endpoint=http://127.0.0.1:\($0)") }
        settings.s3Credentials = try S3CredentialStore(environment: S3TestServer.keys)
        return settings
    }

    private func message(_ settings: ServeSettings) async -> String {
        do throws(ConfigurationError) {
            try await settings.checkStores()
            return ""
        } catch {
            return error.description
        }
    }

    @Test func `a check reads and writes each store, and names the fault`() async throws {
        #expect(try await message(settings()) == "")
        let closed = try LoopbackSocket(isListening: false)
        #expect(try await message(settings(redis: "redis://127.0.0.1:\(closed.port)")).hasPrefix("redis: there is no"))
        let missing = try S3TestServer { _ in .response(404, body: "<Code>NoSuchBucket</Code>") }
        #expect(try await message(settings(s3: missing.port)).hasPrefix("s3: bucket bucket: there is no such bucket"))
        let closedBucket = try S3TestServer { .response($0.head.hasPrefix("GET") ? 404 : 403) }
        #expect(try await message(settings(s3: closedBucket.port)).hasPrefix("s3: bucket bucket: access denied"))
        let open = try S3TestServer { .response($0.head.hasPrefix("GET") ? 404 : 200) }
        #expect(try await message(settings(s3: open.port)) == "")
        #expect(open.requests.count == 2 && missing.requests.count == 1 && closedBucket.requests.count == 2)
    }
}
