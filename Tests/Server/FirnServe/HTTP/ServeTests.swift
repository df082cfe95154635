import FirnImage
import FirnSystem
import FirnTesting
import FoundationEssentials
import Logging
import Testing

@testable import FirnServe

@Suite("The image server", .timeLimit(.minutes(3)))
struct ServeTests {
    @Test(arguments: [
        ("/rs:fit:300:200/plain/local:///a.jpg", 300, 150, ImageFormat.jpeg),
        ("/rs:fill:300:300/plain/local:///a.jpg", 300, 300, .jpeg),
        ("/rs:force:300:0/plain/local:///a.jpg@png", 300, 500, .png),
        ("/w:300/dpr:2/plain/local:///sub/b.png", 600, 300, .png),
        ("/rs:fit:300:300/pd:10/dpr:2/plain/local:///a.jpg@webp", 640, 340, .webp),
        ("/crop:0.5:200:nowe:10:0.1/rot:90/plain/local:///a.jpg", 250, 200, .jpeg),
        ("/g:fp:0.25:0.75/rs:fill:90:90/plain/local:///a.jpg", 90, 90, .jpeg),
        ("/rs:fill:2000:2000:1/plain/local:///a.jpg@gif", 2000, 2000, .gif),
        ("/rs:fit:300:300/ex:1/bl:2/sh:1/fl:1:1/plain/local:///a.jpg@avif", 300, 300, .avif),
    ])
    func `results have the size and format of imgproxy's rules`(
        _ path: String, _ width: Int, _ height: Int, _ format: ImageFormat
    ) async throws {
        try await ServeFixture.run { fixture in
            let response = try await fixture.get(path)
            #expect(response.status == 200)
            let found = try ServeFixture.describe(response.body)
            #expect(found.size == PixelSize(width: width, height: height) && found.format == format)
            #expect(response["Content-Type"] == format.mediaType)
            #expect(response["Cache-Control"] == "max-age=31536000, public")
            #expect(response["X-Content-Type-Options"] == "nosniff")
            #expect(response["Content-Security-Policy"]?.contains("default-src 'none'") == true)
        }
    }

    @Test func `validators, ranges and HEAD agree with the whole result`() async throws {
        try await ServeFixture.run { fixture in
            let path = "/rs:fit:300:200/plain/local:///a.jpg"
            let whole = try await fixture.get(path)
            let tag = try #require(whole["ETag"])
            #expect(whole["Content-Length"] == "\(whole.body.count)")
            #expect(whole["Content-Disposition"] == "inline; filename=\"a.jpg\"")
            let same = try await fixture.get(path, headers: ["If-None-Match": "W/\(tag)"])
            #expect(same.status == 304 && same.body.isEmpty && same["ETag"] == tag)
            let part = try await fixture.get(path, headers: ["Range": "bytes=10-19"])
            #expect(part.status == 206 && part.body == Array(whole.body[10..<20]))
            #expect(part["Content-Range"] == "bytes 10-19/\(whole.body.count)")
            #expect(try await fixture.get(path, headers: ["Range": "bytes=9999999-"]).status == 416)
            let head = try await fixture.get(path, method: "HEAD")
            #expect(head.status == 200 && head.body.isEmpty && head["Content-Length"] == whole["Content-Length"])
            #expect(try await fixture.get(path, method: "POST").status == 405)
            #expect(fixture.server.service.statistics.made == 1)
        }
    }

    @Test func `a source is passed on where that is asked for its format, but never a drawing`() async throws {
        try await ServeFixture.run { fixture in
            let file = try Data(contentsOf: URL(filePath: fixture.folder + "/images/a.jpg"))
            let whole = try await fixture.get("/w:10/skp:jpg:svg/plain/local:///a.jpg")
            #expect(whole.status == 200 && whole.body == Array(file) && whole["Content-Type"] == "image/jpeg")
            let other = try await fixture.get("/w:10/skp:png/plain/local:///a.jpg")
            #expect(try ServeFixture.describe(other.body).size == PixelSize(width: 10, height: 5))
            let drawing = "<svg xmlns='http://www.w3.org/2000/svg' width='4' height='2'/>"
            try Data(drawing.utf8).write(to: URL(filePath: fixture.folder + "/images/d.svg"))
            #expect(try await fixture.get("/skp:svg/plain/local:///d.svg")["Content-Type"] == "image/png")
        }
    }

    @Test func `a source that changes gets another result and another validator`() async throws {
        try await ServeFixture.run { fixture in
            let path = "/rs:fit:100:100/plain/local:///a.jpg"
            let before = try await fixture.get(path)
            try ServeFixture.image(PixelSize(width: 300, height: 300), .jpeg)
                .write(to: URL(filePath: fixture.folder + "/images/a.jpg"))
            let after = try await fixture.get(path)
            #expect(after["ETag"] != before["ETag"])
            #expect(try ServeFixture.describe(after.body).size == PixelSize(width: 100, height: 100))
        }
    }

    @Test func `the format follows Accept where that is configured, and Vary says so (F28)`() async throws {
        try await ServeFixture.run({ $0.imgproxy.automaticFormats = [.webp] }) { fixture in
            let path = "/rs:fit:30:30/plain/local:///a.jpg"
            let plain = try await fixture.get(path, headers: ["Accept": "*/*"])
            let modern = try await fixture.get(path, headers: ["Accept": "image/webp,*/*"])
            #expect(plain["Content-Type"] == "image/jpeg" && modern["Content-Type"] == "image/webp")
            #expect(plain["Vary"] == "Accept" && modern["Vary"] == "Accept")
            #expect(plain["ETag"] != modern["ETag"])
        }
    }

