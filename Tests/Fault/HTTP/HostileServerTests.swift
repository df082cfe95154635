import FirnData
import FirnHTTP
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite("A server that means ill", .timeLimit(.minutes(5)))
struct HostileServerTests {
    private let body = LoaderRig.bytes(50_000)
    private func text(_ text: String) -> Data { Data(text.utf8) }

    // MARK: Time

    @Test func `A body that arrives byte by byte is complete`() async throws {
        let rig = try HostileRig()
        let message = await rig.message(
            .steps([.drip(Data(count: 40), pause: .milliseconds(2))], framing: .statedLength(40)))
        #expect(message == "40 bytes")
    }

    @Test func `A stalled body is a timeout`() async throws {
        let rig = try HostileRig { $0.idleTimeout = .milliseconds(300) }
        let message = await rig.message(.steps([.bytes(body), .stall], framing: .statedLength(60_000)))
        #expect(message == "source: nothing received for 0.3 seconds")
    }

    @Test func `Header fields that arrive byte by byte time out`() async throws {
        let rig = try HostileRig { $0.firstByteTimeout = .milliseconds(300) }
        var response = ScriptedResponse.steps([
            .drip(text("HTTP/1.1 200 OK\r\nX: " + String(repeating: "a", count: 9999)), pause: .milliseconds(5))
        ])
        response.hasHead = false
        #expect(await rig.message(response) == "source: no response within 0.3 seconds")
        await rig.server.requests.wait { $0.cancelled.map(\.path) == ["/x"] }
    }

    @Test func `Endless hints are an error`() async throws {
        let rig = try HostileRig()
        var response = ScriptedResponse.steps([.endless(text("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"))])
        response.hasHead = false
        #expect(await rig.message(response) == "source: more than 100 interim responses")
    }

    @Test func `An endless slow body ends at the total limit`() async throws {
        let rig = try HostileRig { $0.totalTimeout = .milliseconds(400) }
        let message = await rig.message(
            .steps([.drip(Data(count: 9999), pause: .milliseconds(5))], framing: .statedLength(9999)))
        #expect(message == "source: not finished within 0.4 seconds")
    }

    // MARK: Lengths

    @Test func `A truncated body never counts as complete (F12)`() async throws {
        let rig = try HostileRig()
        let message = await rig.message(.steps([.bytes(body), .cut], framing: .statedLength(50_001)))
        #expect(message == "source: the body ended after 50000 of 50001 bytes")
    }

    @Test func `A connection lost in the body is reported`() async throws {
        let rig = try HostileRig()
        let gate = Gate()
        let message = await rig.message(
            .steps(
                [.bytes(body), .drip(Data(count: 1), pause: .milliseconds(100)), .reset], framing: .statedLength(60_000)
            ))
        #expect(message.hasPrefix("source: the body ended after 5000"))
        gate.open()
    }

