import FirnImage
import FirnSync
import FirnSystem
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnServe

@Suite("Responses from memory", .timeLimit(.minutes(3)))
struct CachedResponseTests {
    /// The responses of one connection in their order: head lines without the date, and the body.
    ///
    /// - Parameter heads: the number of the response to HEAD.
    private func responses(_ bytes: [UInt8], heads: Int? = nil) throws -> [(head: [String], body: [UInt8])] {
        let mark = Array("\r\n\r\n".utf8)[...]
        var rest = bytes[...]
        var found: [(head: [String], body: [UInt8])] = []
        while let end = rest.indices.first(where: { rest[$0...].starts(with: mark) }) {
            let lines = String(decoding: rest[..<end], as: UTF8.self).split(separator: "\r\n").map(String.init)
            let field = try #require(lines.first { $0.lowercased().hasPrefix("content-length:") })
            // The response to HEAD has the length of the body, and no body.
            let count = found.count == heads ? 0 : try #require(Int(field.dropFirst(15).filter(\.isNumber)))
            rest = rest[(end + mark.count)...]
            found.append(
                (lines.filter { !$0.hasPrefix("Date:") && !$0.hasPrefix("X-Request-ID:") }, Array(rest.prefix(count))))
            rest = rest.dropFirst(count)
        }
        #expect(rest.isEmpty)
        return found
    }