    @Test func `without a valid signature nothing is read`() async throws {
        try await ServeFixture.run { fixture in
            let good = try fixture.signed("/w:10/plain/local:///a.jpg")
            #expect(try await fixture.client.get(good).status == 200)
            for (number, byte) in good.utf8.enumerated() where number > 0 {
                var bytes = Array(good.utf8)
                bytes[number] = byte == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                let status = try await fixture.client.get(String(decoding: bytes, as: UTF8.self)).status
                #expect(status == 403 || status == 404)
            }
            #expect(try await fixture.client.get("/_/w:10/plain/local:///a.jpg").status == 403)
            #expect(fixture.server.service.statistics.made == 1)
        }
    }

    @Test(arguments: [
        "../secret.jpg", "sub/../../secret.jpg", "%2e%2e/secret.jpg", "..%2Fsecret.jpg", "%252e%252e/secret.jpg",
        "link.jpg", "sub/up/secret.jpg", "pipe.jpg", "sub", "", "missing.jpg", "a.jpg%00.png", "/etc/passwd",
    ])
    func `local sources stay below their root`(_ name: String) async throws {
        try await ServeFixture.run { fixture in
            let root = fixture.folder + "/images"
            try ServeFixture.image(PixelSize(width: 8, height: 8), .jpeg)
                .write(to: URL(filePath: fixture.folder + "/secret.jpg"))
            symlink(fixture.folder + "/secret.jpg", root + "/link.jpg")
            symlink("../..", root + "/sub/up")
            mkfifo(root + "/pipe.jpg", 0o600)
            let response = try await fixture.get("/w:10/plain/local:///\(name)")
            #expect(response.status == 404)
            #expect(!String(decoding: response.body, as: UTF8.self).contains(fixture.folder))
        }
    }

    @Test func `64 equal cold requests are one decode`() async throws {
        try await ServeFixture.run { fixture in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<64 { group.addTask { try await fixture.get("/w:50/plain/local:///a.jpg").status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses == Array(repeating: 200, count: 64))
            #expect(fixture.server.service.statistics.made == 1)
        }
    }

    @Test(arguments: ["bomb.png", "page.jpg", "empty.jpg"])
    func `damaged, oversized and foreign content is 422, and never passed on`(_ name: String) async throws {
        try await ServeFixture.run { fixture in
            // The header of a PNG of 25,500 × 25,500 pixels; its checksum is not looked at before its size.
            let bomb: [UInt8] = [
                0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0x63, 0x9C,
                0, 0, 0x63, 0x9C, 8, 2, 0, 0, 0, 0, 0, 0, 0,
            ]
            let contents = [
                "bomb.png": Data(bomb), "page.jpg": Data("<html><script>alert(1)</script></html>".utf8),
                "empty.jpg": Data(),
            ]
            try #require(contents[name]).write(to: URL(filePath: "\(fixture.folder)/images/\(name)"))
            let response = try await fixture.get("/w:10/plain/local:///\(name)")
            #expect(response.status == 422)
            #expect(response["Content-Type"] == "text/plain; charset=utf-8" && response["Cache-Control"] == "no-store")
        }
    }

    @Test func `a source that is cut short is shown as far as it goes, and no cache keeps it`() async throws {
        try await ServeFixture.run { fixture in
            let folder = fixture.folder + "/images"
            let jpeg = try Data(contentsOf: URL(filePath: folder + "/a.jpg"))
            try jpeg.prefix(jpeg.count / 2).write(to: URL(filePath: folder + "/cut.jpg"))
            let paths = [
                try fixture.signed("/w:10/plain/local:///cut.jpg"), try fixture.signed("/plain/local:///cut.jpg@png"),
                "/iiif/cut.jpg/full/max/0/default.jpg",
            ]
            for (number, path) in paths.enumerated() {
                for time in 1...2 {
                    let response = try await fixture.client.get(path)
                    #expect(response.status == 200 && response["Cache-Control"] == "no-store", "\(path)")
                    #expect(try ServeFixture.describe(response.body).size != nil)
                    #expect(fixture.server.service.statistics.made == number * 2 + time)
                }
            }
            #expect(fixture.server.service.statistics.memoryBytes == 0)
        }
    }

    @Test func `a drawing is rendered, with its scripts left out`() async throws {
        try await ServeFixture.run { fixture in
            let text = "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='20'><script>alert(1)</script></svg>"
            try Data(text.utf8).write(to: URL(filePath: fixture.folder + "/images/d.svg"))
            let response = try await fixture.get("/w:80/plain/local:///d.svg")
            #expect(response.status == 200 && response["Content-Type"] == "image/png")
            #expect(try ServeFixture.describe(response.body).size == PixelSize(width: 80, height: 40))
            #expect(try await fixture.get("/w:80/plain/local:///d.svg@svg").status == 422)
        }
    }

    @Test func `a server without keys does not start, but for an insecure one on loopback`() throws {
        var settings = ServeSettings()
        let loopback = ListenAddress(host: "127.0.0.1", port: 0)
        #expect(throws: ConfigurationError.self) {
            try ImageServer(settings, listen: loopback, logger: Logger(label: "test"))
        }
        settings.imgproxy.isInsecure = true
        #expect(throws: ConfigurationError.self) {
            try ImageServer(settings, listen: ListenAddress(host: "0.0.0.0", port: 0), logger: Logger(label: "test"))
        }
        _ = try ImageServer(settings, listen: loopback, logger: Logger(label: "test"))
    }
}
