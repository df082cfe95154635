import FirnData
import FirnImage
import FirnSync
import FirnSystem
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnServe

@Suite("Sources of the image server", .timeLimit(.minutes(3)))
struct ServeSourceTests {
    private static func allowed(_ server: ScriptedServer) -> [AllowedHost] {
        [AllowedHost("127.0.0.1:\(server.port)")].compactMap { $0 }
    }

    private let jpeg: Data

    init() throws { jpeg = try ServeFixture.image(PixelSize(width: 100, height: 50), .jpeg) }

    @Test func `a source of an allowed host is loaded once for all sizes`() async throws {
        let source = try ScriptedServer()
        source.respond(to: "/a.jpg", with: .body(jpeg, headers: ["Cache-Control": "max-age=60"]))
        try await ServeFixture.run({ settings in
            settings.allowedHosts = ServeSourceTests.allowed(source)
            settings.cacheDirectory =
                FileManager.default.temporaryDirectory.path + "/firn-serve-cache-\(UUID().uuidString)"
        }) { fixture in
            defer { try? FileManager.default.removeItem(atPath: fixture.server.settings.cacheDirectory ?? "") }
            for width in [10, 20, 30] {
                let response = try await fixture.get("/w:\(width)/plain/\(source.url("/a.jpg"))")
                #expect(response.status == 200)
                #expect(try ServeFixture.describe(response.body).size?.width == width)
            }
            #expect(source.requests.count == 1)
        }
    }

    @Test func `a source with a space, in capitals or encoded as a whole is the source`() async throws {
        let source = try ScriptedServer()
        source.respond(to: "/a%20b.jpg?c%20d", with: .body(jpeg))
        try await ServeFixture.run({ $0.allowedHosts = ServeSourceTests.allowed(source) }) { fixture in
            let plain = source.url("/a b.jpg?c d")
            let base64 = Data(plain.utf8).base64EncodedString().replacing("/", with: "_").replacing("+", with: "-")
            let whole = PercentEncoding.encoded(plain.utf8)
            for path in [
                "plain/" + source.url("/a%20b.jpg%3Fc%20d"), "plain/" + source.url("/a%2520b.jpg%3Fc%2520d%20"),
                "plain/" + whole, "plain/HTTP" + whole.dropFirst(4), base64.replacing("=", with: ""),
            ] {
                let response = try await fixture.get("/w:10/\(path)")
                #expect(response.status == 200, "\(path)")
            }
            #expect(source.requests.calls.allSatisfy { $0.path == "/a%20b.jpg?c%20d" })
        }
    }

    @Test func `a local file that was edited with its length and time kept is another source`() async throws {
        var turned = try ServeFixture.image(PixelSize(width: 50, height: 100), .jpeg)
        var flat = jpeg
        let length = max(turned.count, flat.count)
        turned += Data(count: length - turned.count)
        flat += Data(count: length - flat.count)
        try await ServeFixture.run { fixture in
            let (path, disk) = (fixture.folder + "/images/c.jpg", LocalFileSystem())
            try flat.write(to: URL(filePath: path))
            let before = try disk.status(path)
            #expect(try ServeFixture.describe(await fixture.get("/w:10/plain/local:///c.jpg").body).size?.height == 5)
            // Within a tick of the file system's clock two changes have one time.
            repeat {
                try turned.write(to: URL(filePath: path))
                try disk.touch(path, modified: before.modified)
            } while try disk.status(path).changed == before.changed
            let after = try disk.status(path)
            #expect((after.size, after.modified, after.inode) == (before.size, before.modified, before.inode))
            for width in [10, 20] {
                let response = try await fixture.get("/w:\(width)/plain/local:///c.jpg")
                #expect(try ServeFixture.describe(response.body).size?.height == 2 * width)
            }
        }
    }