    @Test(arguments: [
        ("fffffff\r\nabc", "source: the connection closed in the middle of the body, after 3 bytes"),
        ("zz\r\nabc\r\n0\r\n\r\n", "source: the response is not HTTP"),
        ("3\r\nabcdef\r\n0\r\n\r\n", "source: the response is not HTTP"),
        ("3\r\nabc\r\n", "source: the connection closed in the middle of the body, after 3 bytes"),
        ("ffffffffffffffffff\r\nabc", "source: the response is not HTTP"),
        ("-3\r\nabc\r\n0\r\n\r\n", "source: the response is not HTTP"),
    ])
    func `Chunks with a wrong length are an error`(chunks: String, expected: String) async throws {
        let rig = try HostileRig()
        let message = await rig.message(.raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks))
        #expect(message.hasPrefix(expected), "\(message)")
    }

    @Test(arguments: [
        "Content-Length: 5\r\nContent-Length: 7", "Content-Length: -5", "Content-Length: 99999999999999999999999",
        "Content-Length: 5x",
    ])
    func `Contradictory or invalid lengths are an error`(fields: String) async throws {
        let rig = try HostileRig()
        let message = await rig.message(.raw("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\nabcdefg"))
        #expect(message.hasPrefix("source: the response is not HTTP"), "\(message)")
    }

    @Test(arguments: [
        ("Content-Length: 5\r\nTransfer-Encoding: chunked", "7\r\nabcdefg\r\n0\r\n\r\n"),
        ("Transfer-Encoding: identity", "abcdefg"),
    ])
    func `A body ends by its transfer coding`(fields: String, body: String) async throws {
        let rig = try HostileRig()
        let message = await rig.message(.raw("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n\(body)"))
        #expect(message == "7 bytes", "\(message)")
    }

    /// Newer versions of libcurl refuse these.
    @Test(arguments: [
        ("Transfer-Encoding: chunked\r\nContent-Length: 5\r\nContent-Length: 6", "7\r\nabcdefg\r\n0\r\n\r\n"),
        ("Transfer-Encoding: abc", "abcdefg"),
    ])
    func `A transfer coding that is not known, or two lengths beside one, are read or are an error`(
        fields: String, body: String
    ) async throws {
        let rig = try HostileRig()
        let message = await rig.message(.raw("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n\(body)"))
        #expect(message == "7 bytes" || message.hasPrefix("source: the response is not HTTP"), "\(message)")
    }

    @Test(arguments: ["abc", "identity", "gzip", "chunked"])
    func `Chunks within another coding are an error`(coding: String) async throws {
        let rig = try HostileRig()
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding), chunked\r\n\r\n"
        let message = await rig.message(.raw(head + "7\r\nabcdefg\r\n0\r\n\r\n"))
        #expect(message.hasPrefix("source: the response is not HTTP"), "\(message)")
    }

    @Test func `The connection closes after a body with both a length and a transfer coding`() async throws {
        let rig = try HostileRig()
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
        // The connection stays open at the server's end.
        var response = ScriptedResponse.steps([.raw(Data((head + "1\r\na\r\n0\r\n\r\n").utf8))], framing: .untilClose)
        response.hasHead = false
        for connections in 1...3 {
            rig.server.respond(to: "/x", with: response)
            guard case .success(let data) = await rig.load() else { return #expect(Bool(false)) }
            #expect(data == Data("a".utf8))
            #expect(rig.server.connections.count == connections)
        }
    }

    @Test func `An endless body ends at the byte limit`() async throws {
        let rig = try HostileRig()
        let message = await rig.message(.steps([.endless(Data(count: 4096))], framing: .chunked))
        #expect(message == "limit: the body is longer than the 1048576 bytes that ImageLimits.maximumBytes allows")
        await rig.server.requests.wait { $0.cancelled.map(\.path) == ["/x"] }
    }

    @Test func `A decompression bomb ends at the limit`() async throws {
        let rig = try HostileRig { $0.limits.maximumBytes = 10_000 }
        let message = await rig.message(.body(GzipSamples.zeros100000, headers: ["Content-Encoding": "gzip"]))
        #expect(message == "limit: the body is longer than the 10000 bytes that ImageLimits.maximumBytes allows")
    }

    @Test func `A body that is not gzip as stated is an error`() async throws {
        let rig = try HostileRig()
        let message = await rig.message(.body(body, headers: ["Content-Encoding": "gzip"]))
        #expect(message.hasPrefix("source: the body cannot be decompressed"), "\(message)")
    }

    // MARK: Heads

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/1.1 two hundred OK\r\n\r\n", "\0\0\0\0\0\0\0\0\r\n\r\n",
        "HTTP/9.9 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon here\r\n\r\n",
    ])
    func `A response that is not HTTP is an error`(head: String) async throws {
        let rig = try HostileRig()
        let message = await rig.message(.raw(head))
        #expect(message.hasPrefix("source: the response is not HTTP"), "\(message)")
    }

    @Test func `Endless header fields are an error`() async throws {
        let rig = try HostileRig()
        var response = ScriptedResponse.steps([
            .raw(text("HTTP/1.1 200 OK\r\n")), .endless(text("X-Flood: 0123456789\r\n")),
        ])
        response.hasHead = false
        let message = await rig.message(response)
        #expect(message == "source: the header of the response is too long", "\(message)")
        await rig.server.requests.wait { $0.cancelled.map(\.path) == ["/x"] }
        #expect(rig.server.bytesSent < 32 << 20)
    }

    @Test func `A 304 to an unconditional request is an error`() async throws {
        let rig = try HostileRig()
        #expect(await rig.message(.status(304, "Not Modified")) == "source: the server responded with 304 Not Modified")
    }

    @Test func `A 206 without a range request does not count as the whole body`() async throws {
        let rig = try HostileRig()
        var part = ScriptedResponse.body(body)
        part.status = 206
        part.headers["Content-Range"] = "bytes 0-49999/99999"
        #expect(await rig.message(part) == "source: the server sent a part of the body that was not requested")
    }

    // MARK: Redirects

    @Test func `Circular redirects end`() async throws {
        let rig = try HostileRig()
        rig.server.respond(to: "/a", with: .redirect(to: "/b"))
        rig.server.respond(to: "/b", with: .redirect(to: "/x"))
        #expect(await rig.message(.redirect(to: "/a")) == "source: the redirects go in a circle")
    }

    @Test func `Endless redirects end`() async throws {
        let rig = try HostileRig()
        for step in 0..<20 { rig.server.respond(to: "/\(step)", with: .redirect(to: "/\(step + 1)")) }
        #expect(await rig.message(.redirect(to: "/0")) == "source: more than 10 redirects, which redirectLimit allows")
    }

    // MARK: Ranges

    private func cut(tag: String?, modified: String? = nil) -> ScriptedResponse {
        var response = ScriptedResponse.steps([.bytes(body.prefix(20_000)), .cut], framing: .statedLength(body.count))
        response.headers["ETag"] = tag
        response.headers["Last-Modified"] = modified
        return response
    }

    @Test(arguments: [
        "bytes 0-29999/50000", "bytes 20001-49999/50000", "bytes 20000-49999/60000", "bytes 20000-39999/50000",
        "bytes */50000", "items 20000-49999/50000", "",
    ])
    func `A wrong part produces no wrong image`(range: String) async throws {
        let rig = try HostileRig(retries: 2)
        var lie = ScriptedResponse.body(
            Data(repeating: 7, count: 30_000), headers: ["ETag": "\"v1\"", "Content-Range": range])
        lie.status = 206
        rig.server.respond(to: "/x", with: cut(tag: "\"v1\""), lie, .file(ServedFile(body)))
        #expect(try await rig.load().get() == body)
        #expect(rig.ranges == [nil, "bytes=20000-", nil])
    }

    @Test(
        arguments: [("W/\"v1\"", nil), (nil, nil), ("v1", nil), (nil, "Sun, 06 Nov 1994 08:49:37 GMT")]
            as [(String?, String?)])
    func `Without a strong validator a truncated body is loaded completely (F24)`(tag: String?, modified: String?)
        async throws
    {
        let rig = try HostileRig(retries: 1)
        rig.server.respond(to: "/x", with: cut(tag: tag, modified: modified), .file(ServedFile(body)))
        #expect(try await rig.load().get() == body)
        #expect(rig.ranges == [nil, nil])
    }

    @Test func `A body that changes between two parts is one of the two versions, never a mixture (F24)`() async throws
    {
        let other = Data(body.reversed())
        let rig = try HostileRig(retries: 2)
        // The first response is correct, the next comes from a server that ignores If-Range.
        rig.server.respond(to: "/x", with: cut(tag: "\"v1\""), .file(ServedFile(other, tag: "\"v2\"")))
        #expect(try await rig.load().get() == other)
        var part = ScriptedResponse.body(
            other.suffix(30_000), headers: ["ETag": "\"v2\"", "Content-Range": "bytes 20000-49999/50000"])
        part.status = 206
        rig.server.respond(to: "/y", with: cut(tag: "\"v1\""), part, .file(ServedFile(other, tag: "\"v2\"")))
        #expect(try await rig.load("/y").get() == other)
    }

    @Test func `A range response that is too long is an error, not a longer image`() async throws {
        let rig = try HostileRig(retries: 1)
        var part = ScriptedResponse.steps(
            [.bytes(Data(repeating: 7, count: 40_000))], framing: .chunked,
            headers: ["ETag": "\"v1\"", "Content-Range": "bytes 20000-49999/50000"])
        part.status = 206
        rig.server.respond(to: "/x", with: cut(tag: "\"v1\""), part)
        guard case .failure(let error) = await rig.load() else {
            Issue.record("taken for whole")
            return
        }
        #expect(error.message == "the response has 60000 of 50000 bytes")
    }

    // MARK: Connections

    @Test func `A response before its request is discarded`() async throws {
        let rig = try HostileRig()
        let response = text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        var two = ScriptedResponse.steps([.raw(response + text("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"))])
        two.hasHead = false
        rig.server.respond(to: "/first", with: two)
        rig.server.respond(to: "/second", with: .body(text("right")))
        #expect(try await rig.load("/first").get() == text("ok"))
        #expect(try await rig.load("/second").get() == text("right"))
    }

    @Test func `A request on a connection that its server closed still succeeds`() async throws {
        let rig = try HostileRig()
        var closing = ScriptedResponse.steps(
            [.bytes(text("one")), .drip(Data(), pause: .zero), .cut], framing: .statedLength(3))
        closing.headers["Connection"] = "keep-alive"
        rig.server.respond(to: "/x", with: closing)
        for _ in 0..<20 { #expect(try await rig.load().get() == text("one")) }
    }

    @Test func `A request lost on a reused connection is sent over another, if that is harmless`()
        async throws
    {
        let rig = try LoaderRig()
        rig.server.respond(to: "/first", with: .body(text("one")))
        var swallowed = ScriptedResponse()
        swallowed.beforeHead = [.cut]
        rig.server.respond(to: "/x", with: swallowed, .body(text("two")))
        rig.server.respond(to: "/post", with: swallowed, .body(text("three")))
        _ = await rig.load("/first")
        await rig.server.requests.wait { $0.active == 0 }
        #expect(await rig.load("/x").body == text("two"))
        await rig.server.requests.wait { $0.active == 0 }
        let recorder = Recorder<DataEvent>()
        _ = rig.loader.startLoading(DataRequest(url: rig.server.url("/post"), method: "POST")) { recorder.add($0) }
        #expect(await recorder.end().error?.message == "the server closed the connection without a response")
        #expect(rig.server.requests.calls.map(\.path) == ["/first", "/x", "/x", "/post"])
    }
}
