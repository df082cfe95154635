import FirnCodecs
import FirnImage
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnServe

/// Options and settings of imgproxy's language whose effect only a whole request shows.
@Suite("Options of imgproxy's language", .timeLimit(.minutes(3)))
struct ServeOptionTests {
    /// A JPEG of 60 × 40 with a white left half, and EXIF data that state an orientation.
    private static func turned(_ orientation: UInt8) throws -> Data {
        let file = try ServeFixture.image(PixelSize(width: 60, height: 40), .jpeg)
        // A big-endian directory with the tag Orientation alone.
        let directory: [UInt8] = [0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]
        let payload = Array("Exif\0\0MM\0*".utf8) + [0, 0, 0, 8] + directory
        return file.prefix(2) + Data([0xFF, 0xE1, 0, UInt8(payload.count + 2)] + payload) + file.dropFirst(2)
    }

    private func run(
        _ change: (inout ServeSettings) -> Void = { _ in }, _ body: (ServeFixture) async throws -> Void
    ) async throws {
        try await ServeFixture.run(change) { fixture in
            for orientation in UInt8(1)...8 {
                try Self.turned(orientation)
                    .write(to: URL(filePath: "\(fixture.folder)/images/o\(orientation).jpg"))
            }
            try await body(fixture)
        }
    }

    @Test(arguments: 1...8)
    func `auto_rotate turns an image for display, and without it the image is as stored`(_ orientation: Int)
        async throws
    {
        try await run { fixture in
            func bitmap(_ options: String) async throws -> Bitmap {
                let response = try await fixture.get("\(options)/plain/local:///o\(orientation).jpg@png")
                #expect(response.status == 200)
                return try ServeFixture.bitmap(response.body)
            }
            let upright = try await bitmap("/ar:1")
            #expect(upright.size.width == (orientation >= 5 ? 40 : 60))
            for options in ["/ar:0", "/ar:0/rs:fit:60:60", "/ar:0/rs:force:60:40"] {
                let stored = try await bitmap(options)
                #expect(stored.size == PixelSize(width: 60, height: 40))
                #expect(try stored.color(5, 20)[0] > 200 && stored.color(54, 20)[0] < 50)
            }
            // Crops, turns and trims count from the stored image.
            let part = try await bitmap("/ar:0/c:20:10:nowe")
            #expect(try part.size == PixelSize(width: 20, height: 10) && part.color(10, 5)[0] > 200)
            let turned = try await bitmap("/ar:0/rot:90/c:40:10:no")
            #expect(try turned.size == PixelSize(width: 40, height: 10) && turned.color(20, 5)[0] > 200)
            let trimmed = try await bitmap("/ar:0/t:10:000000")
            #expect(abs(trimmed.size.width - 30) < 4 && trimmed.size.height == 40)
        }
    }

    @Test func `strip_metadata keeps the EXIF data where it is off, with an upright orientation`() async throws {
        try await run { fixture in
            for (options, isKept) in [("/sm:0", true), ("/sm:1", false), ("", false)] {
                let response = try await fixture.get("\(options)/w:20/plain/local:///o6.jpg@jpg")
                let decoder = ImageDecoder(decoders: ImageDecoders.standard)
                try decoder.append(Data(response.body))
                decoder.finish()
                #expect((decoder.properties?.exif != nil) == isKept, "\(options)")
                #expect(decoder.orientation == .up)
            }
        }
    }

