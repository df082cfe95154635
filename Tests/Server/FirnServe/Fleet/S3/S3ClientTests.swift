import NIOCore
import Testing

@testable import FirnServe

@Suite struct S3ClientTests {
    /// A time limit that only a failed test reaches.
    private static let long = Duration.seconds(60)

    private func client(_ server: S3TestServer, region: String = "us-east-1") throws -> S3Client {
        S3Client(
            address: try S3Address("s3://bucket/pre?endpoint=http://127.0.0.1:\(server.port)&region=\(region)"),
            credentials: try S3CredentialStore(environment: S3TestServer.keys), now: { 0 })
    }

    private func failure(
        maximumBytes: Int = 1000, within limit: Duration = long, _ reply: S3TestServer.Reply
    ) async throws -> S3Error? {
        let server = try S3TestServer { _ in reply }
        let client = try client(server)
        return await #expect(throws: S3Error.self) {
            try await client.get("x", maximumBytes: maximumBytes, within: limit)
        }
    }

    @Test func `a GET names bucket, prefix and encoded key, and is signed`() async throws {
        let server = try S3TestServer { _ in .response(200, body: "bytes") }
        let bytes = try await client(server).get("a b#c", maximumBytes: 5, within: S3ClientTests.long)
        #expect(String(buffer: bytes) == "bytes")
        let head = try #require(server.requests.first).head
        #expect(head.hasPrefix("GET /bucket/pre/a%20b%23c HTTP/1.1\r\n"))
        #expect(head.contains("\r\nHost: 127.0.0.1:\(server.port)\r\n"))
        #expect(head.contains("Credential=ID/19700101/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-"))
        #expect(!head.contains("HIDDEN"))
    }

    @Test func `a PUT sends bytes with their hash, and replaces an object`() async throws {
        let server = try S3TestServer { _ in .response(200) }
        let client = try client(server)
        try await client.put(ByteBuffer(string: "bytes"), for: "x", within: S3ClientTests.long)
        let requests = server.requests
        #expect(requests.map { String(decoding: $0.body, as: UTF8.self) } == ["bytes"])
        let hash = "277089d91c0bdf4f2e6862ba7e4a07605119431f5d13f726dd352b06f1b206a9"
        #expect(requests.allSatisfy { $0.head.contains("x-amz-content-sha256: \(hash)\r\n") })
        #expect(requests.allSatisfy { $0.head.contains("Content-Type: application/octet-stream\r\n") })
        #expect(!requests.contains { $0.head.contains("If-None-Match") })
    }

    @Test(arguments: [
        (403, "<Error><Code>AccessDenied</Code></Error>", S3Error.Kind.fault, "403 AccessDenied"),
        (403, "<Code>RequestTimeTooSkewed</Code>", .fault, "the clock of this machine is wrong"),
        (404, "<Code>NoSuchKey</Code>", .notFound, "404 NoSuchKey"),
        (404, "<Code>NoSuchBucket</Code>", .fault, "no such bucket"), (412, "", .exists, "412"),
        (500, "<Code>InternalError</Code>", .fault, "500 InternalError"),
        (503, "\u{0}<<Code>", .fault, "503"),
        (418, "<Code>" + String(repeating: "x", count: 9000), .fault, "418"),
        (
            400, "<Code>AuthorizationHeaderMalformed</Code><Region>eu-west-1</Region>", .fault,
            "region=eu-west-1"
        ),
        (404, "<Code>No\r\nline</Code>", .notFound, "(404)"),
    ])
    func `a status is an error of its kind, with the server's code`(
        status: Int, body: String, kind: S3Error.Kind, words: String
    ) async throws {
        let error = try #require(try await failure(.response(status, body: body)))
        #expect(error.kind == kind)
        #expect(error.description.contains("\(status)"))
        #expect(error.description.contains(words))
        #expect(error.description.utf8.allSatisfy { $0 >= 0x20 })
    }

    @Test func `a redirect is not followed, and names the region`() async throws {
        let other = try S3TestServer { _ in .response(200, body: "secret") }
        let fields = ["Location: http://127.0.0.1:\(other.port)/bucket/x", "x-amz-bucket-region: eu-west-3"]
        let error = try #require(try await failure(.response(301, fields)))
        #expect(error.description.contains("not served in us-east-1 (301); set region=eu-west-3"))
        #expect(other.requests.isEmpty)
        let nameless = try await failure(.response(307, ["Location: http://127.0.0.1:\(other.port)/"]))
        #expect(nameless?.description.hasSuffix("not served in us-east-1 (307)") == true)
        #expect(other.requests.isEmpty)
    }

    @Test func `an object that is too large is refused, stated or not`() async throws {
        let stated = S3TestServer.Reply.held(S3TestServer.Reply.head(200, length: 1001))
        #expect(try await failure(stated)?.description == "the object has more than 1000 bytes")
        let head = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
        let endless = S3TestServer.Reply.held(Array((head + String(repeating: "x", count: 1001)).utf8))
        #expect(try await failure(endless)?.description == "the object has more than 1000 bytes")
    }

    @Test func `a body that is cut, and a connection without a response, are errors`() async throws {
        let cut = S3TestServer.Reply.bytes(S3TestServer.Reply.head(200, length: 10) + Array("half".utf8))
        #expect(try await failure(cut)?.description.hasPrefix("no connection to S3, or it was lost") == true)
        #expect(try await failure(.bytes([]))?.description.hasPrefix("no connection to S3, or it was lost") == true)
        #expect(
            try await failure(.bytes(Array("garbage\r\n\r\n".utf8)))?.description.hasPrefix(
                "no connection to S3, or it was lost") == true)
    }

    @Test func `the time limit ends a silent response and a silent body`() async throws {
        #expect(
            try await failure(within: .milliseconds(200), .held([]))?.description.hasPrefix("S3 did not respond within")
                == true)
        let slow = S3TestServer.Reply.held(S3TestServer.Reply.head(200, length: 10) + [1])
        #expect(
            try await failure(within: .milliseconds(200), slow)?.description.hasPrefix("S3 did not respond within")
                == true)
    }

    @Test func `a cancelled caller gets no time limit's error`() async throws {
        let server = try S3TestServer { _ in .held([]) }
        let client = try client(server)
        let task = Task { try await client.get("x", maximumBytes: 10, within: S3ClientTests.long) }
        task.cancel()
        let error = await #expect(throws: S3Error.self) { try await task.value }
        #expect(error?.kind == .cancelled)
    }

    @Test func `a name that cannot be a key is not sent`() async throws {
        let server = try S3TestServer { _ in .response(200) }
        let client = try client(server)
        for name in ["../x", "a/../b", "a\nb", String(repeating: "x", count: 1024)] {
            await #expect(throws: S3Error.self) {
                try await client.get(name, maximumBytes: 9, within: S3ClientTests.long)
            }
        }
        #expect(server.requests.isEmpty)
    }
}
