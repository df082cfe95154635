import FirnCodecs
import FirnImage
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnServe

@Suite("Watermarks that requests name", .timeLimit(.minutes(3)))
struct ServeWatermarkTests {
    /// An image of 20 × 10 pixels of one color.
    private static func mark(_ color: [UInt8]) throws -> Data {
        let image = try Bitmap(size: PixelSize(width: 20, height: 10), format: .rgb8) { pixels in
            for y in 0..<10 {
                for place in 0..<60 {
                    pixels.row(y).storeBytes(of: color[place % 3], toByteOffset: place, as: UInt8.self)
                }
            }
        }
        return try PNGEncoder().encode(image)
    }

    private static func encoded(_ text: String) -> String {
        String(decoding: ImgproxyText.base64URL(text.utf8), as: UTF8.self)
    }

    private func image(_ fixture: ServeFixture, _ path: String) async throws -> Bitmap {
        let response = try await fixture.get(path)
        try #require(response.status == 200, "\(path): \(String(decoding: response.body, as: UTF8.self))")
        return try ServeFixture.bitmap(response.body)
    }

    @Test func `an image is loaded once, and drawn in place of the configured one`() async throws {
        let source = try ScriptedServer()
        source.respond(to: "/m.png", with: .body(try Self.mark([0, 255, 0])))
        let file = FileManager.default.temporaryDirectory.path + "/firn-mark-\(UUID().uuidString).png"
        try Self.mark([0, 0, 255]).write(to: URL(filePath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        let configured = try Watermark(file: file, limits: ImageLimits())
        try await ServeFixture.run({ settings in
            settings.allowedHosts = [AllowedHost("127.0.0.1:\(source.port)")].compactMap { $0 }
            settings.imgproxy.watermark = configured
        }) { fixture in
            let mark = Self.encoded(source.url("/m.png"))
            for width in [100, 200] {
                for output in ["png", "bmp"] {
                    let path = "/w:\(width)/wm:1:nowe/wmu:\(mark)/plain/local:///a.jpg@\(output)"
                    let result = try await image(fixture, path)
                    #expect(try result.color(5, 5) == [0, 255, 0] && result.color(25, 5) != [0, 255, 0])
                }
            }
            #expect(source.requests.count == 1)
            let own = try await image(fixture, "/w:100/wm:1:nowe/wmu:\(mark)/watermark_url:/plain/local:///a.jpg@png")
            #expect(try own.color(5, 5) == [0, 0, 255])
            #expect(try await fixture.get("/w:9/wmu:\(mark)/plain/local:///a.jpg").status == 200)
            #expect(source.requests.count == 1)
        }
    }

    @Test func `an image that the policy refuses, or that is missing or damaged, fails the request`() async throws {
        let (source, other) = (try ScriptedServer(), try ScriptedServer())
        source.respond(to: "/r.png", with: .redirect(to: other.url("/m.png")))
        source.respond(to: "/text.png", with: .body(Data("no image".utf8)))
        source.respond(to: "/busy.png", with: .status(503, "Busy"))
        other.respond(to: "/m.png", with: .body(try Self.mark([0, 255, 0])))
        try await ServeFixture.run({
            $0.allowedHosts = [AllowedHost("127.0.0.1:\(source.port)")].compactMap { $0 }
        }) { fixture in
            for (address, status) in [
                (other.url("/m.png"), 404), (source.url("/r.png"), 404), (source.url("/text.png"), 422),
                (source.url("/busy.png"), 502), ("http://169.254.169.254/latest", 404), ("file:///etc/passwd", 404),
                ("local:///missing.png", 404), ("local:///../../etc/passwd", 404), ("s3://bucket/key", 404),
            ] {
                let response = try await fixture.get("/wm:1/wmu:\(Self.encoded(address))/plain/local:///a.jpg")
                let message = String(decoding: response.body, as: UTF8.self)
                #expect(
                    response.status == status && (message.contains("watermark: ") || message.contains("wmu: ")),
                    "\(address): \(message)")
            }
            #expect(other.requests.isEmpty)
            // The source is not blamed.
            #expect(try await fixture.get("/w:9/plain/local:///a.jpg").status == 200)
        }
    }

    @Test func `an edited local image gives another result`() async throws {
        try await ServeFixture.run { fixture in
            let file = URL(filePath: fixture.folder + "/images/m.png")
            let path = "/w:100/wm:1:nowe/wmu:\(Self.encoded("local:///m.png"))/plain/local:///a.jpg@png"
            for color in [[0, 255, 0], [255, 0, 0], [0, 0, 255]] as [[UInt8]] {
                try? FileManager.default.removeItem(at: file)
                try Self.mark(color).write(to: file)
                #expect(try await image(fixture, path).color(5, 5) == color)
                #expect(try await image(fixture, path).color(5, 5) == color)
            }
        }
    }

    /// Draws a text on a white image and returns the colors of the drawn pixels, and their rows.
    private func drawn(_ fixture: ServeFixture, _ argument: String, scale: Int = 0) async throws -> (
        image: Bitmap, places: [(x: Int, y: Int)], height: Int
    ) {
        let path = "/c:500:500:nowe/wm:1:ce:0:0:\(scale)/wmt:\(argument)/plain/local:///sub/b.png@png"
        let result = try await image(fixture, path)
        let places = result.places { $0 != [255, 255, 255] }
        let (top, bottom) = (places.map(\.y).min() ?? 0, places.map(\.y).max() ?? -1)
        return (result, places, bottom - top + 1)
    }

    @Test func `a text has its size, color and font`() async throws {
        try await ServeFixture.run { fixture in
            let text = Self.encoded("Hill")
            let plain = try await drawn(fixture, text)
            #expect(plain.places.count > 20 && (8...17).contains(plain.height), "\(plain.height)")
            #expect(plain.image.places { $0[0] == $0[1] && $0[1] == $0[2] }.count == plain.image.size.area)
            let large = try await drawn(fixture, "\(text):64:ff0000")
            #expect(large.places.count > 5 * plain.places.count && (40...66).contains(large.height), "\(large.height)")
            #expect(large.image.places { $0 == [255, 0, 0] }.count > 100)
            // Magenta is what trimming takes for transparency.
            let magenta = try await drawn(fixture, "\(text):64:ff00ff")
            #expect(magenta.height == large.height && magenta.image.places { $0 == [255, 0, 255] }.count > 100)
            let font = try await drawn(fixture, "\(text):64:ff0000:\(Self.encoded("DejaVu Sans, serif"))")
            #expect(!font.places.isEmpty)
            // It is drawn for its share of the result, not enlarged.
            let scaled = try await drawn(fixture, text, scale: 1)
            #expect(scaled.image.places { $0 == [0, 0, 0] }.count > 20 * plain.places.count)
        }
    }

    @Test func `a hostile text is a text`() async throws {
        let hostile = "</text><image href='file:///etc/passwd'/>&#x41;&x;<!--]]>\"'"
        let text = WatermarkText(text: hostile, font: "a\" onload=\"x")
        for svg in [text.svg(), text.svg(PixelSize(10))] {
            #expect(svg.count { $0 == "<" } == 4 && svg.hasSuffix("</text></svg>"), "\(svg)")
            #expect(!svg.contains("a\" ") && !svg.contains("&x;"))
        }
        try await ServeFixture.run { fixture in
            let found = try await drawn(fixture, "\(Self.encoded(hostile)):8")
            #expect(!found.places.isEmpty)
            let empty = try await fixture.get("/wm:1/wmt:\(Self.encoded("   "))/plain/local:///a.jpg")
            let message = String(decoding: empty.body, as: UTF8.self)
            #expect(empty.status == 422 && message.contains("watermark: nothing of it is visible"), "\(message)")
        }
    }

    @Test(arguments: [
        "wmt:\(encoded("a\nb"))", "wmt:\(encoded("\u{1B}"))", "wmt:*", "wmt:_w",
        "wmt:\(encoded(String(repeating: "a", count: 201)))", "wmt:YQ:0", "wmt:YQ:513", "wmt:YQ:9:red", "wmt:YQ:9::*",
        "wmt:YQ:9::YQ:1", "wmu:*", "wmu:YQ", "wmu:YQ:1", "wmu:\(encoded("gopher://a/b"))",
        "wmu:\(encoded("http://a/\r\nb"))",
    ])
    func `invalid texts and addresses are not found`(_ option: String) {
        #expect(ImgproxyVectors.status { () throws(ServeError) in _ = try ImgproxyVectors.options(option) } == 404)
    }

    @Test func `the last of a text and an image counts, and each has results of its own`() throws {
        let address = Self.encoded("HTTP://example.com/m.png")
        let image = try ImgproxyVectors.options("wmt:YQ/wmu:\(address)")
        #expect(image.watermark.image == .address("http://example.com/m.png"))
        let text = try ImgproxyVectors.options("wmu:\(address)/watermark_text:YQ::f00")
        let red = SRGBColor(red: 255, green: 0, blue: 0)
        #expect(text.watermark.image == .text(WatermarkText(text: "a", color: red)))
        let source = SourceReference.http(url: ImgproxyVectors.url, host: "example.com")
        let rendering = ImgproxyRendering(
            request: ImgproxyRequest(source: ImgproxyVectors.url, options: image), settings: ImgproxySettings(),
            accept: "")
        let marks: [RequestedWatermark?] = [
            nil, .image(.http(url: "http://example.com/m.png", host: "example.com")),
            .image(.http(url: "http://example.com/n.png", host: "example.com")), .text(WatermarkText(text: "a")),
            .text(WatermarkText(text: "b")), .text(WatermarkText(text: "a", size: 17)),
            .text(WatermarkText(text: "a", color: red)), .text(WatermarkText(text: "a", font: "serif")),
        ]
        #expect(Set(marks.map { rendering.job(source, $0).key }).count == marks.count)
    }
}