    @Test func `hosts and ports that are not allowed get no request`() async throws {
        let source = try ScriptedServer()
        source.respond(to: "/a.jpg", with: .body(jpeg))
        try await ServeFixture.run({ $0.allowedHosts = [AllowedHost("example.org")].compactMap { $0 } }) { fixture in
            let port = source.port
            for address in [
                "http://127.0.0.1:\(port)/a.jpg", "http://example.org%40127.0.0.1:\(port)/a.jpg",
                "http://example.org:\(port)/a.jpg", "http://2130706433:\(port)/a.jpg", "http://0x7f.1:\(port)/a.jpg",
                "http://%5B::1%5D:\(port)/a.jpg", "file:///etc/passwd", "ftp://example.org/a", "http:///a.jpg",
                "http://example.org%5C127.0.0.1/a.jpg",
            ] {
                let status = try await fixture.get("/w:10/plain/\(address)").status
                #expect(status == 404, "\(address)")
            }
            #expect(source.requests.isEmpty)
        }
    }

    @Test func `a redirect to a host or port that is not allowed is not followed`() async throws {
        let (source, target) = (try ScriptedServer(), try ScriptedServer())
        target.respond(to: "/a.jpg", with: .body(jpeg))
        source.respond(to: "/r.jpg", with: .redirect(to: target.url("/a.jpg")))
        try await ServeFixture.run({ $0.allowedHosts = ServeSourceTests.allowed(source) }) { fixture in
            let status = try await fixture.get("/w:10/plain/\(source.url("/r.jpg"))").status
            #expect(status == 404)
            #expect(source.requests.count == 1)
            #expect(target.requests.isEmpty)
        }
    }

    @Test(arguments: [(404, 404), (403, 403), (500, 502)])
    func `statuses of the source are passed on as imgproxy does`(_ status: Int, _ expected: Int) async throws {
        let source = try ScriptedServer()
        source.respond(to: "/a.jpg", with: Array(repeating: .status(status, "No"), count: 8))
        try await ServeFixture.run({ $0.allowedHosts = ServeSourceTests.allowed(source) }) { fixture in
            let status = try await fixture.get("/w:10/plain/\(source.url("/a.jpg"))").status
            #expect(status == expected)
        }
    }

    @Test(arguments: [503, 429])
    func `a source that is overloaded is left alone, and clients learn for how long`(_ status: Int) async throws {
        let source = try ScriptedServer()
        var busy = ScriptedResponse.status(status, "Busy")
        busy.headers["Retry-After"] = "7"
        source.respond(to: "/a.jpg", with: Array(repeating: busy, count: 8))
        source.respond(to: "/b.jpg", with: .status(500, "No"), .body(jpeg))
        try await ServeFixture.run({ $0.allowedHosts = ServeSourceTests.allowed(source) }) { fixture in
            for width in [10, 20, 30] {
                let response = try await fixture.get("/w:\(width)/plain/\(source.url("/a.jpg"))")
                #expect(response.status == (status == 429 ? 429 : 502) && response["Retry-After"] == "7")
            }
            #expect(source.requests.count == 1)
            // Without a time of its own it is five seconds.
            let failed = try await fixture.get("/w:10/plain/\(source.url("/b.jpg"))")
            #expect(failed["Retry-After"] == "5")
        }
    }

    @Test func `a redirect to itself with a cookie, and a part with all bytes, are followed and taken`() async throws {
        let source = try ScriptedServer()
        var redirect = ScriptedResponse.redirect(to: "/cookie.jpg")
        redirect.headers["Set-Cookie"] = "seen=1; Path=/"
        source.respond(to: "/cookie.jpg", with: redirect, .body(jpeg))
        var part = ScriptedResponse.body(jpeg, headers: ["Content-Range": "bytes 0-\(jpeg.count - 1)/\(jpeg.count)"])
        part.status = 206
        source.respond(to: "/part.jpg", with: part)
        try await ServeFixture.run({ $0.allowedHosts = ServeSourceTests.allowed(source) }) { fixture in
            for name in ["cookie", "part"] {
                let response = try await fixture.get("/w:10/plain/\(source.url("/\(name).jpg"))")
                #expect(response.status == 200, "\(name)")
            }
            #expect(source.requests.calls.map { $0.headers["Cookie"] } == [nil, "seen=1", nil])
        }
    }

