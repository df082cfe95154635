import FirnImage
import FirnSystem
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnServe

@Suite("Connections of the image server", .timeLimit(.minutes(3)))
struct ServeConnectionTests {
    @Test func `a connection without a request is closed, also if it sends single bytes of one`() async throws {
        try await ServeFixture.run({ $0.connections.firstRequest = .milliseconds(300) }) { fixture in
            #expect(try await fixture.client.exchange("").isEmpty)
            #expect(try await fixture.client.exchange("GET /hea").isEmpty)
            let slow = try fixture.client.silence()
            defer { close(slow) }
            var isOpen = true
            var rest = Array("GET /health HTTP/1.1\r\nX: \(String(repeating: "x", count: 1000))".utf8)[...]
            while isOpen, var letter = rest.popFirst() {
                // Sleeps: a client that sends a byte now and then is what is tested.
                try await Task.sleep(for: .milliseconds(20))
                isOpen = send(slow, &letter, 1, Int32(MSG_NOSIGNAL)) == 1
            }
            #expect(!isOpen)
        }
    }

    @Test func `a connection whose request cannot be read is closed, even if the client keeps it open`() async throws {
        try await ServeFixture.run({ $0.connections.idle = .seconds(3600) }) { fixture in
            let connection = try fixture.client.silence()
            defer { close(connection) }
            var bytes = Array("nonsense\r\n\r\n".utf8)
            _ = send(connection, &bytes, bytes.count, Int32(MSG_NOSIGNAL))
            try await eventually { fixture.server.connections.count > 0 }
            try await eventually { fixture.server.connections.count == 0 }
            #expect(fixture.server.connections.closed == 1)
        }
    }

    @Test func `a connection is kept between requests for its time`() async throws {
        try await ServeFixture.run({ $0.connections.idle = .milliseconds(300) }) { fixture in
            let request = "GET /health HTTP/1.1\r\nHost: test\r\n\r\n"
            let text = String(decoding: try await fixture.client.exchange(request + request), as: UTF8.self)
            #expect(text.split(separator: "HTTP/1.1 200").count == 2)
        }
    }

    @Test func `a connection is kept after a result that had to be made`() async throws {
        try await ServeFixture.run { fixture in
            var text = ""
            for width in 4..<8 {
                text += "GET \(try fixture.signed("/w:\(width)/plain/local:///a.jpg")) HTTP/1.1\r\nHost: test\r\n"
                text += width == 7 ? "Connection: close\r\n\r\n" : "\r\n"
            }
            let responses = String(decoding: try await fixture.client.exchange(text), as: UTF8.self)
            #expect(responses.split(separator: "HTTP/1.1 200").count == 4)
            #expect(fixture.server.service.statistics.made == 4)
        }
    }

    @Test func `ten thousand silent connections keep no client out`() async throws {
        try await ServeFixture.run({ $0.connections.most = 64 }) { fixture in
            var open: [Int32] = []
            defer { for descriptor in open { close(descriptor) } }
            for number in 0..<10_000 {
                open.append(try fixture.client.silence())
                if open.count > 256 { close(open.removeFirst()) }
                // Often enough that a busy machine accepts before its queue is full: the kernel then waits for seconds.
                guard number % 100 == 99 else { continue }
                #expect(try await fixture.client.get("/health").status == 200)
                guard number % 1000 == 999 else { continue }
                #expect(try await fixture.get("/w:\(number)/plain/local:///a.jpg").status == 200)
                #expect(fixture.server.connections.count <= 64)
            }
            #expect(try await fixture.admin.get("/health").status == 200)
        }
    }