    @Test func `preserve_hdr keeps 16 bits a sample through all steps, where source and format have them`() async throws
    {
        try await run { fixture in
            let wide = try Bitmap(size: PixelSize(width: 40, height: 20), format: .rgba16Straight, isOpaque: true) {
                pixels in
                for y in 0..<20 {
                    let row = pixels.row(y).assumingMemoryBound(to: UInt16.self)
                    for x in 0..<40 {
                        for channel in 0..<3 { row[4 * x + channel] = 0x1234 }
                        row[4 * x + 3] = 0xFFFF
                    }
                }
            }
            let encoder = try #require(ImageEncoders.encoder(for: .png))
            try encoder.encode(wide).write(to: URL(filePath: "\(fixture.folder)/images/wide.png"))
            let steps = "/w:20/rot:90/pd:2/bl:1"
            let cases = [
                ("/ph:1\(steps)", "wide.png@png", 16), ("/ph:1\(steps)", "wide.png@tiff", 16),
                ("/ph:1\(steps)", "wide.png@jxl", 16), ("/ph:1\(steps)", "wide.png@avif", 10),
                ("/ph:0\(steps)", "wide.png@png", 8), ("/ph:1", "a.jpg@png", 8), ("/ph:1", "wide.png@webp", 8),
            ]
            for (options, source, depth) in cases {
                let response = try await fixture.get("\(options)/plain/local:///\(source)")
                #expect(response.status == 200)
                let decoder = ImageDecoder(decoders: ImageDecoders.standard)
                try decoder.append(Data(response.body))
                decoder.finish()
                let bits = try #require(decoder.properties?.bitDepth)
                // A PNG of few colors has fewer bits.
                #expect(depth == 8 ? bits <= 8 : bits == depth, "\(options) \(source)")
                guard depth > 8 else { continue }
                var decoding = DecodingOptions()
                decoding.pixelFormat = .rgba16Straight
                let image = try decoder.frame(at: 0, options: decoding).image()
                let middle = image.withUnsafeBytes { bytes in
                    let offset = image.size.height / 2 * image.bytesPerRow + image.size.width / 2 * 8
                    return Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
                }
                // AVIF and JPEG XL are lossy.
                #expect(abs(middle - 0x1234) < (source.hasSuffix("avif") ? 400 : 80), "\(source): \(middle)")
            }
        }
    }

