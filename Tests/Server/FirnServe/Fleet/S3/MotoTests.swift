import FirnData
import FirnHTTP
import FirnImage
import FoundationEssentials
import NIOCore
import Testing

@testable import FirnServe

@Suite(.enabled(if: MotoServer.isInstalled, Comment(rawValue: MotoServer.advice)))
struct MotoTests {
    /// A time limit that only a failed test reaches.
    private static let long = Duration.seconds(60)
    private static func credentials() throws -> S3CredentialStore {
        try S3CredentialStore(environment: S3TestServer.keys)
    }

    @Test func `objects are put, read and replaced`() async throws {
        let bucket = try await MotoServer.shared.value.bucket("objects")
        let client = S3Client(address: bucket, credentials: try MotoTests.credentials())
        let bytes = ByteBuffer(repeating: 7, count: 100_000)
        let key = "a b/ü+%&=?#.bin"
        let long = MotoTests.long
        let missing = await #expect(throws: S3Error.self) {
            try await client.get(key, maximumBytes: 1, within: long)
        }
        #expect(missing?.kind == .notFound)
        try await client.put(bytes, for: key, within: long)
        #expect(try await client.get(key, maximumBytes: 100_000, within: long) == bytes)
        try await client.put(ByteBuffer(string: "x"), for: key, within: long)
        #expect(try await client.get(key, maximumBytes: 1, within: long) == ByteBuffer(string: "x"))
        let large = await #expect(throws: S3Error.self) { try await client.get(key, maximumBytes: 0, within: long) }
        #expect(large?.description == "the object has more than 0 bytes")
    }

    @Test func `a result comes back from the store`() async throws {
        let bucket = try await MotoServer.shared.value.bucket("results")
        var limits = S3ResultStore.Limits()
        limits.readTime = MotoTests.long
        limits.storeTime = MotoTests.long
        let store = S3ResultStore(S3Client(address: bucket, credentials: try MotoTests.credentials()), limits: limits)
        let bytes = ByteBuffer(string: "result")
        #expect(await store.bytes(for: "f:0123:r") == nil)
        await store.store(bytes, for: "f:0123:r")
        #expect(await store.bytes(for: "f:0123:r") == bytes)
    }

    @Test func `a missing bucket is a miss and a dropped store`() async throws {
        let port = try await MotoServer.shared.value.port
        let bucket = try S3Address("s3://absent?endpoint=http://127.0.0.1:\(port)")
        var limits = S3ResultStore.Limits()
        limits.readTime = MotoTests.long
        let store = S3ResultStore(S3Client(address: bucket, credentials: try MotoTests.credentials()), limits: limits)
        await store.store(ByteBuffer(string: "x"), for: "a")
        #expect(await store.bytes(for: "a") == nil)
    }

    @Test func `an object is loaded as a source, in part, and not again if it is the same`() async throws {
        let bucket = try await MotoServer.shared.value.bucket("sources")
        let client = S3Client(address: bucket, credentials: try MotoTests.credentials())
        let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try await client.put(ByteBuffer(bytes: bytes), for: "a b.bin", within: MotoTests.long)
        let sources = [bucket]
        let source = try #require(sources.source("s3://sources/a b.bin"))
        let loader = S3DataLoader(
            sources: sources, credentials: try MotoTests.credentials(),
            transport: S3DataLoader.transport(limits: ImageLimits(), timeLimit: MotoTests.long), others: DataLoader())
        let whole = await LoadedObject.load(DataRequest(url: source.url), by: loader)
        #expect(whole.ends == [nil])
        #expect(whole.body == bytes)
        let tag = try #require(whole.responses.first?.headers["ETag"])
        let range: HTTPHeaderFields = ["Range": "bytes=299990-", "If-Range": tag]
        let part = await LoadedObject.load(DataRequest(url: source.url, headers: range), by: loader)
        #expect(part.responses.first?.status == 206)
        #expect(part.body == bytes.suffix(10))
        let condition: HTTPHeaderFields = ["If-None-Match": tag]
        let same = await LoadedObject.load(DataRequest(url: source.url, headers: condition), by: loader)
        #expect(same.responses.first?.status == 304)
        #expect(same.body.isEmpty)
        let missing = await LoadedObject.load(DataRequest(url: "s3://sources/none"), by: loader)
        #expect(missing.cause == .status(404))
    }
}