    @Test func `a response from memory is the one that was made, and responses keep their order`() async throws {
        try await ServeFixture.run { fixture in
            let (one, other) = ("/w:9/plain/local:///a.jpg", "/w:7/plain/local:///a.jpg@png")
            let made = [try await fixture.get(one), try await fixture.get(other)]
            let targets = [one, other].map { (try? fixture.signed($0)) ?? "" }
            func get(_ target: String, _ fields: String = "") -> String {
                "GET \(target) HTTP/1.1\r\nHost: test\r\n\(fields)\r\n"
            }
            var text = "HEAD \(targets[0]) HTTP/1.1\r\nHost: test\r\n\r\n"
            text += get(targets[0], "Connection: keep-alive\r\n") + get(targets[1]) + get("/health")
            // Requests after one that is a miss take the long way.
            text += get(try fixture.signed("/w:5/plain/local:///a.jpg")) + get(targets[0]) + get("/health")
            text += get(targets[1], "Connection: close\r\n")
            let found = try responses(try await fixture.client.exchange(text), heads: 0)
            try #require(found.count == 8)
            let bodies = found.map(\.body)
            let ok = Array("ok\n".utf8)
            #expect(bodies[0].isEmpty && bodies[1] == made[0].body && bodies[2] == made[1].body && bodies[3] == ok)
            #expect(bodies[5] == made[0].body && bodies[6] == ok && bodies[7] == made[1].body)
            #expect(try ServeFixture.describe(bodies[4]).size == PixelSize(width: 5, height: 3))
            #expect(
                found[0].head.sorted() == found[1].head.sorted() && found[1].head.sorted() == found[5].head.sorted())
            #expect(found[2].head.sorted() == found[7].head.sorted())
            #expect(fixture.server.service.statistics.repeated == 3)
            #expect(fixture.server.service.statistics.made == 3)
        }
    }

    @Test func `a client that does not read gets no further responses, and all of them once it reads`() async throws {
        try await ServeFixture.run { fixture in
            let png = try ServeFixture.image(PixelSize(width: 8, height: 8), .png)
            try (png + Data(repeating: 7, count: 1 << 20)).write(to: URL(filePath: fixture.folder + "/images/big.png"))
            let large = try fixture.signed("/skp:png/plain/local:///big.png")
            let body = try await fixture.client.get(large).body.count
            #expect(body > 1 << 20)
            let count = 200
            let text = String(repeating: "GET \(large) HTTP/1.1\r\nHost: test\r\n\r\n", count: count)
            let connection = try fixture.client.silence()
            defer { close(connection) }
            var bytes = Array(text.utf8)
            #expect(send(connection, &bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
            // Others get their responses meanwhile, so the connection had its turns.
            for _ in 0..<200 { _ = try await fixture.client.get("/health") }
            let hits = fixture.server.service.statistics.memoryHits
            #expect(hits > 0 && hits < count / 2)
            var rest = 0
            var block = [UInt8](repeating: 0, count: 1 << 20)
            try await eventually {
                while case let length = recv(connection, &block, block.count, Int32(MSG_DONTWAIT)), length > 0 {
                    rest += length
                }
                return fixture.server.service.statistics.memoryHits >= count && rest >= count * body
            }
            #expect(fixture.server.service.statistics.memoryHits == count)
            #expect(fixture.server.service.statistics.repeated > 0)
        }
    }

    @Test func `unsigned, expired and outdated requests have no response from memory`() async throws {
        let clock = Locked(1_000_000_000)
        try await ServeFixture.run({ $0.resultLifetime = .seconds(60) }, now: { clock.withLock { $0 } }) { fixture in
            let path = "/exp:1000000010/w:9/plain/local:///a.jpg"
            let target = try fixture.signed(path)
            #expect(try await fixture.get(path).status == 200)
            func status(_ target: String) async throws -> [String] {
                let text =
                    "GET \(target) HTTP/1.1\r\nHost: test\r\n\r\nGET /health HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n"
                return try responses(try await fixture.client.exchange(text)).compactMap(\.head.first)
            }
            #expect(try await status(target) == ["HTTP/1.1 200 OK", "HTTP/1.1 200 OK"])
            #expect(try await status("/x" + target.dropFirst(2)).first == "HTTP/1.1 403 Forbidden")
            clock.withLock { $0 += 20 }
            #expect(try await status(target).first == "HTTP/1.1 404 Not Found")
        }
    }

    @Test func `a file that changes, and a link that leads elsewhere, have responses of their own`() async throws {
        try await ServeFixture.run { fixture in
            let images = fixture.folder + "/images"
            let (link, file) = (images + "/link.png", images + "/tall.png")
            let target = try fixture.signed("/w:10/plain/local:///link.png")
            /// The heights of a response that repeats one, and of one that takes the long way.
            func heights() async throws -> [Int?] {
                _ = try await fixture.client.get(target)
                let request = "GET \(target) HTTP/1.1\r\nHost: test\r\n"
                let text = request + "\r\n" + request + "Connection: close\r\n\r\n"
                return try responses(try await fixture.client.exchange(text)).map {
                    $0.head.first?.hasSuffix("200 OK") == true ? try ServeFixture.describe($0.body).size?.height : nil
                }
            }
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "sub/b.png")
            #expect(try await heights() == [5, 5])
            try ServeFixture.image(PixelSize(width: 20, height: 60), .png).write(to: URL(filePath: file))
            try FileManager.default.removeItem(atPath: link)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "tall.png")
            #expect(try await heights() == [30, 30])
            try ServeFixture.image(PixelSize(width: 20, height: 80), .png).write(to: URL(filePath: file))
            #expect(try await heights() == [40, 40])
            try FileManager.default.removeItem(atPath: file)
            #expect(try await heights() == [nil, nil])
            let statistics = fixture.server.service.statistics
            #expect(statistics.made == 3 && statistics.repeated == 3)
            // The address leads to another image before the first request for that image.
            try ServeFixture.image(PixelSize(width: 20, height: 60), .png).write(to: URL(filePath: file))
            #expect(try await heights() == [30, 30])
            try FileManager.default.removeItem(atPath: link)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "sub/b.png")
            let request = "GET \(target) HTTP/1.1\r\nHost: test\r\nX: y\r\n\r\n"
            let close = "GET /health HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n"
            let found = try responses(try await fixture.client.exchange(request + close))
            let body = try #require(found.first).body
            #expect(try ServeFixture.describe(body).size?.height == 5)
        }
    }

    @Test func `tiles of IIIF are repeated, with the addresses of their host`() async throws {
        try await ServeFixture.run { fixture in
            func heads(_ host: String, _ fields: String = "") async throws -> [[String]] {
                let request = "GET /iiif/a.jpg/0,0,100,100/50,/0/default.jpg HTTP/1.1\r\nHost: \(host)\r\n\(fields)"
                let text = request + "\r\n" + request + "Connection: close\r\n\r\n"
                return try responses(try await fixture.client.exchange(text)).map { $0.head.sorted() }
            }
            let first = try await heads("one.test")
            let again = try await heads("one.test")
            #expect(first == again && first.first?.contains { $0.contains("<http://one.test/iiif/a.jpg/") } == true)
            #expect(fixture.server.service.statistics.repeated == 1)
            let other = try await heads("two.test", "X-Forwarded-Proto: https\r\n")
            #expect(other.first?.contains { $0.contains("<https://two.test/iiif/a.jpg/") } == true)
        }
    }

    @Test func `a response whose time is bounded says how long it holds`() async throws {
        let clock = Locked(1_000_000_000)
        try await ServeFixture.run(now: { clock.withLock { $0 } }) { fixture in
            let target = try fixture.signed("/exp:1000000100/w:9/plain/local:///a.jpg")
            for seconds in [100, 60, 1] {
                clock.withLock { $0 = 1_000_000_100 - seconds }
                let request = "GET \(target) HTTP/1.1\r\nHost: test\r\n"
                let text = request + "\r\n" + request + "Connection: close\r\n\r\n"
                for response in try responses(try await fixture.client.exchange(text)) {
                    #expect(response.head.contains("Cache-Control: max-age=\(seconds), public"), "\(response.head)")
                }
            }
        }
    }
}