    @Test func `AVIF below 16 pixels is JPEG, or PNG if it is transparent; above 8 megapixels it is WebP`() async throws
    {
        try await run({ $0.imgproxy.limits.avifPixels = 10_000 }) { fixture in
            let cases = [
                ("/w:20", "image/jpeg"), ("/w:20/ex:1/rs:fit:20:15", "image/png"), ("/rs:fill:16:16", "image/avif"),
                ("/w:200", "image/webp"),
            ]
            for (options, type) in cases {
                let response = try await fixture.get("\(options)/plain/local:///a.jpg@avif")
                #expect(response["Content-Type"] == type, "\(options)")
                #expect(
                    response["Content-Disposition"]?.contains(
                        "a.\(type == "image/jpeg" ? "jpg" : String(type.dropFirst(6)))") == true)
            }
        }
    }

    @Test func `padding without a background needs a format with alpha, if the address names no format`() async throws {
        try await ServeFixture.run { fixture in
            try ServeFixture.image(PixelSize(width: 40, height: 20), .webp)
                .write(to: URL(filePath: fixture.folder + "/images/w.webp"))
            for (options, type) in [
                ("/w:20", "jpeg"), ("/pd:3", "png"), ("/ex:1/s:50:50", "png"), ("/pd:3/bg:fff", "jpeg"),
            ] {
                #expect(try await fixture.get("\(options)/plain/local:///w.webp")["Content-Type"] == "image/\(type)")
            }
        }
    }

    @Test func `a drawing that states more pixels than the limit is drawn smaller`() async throws {
        try await ServeFixture.run({ settings in
            settings.imgproxy.limits.resultPixels = 10_000
            settings.limits.maximumPixels = 10_000
        }) { fixture in
            let text = "<svg xmlns='http://www.w3.org/2000/svg' width='4000' height='1000'/>"
            try Data(text.utf8).write(to: URL(filePath: fixture.folder + "/images/d.svg"))
            let whole = try ServeFixture.describe(try await fixture.get("/plain/local:///d.svg").body).size
            #expect(whole.map { $0.area <= 10_000 && $0.area > 9_500 } == true)
            for options in ["/el:1/w:4000", "/c:10:10:sm"] {
                #expect(try await fixture.get("\(options)/plain/local:///d.svg").status == 422)
            }
            #expect(
                try ServeFixture.describe(try await fixture.get("/w:100/plain/local:///d.svg").body).size?.width == 100)
        }
    }

    @Test func `raw passes an image on where it is allowed, and nothing else`() async throws {
        try await ServeFixture.run({ $0.imgproxy.allowRaw = true }) { fixture in
            let folder = fixture.folder + "/images/"
            try Data("<html><script>alert(1)</script></html>".utf8).write(to: URL(filePath: folder + "page.jpg"))
            try Data("<svg xmlns='http://www.w3.org/2000/svg' width='4' height='2'/>".utf8)
                .write(to: URL(filePath: folder + "d.svg"))
            let file = try Data(contentsOf: URL(filePath: folder + "a.jpg"))
            let whole = try await fixture.get("/raw:1/w:5/plain/local:///a.jpg@png")
            #expect(whole.status == 200 && whole.body == Array(file) && whole["Content-Type"] == "image/jpeg")
            for name in ["page.jpg", "d.svg"] {
                let response = try await fixture.get("/raw:1/plain/local:///\(name)")
                #expect(response.status == 422 && response["Content-Type"] == "text/plain; charset=utf-8")
            }
        }
    }

    @Test func `a configured secret is asked for before anything is done`() async throws {
        try await ServeFixture.run({ $0.imgproxy.secret = "open sesame" }) { fixture in
            for field in [nil, "Bearer", "Bearer open sesam", "Bearer open sesamee", "Basic open sesame"] as [String?] {
                let headers = field.map { ["Authorization": $0] } ?? [:]
                for prefix in ["", "/info"] {
                    let target = try fixture.signed("/w:5/plain/local:///a.jpg")
                    #expect(try await fixture.client.get(prefix + target, headers: headers).status == 403)
                }
            }
            #expect(fixture.server.service.statistics.made == 0)
            let headers = ["Authorization": "Bearer open sesame"]
            for _ in 0..<3 {
                #expect(try await fixture.get("/w:5/plain/local:///a.jpg", headers: headers).status == 200)
            }
            #expect(try await fixture.get("/w:5/plain/local:///a.jpg").status == 403)
        }
    }

    @Test func `a refused signature says what is signed where that is configured, and nowhere else`() async throws {
        let target = "/_/w%3A5/plain/http:/host/a.jpg?token"
        try await ServeFixture.run({ $0.imgproxy.showsSignedText = true }) { fixture in
            let response = try await fixture.client.get(target)
            let text = String(decoding: response.body, as: UTF8.self)
            #expect(response.status == 403 && text.hasSuffix(": /w:5/plain/http://host/a.jpg\n"), "\(text)")
        }
        try await ServeFixture.run { fixture in
            let response = try await fixture.client.get(target)
            #expect(response.status == 403 && !String(decoding: response.body, as: UTF8.self).contains("host"))
        }
    }

    @Test func `a configured image takes the place of a source that fails`() async throws {
        let file = FileManager.default.temporaryDirectory.path + "/firn-fallback-\(UUID().uuidString).png"
        try ServeFixture.image(PixelSize(width: 80, height: 20), .png).write(to: URL(filePath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        for status in [200, 0, 410] {
            try await ServeFixture.run({ settings in
                settings.imgproxy.fallbackImage = file
                settings.imgproxy.fallbackStatus = status
            }) { fixture in
                let response = try await fixture.get("/w:40/plain/local:///missing.jpg")
                #expect(response.status == (status == 0 ? 404 : status))
                #expect(response["Fallback-Image"] == "1" && response["Cache-Control"] == "no-cache")
                #expect(try ServeFixture.describe(response.body).size == PixelSize(width: 40, height: 10))
                let unsigned = try await fixture.client.get("/_/w:40/plain/local:///missing.jpg")
                #expect(unsigned.status == 403 && unsigned["Fallback-Image"] == nil)
                #expect(try await fixture.get("/w:40/plain/local:///a.jpg")["Fallback-Image"] == nil)
            }
        }
    }

    @Test func `results name their source and the origins that may read them, where that is configured`() async throws {
        let source = try ScriptedServer()
        source.respond(to: "/a%20b.jpg", with: .body(try ServeFixture.image(PixelSize(width: 8, height: 8), .jpeg)))
        try await ServeFixture.run({ settings in
            settings.allowedHosts = [AllowedHost("127.0.0.1:\(source.port)")].compactMap { $0 }
            settings.imgproxy.linksSources = true
            settings.imgproxy.allowedOrigin = "https://shop.example"
        }) { fixture in
            let remote = try await fixture.get("/w:4/plain/\(source.url("/a%2520b.jpg"))")
            #expect(remote["Link"] == "<\(source.url("/a%20b.jpg"))>; rel=\"canonical\"")
            #expect(remote["Access-Control-Allow-Origin"] == "https://shop.example")
            #expect(try await fixture.get("/w:4/plain/local:///a.jpg")["Link"] == nil)
            let options = try await fixture.client.get("/any", method: "OPTIONS")
            #expect(options.status == 200 && options.body.isEmpty)
        }
        #expect(ImgproxyHeaders.canonicalLink(to: "http://h/a>b ü") == "<http://h/a%3Eb%20%C3%BC>; rel=\"canonical\"")
    }
}