    @Test func `a body that is cut short is asked for once more`() async throws {
        let source = try ScriptedServer()
        let half = jpeg.prefix(jpeg.count / 2)
        let short = ScriptedResponse.steps([.bytes(half), .cut], framing: .statedLength(jpeg.count))
        source.respond(to: "/a.jpg", with: Array(repeating: short, count: 8))
        source.respond(to: "/b.jpg", with: short, .body(jpeg))
        try await ServeFixture.run({ $0.allowedHosts = ServeSourceTests.allowed(source) }) { fixture in
            let (damaged, whole) = (source.url("/a.jpg"), source.url("/b.jpg"))
            let first = try await fixture.get("/w:10/plain/\(damaged)")
            #expect(first.status == 422 && source.requests.count == 2)
            let second = try await fixture.get("/w:10/plain/\(whole)")
            #expect(second.status == 200)
        }
    }

    @Test(arguments: [404, 410, 403])
    func `a source that was not there is asked again by the next request`(_ status: Int) async throws {
        let source = try ScriptedServer()
        source.respond(to: "/a.jpg", with: .status(status, "No"), .body(jpeg))
        try await ServeFixture.run({ $0.allowedHosts = ServeSourceTests.allowed(source) }) { fixture in
            let path = "/w:10/plain/\(source.url("/a.jpg"))"
            let first = try await fixture.get(path)
            #expect(first.status == status && first["Retry-After"] == nil)
            #expect(try await fixture.get(path).status == 200)
        }
    }

    @Test func `work that does not fit is refused at once, while results and health are served`() async throws {
        let source = try ScriptedServer()
        let gate = Gate()
        source.respond(to: "/slow.jpg", with: .steps([.hold(gate), .bytes(jpeg)], framing: .untilClose))
        try await ServeFixture.run({ settings in
            settings.allowedHosts = ServeSourceTests.allowed(source)
            (settings.admission.total, settings.admission.transfers) = (1, 0)
        }) { fixture in
            #expect(try await fixture.get("/w:10/plain/local:///a.jpg").status == 200)
            async let slow = fixture.get("/w:10/plain/\(source.url("/slow.jpg"))")
            try await eventually { fixture.server.service.statistics.running > 0 }
            let refused = try await fixture.get("/w:20/plain/local:///a.jpg")
            #expect(refused.status == 429 && refused["Retry-After"] == "1")
            #expect(try await fixture.get("/w:10/plain/local:///a.jpg").status == 200)
            #expect(try await fixture.client.get("/health").status == 200)
            gate.open()
            #expect(try await slow.status == 200)
        }
    }

    @Test func `requests that wait for a source refuse no others, and further ones of a source wait`() async throws {
        let (source, gate) = (try ScriptedServer(), Gate())
        let slow = ScriptedResponse.steps([.hold(gate), .bytes(jpeg)], framing: .untilClose)
        for index in 0..<6 { source.respond(to: "/\(index).jpg", with: slow) }
        try await ServeFixture.run({ settings in
            settings.allowedHosts = ServeSourceTests.allowed(source)
            (settings.admission.total, settings.admission.perHost) = (1, 2)
        }) { fixture in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<6 {
                    let path = try fixture.signed("/w:10/plain/\(source.url("/\(index).jpg"))")
                    group.addTask { try await fixture.client.get(path).status }
                }
                try await eventually { fixture.server.service.statistics.running == 6 }
                _ = await source.requests.wait { $0.calls.count == 2 }
                #expect(fixture.server.service.statistics.computing == 0)
                #expect(try await fixture.get("/w:20/plain/local:///a.jpg").status == 200)
                gate.open()
                for try await status in group { #expect(status == 200) }
            }
        }
    }