    @Test func `requests in work are not closed for new connections`() async throws {
        try await ServeFixture.run({ $0.connections.most = 2 }) { fixture in
            let first = try fixture.client.silence()
            defer { close(first) }
            for _ in 0..<8 { #expect(try await fixture.client.get("/health").status == 200) }
            #expect(fixture.server.connections.count <= 2)
        }
    }

    @Test func `a connection that finds all places busy is closed, and is served later`() async throws {
        let source = try ScriptedServer()
        let gate = Gate()
        let jpeg = try ServeFixture.image(PixelSize(width: 8, height: 8), .jpeg)
        source.respond(to: "/slow.jpg", with: .steps([.hold(gate), .bytes(jpeg)], framing: .untilClose))
        try await ServeFixture.run({ settings in
            settings.connections.most = 1
            settings.allowedHosts = [AllowedHost("127.0.0.1:\(source.port)")].compactMap { $0 }
        }) { fixture in
            async let slow = fixture.get("/w:4/plain/\(source.url("/slow.jpg"))")
            try await eventually { fixture.server.service.statistics.running > 0 }
            let refused = try? await fixture.client.get("/health")
            #expect(refused == nil && fixture.server.connections.closed == 1)
            let admin = try await fixture.admin.get("/health")
            #expect(admin.status == 200)
            gate.open()
            #expect(try await slow.status == 200)
            try await eventually { fixture.server.connections.count == 0 }
            #expect(try await fixture.client.get("/health").status == 200)
        }
    }

    @Test func `a client that does not read its response is cut off`() async throws {
        try await ServeFixture.run({ $0.connections.response = .seconds(2) }) { fixture in
            // Larger than what the system keeps for a connection.
            let size = 24 << 20
            let png = try ServeFixture.image(PixelSize(width: 8, height: 8), .png)
            try (png + Data(repeating: 7, count: size)).write(to: URL(filePath: fixture.folder + "/images/big.png"))
            let target = try fixture.signed("/skp:png/plain/local:///big.png")
            #expect(try await fixture.client.get(target).body.count > size)
            // The server may still count the connection of the client above.
            try await eventually { fixture.server.connections.count == 0 }
            let connection = try fixture.client.open(target)
            defer { close(connection) }
            try await eventually { fixture.server.connections.count > 0 }
            try await eventually { fixture.server.connections.count == 0 }
            #expect(fixture.server.connections.closed == 1)
        }
    }

    @Test(arguments: [
        "GET /health HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 64 << 10))\r\n\r\n",
        "GET /\(String(repeating: "x", count: 128 << 10)) HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /health HTTP/1.1\r\nHost: a\r\n" + (0..<200).map { "X\($0): 1\r\n" }.joined() + "\r\n",
        "POST /health HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "GET /health HTTP/1.1\r\nHost: a\r\nBad Field: 1\r\n\r\n", "GET /health HTTP/9.9\r\nHost: a\r\n\r\n",
        "GET /health\u{0} HTTP/1.1\r\nHost: a\r\n\r\n", "nonsense\r\n\r\n",
    ])
    func `heads that are too large or ambiguous are refused, and the connection is closed`(_ text: String) async throws
    {
        try await ServeFixture.run { fixture in
            let response = String(decoding: try await fixture.client.exchange(text), as: UTF8.self)
            #expect(response.isEmpty || response.hasPrefix("HTTP/1.1 4"), "\(response.prefix(100))")
            #expect(try await fixture.client.get("/health").status == 200)
        }
    }

    @Test func `requests with a body are refused, and endless bodies are not read`() async throws {
        try await ServeFixture.run { fixture in
            let head = "GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
            for body in [
                "Content-Length: 5\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            ] {
                let text = String(decoding: try await fixture.client.exchange(head + body), as: UTF8.self)
                #expect(text.hasPrefix("HTTP/1.1 413"), "\(text.prefix(100))")
            }
            let endless = try fixture.client.silence()
            defer { close(endless) }
            var bytes = Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n".utf8)
            var isOpen = true
            var sent = 0
            while isOpen, sent < 64 << 20 {
                isOpen = bytes.withUnsafeBytes { send(endless, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) } > 0
                sent += bytes.count
                bytes = [UInt8](repeating: 7, count: 64 << 10)
            }
            #expect(!isOpen)
        }
    }
}