    @Test func `metrics name a source that does not respond in time, and its places`() async throws {
        let (source, gate) = (try ScriptedServer(), Gate())
        defer { gate.open() }
        var slow = ScriptedResponse.body(jpeg)
        slow.beforeHead = [.hold(gate)]
        source.respond(to: "/slow.jpg", with: Array(repeating: slow, count: 8))
        try await ServeFixture.run({ settings in
            settings.allowedHosts = ServeSourceTests.allowed(source)
            // A tenth of it is between the end of the transfer and that of the request.
            settings.timeLimit = .seconds(2)
        }) { fixture in
            let name = #"firn_serve_source_places{host="\#(source.url(""))"} "#
            var line: Substring?
            var places: [Substring] = []
            // The request may end a little earlier than the transfer; then the next one tells.
            for _ in 0..<8 where line == nil {
                #expect(try await fixture.get("/w:10/plain/\(source.url("/slow.jpg"))").status == 504)
                let page = String(decoding: try await fixture.admin.get("/metrics").body, as: UTF8.self)
                places = page.split(separator: "\n").filter { $0.hasPrefix("firn_serve_source_places") }
                line = places.first { $0.hasPrefix(name) }
            }
            #expect(line.map { ["24", "12", "6", "3", "1"].contains($0.dropFirst(name.count)) } == true, "\(places)")
        }
    }

    @Test func `a mount point has threads of its own`() async throws {
        let threads = FileSystemThreads()
        let gate = ThreadSemaphore()
        let (stalled, other) = (threads.queue(for: "/proc/self/status"), threads.queue(for: "/"))
        #expect(stalled !== other && stalled === threads.queue(for: "/proc/1/status"))
        for _ in 0..<20 { stalled.run { gate.wait() } }
        #expect(try await BlockingCall.run(on: other) { _ in true })
        for _ in 0..<20 { gate.post() }
    }

    @Test func `a file of a file system that does not respond in time is 504, in each language`() async throws {
        try await ServeFixture.run { settings in
            (settings.timeLimit, settings.fileFreshness) = (.milliseconds(300), .seconds(60))
        } _: { fixture in
            let root = try #require(fixture.server.settings.localRoot)
            #expect(try await fixture.get("/plain/local:///a.jpg").status == 200)
            // The watermark is local:///mark.png.
            let marked = try fixture.signed("/wm:1/wmu:bG9jYWw6Ly8vbWFyay5wbmc/plain/local:///a.jpg")
            let gate = ThreadSemaphore()
            let threads = fixture.server.service.files.threads.queue(for: root)
            for _ in 0..<64 { threads.run { gate.wait() } }
            defer { for _ in 0..<64 { gate.post() } }
            let path = try fixture.signed("/plain/local:///stalled.jpg")
            for path in [path, "/info" + path, "/iiif/stalled.jpg/info.json", marked] {
                #expect(try await fixture.client.get(path).status == 504, "\(path)")
            }
            #expect(try await fixture.admin.get("/purge?result=\(path)", method: "POST").status == 504)
        }
    }

    @Test func `a source that does not respond in time is 504`() async throws {
        let source = try ScriptedServer()
        let gate = Gate()
        defer { gate.open() }
        source.respond(to: "/slow.jpg", with: .steps([.hold(gate), .bytes(jpeg)], framing: .untilClose))
        try await ServeFixture.run({ settings in
            settings.allowedHosts = ServeSourceTests.allowed(source)
            settings.timeLimit = .milliseconds(500)
        }) { fixture in
            let status = try await fixture.get("/w:10/plain/\(source.url("/slow.jpg"))").status
            #expect(status == 504)
        }
    }

    @Test func `work ends when its last client has left`() async throws {
        let source = try ScriptedServer()
        let gate = Gate()
        defer { gate.open() }
        source.respond(to: "/slow.jpg", with: .steps([.hold(gate), .bytes(jpeg)], framing: .untilClose))
        try await ServeFixture.run({ $0.allowedHosts = ServeSourceTests.allowed(source) }) { fixture in
            let connection = try fixture.client.open(try fixture.signed("/w:10/plain/\(source.url("/slow.jpg"))"))
            _ = await source.requests.wait { $0.calls.count == 1 }
            #expect(fixture.server.service.statistics.running == 1)
            close(connection)
            // The source sees that its connection is closed, too.
            _ = await source.requests.wait { $0.cancelled.map(\.path) == ["/slow.jpg"] }
            try await eventually { fixture.server.service.statistics.running == 0 }
            #expect(fixture.server.service.statistics.running == 0)
            #expect(fixture.server.service.statistics.made == 0)
        }
    }
}
