import FirnCodecs
import FirnImage
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnServe

/// Colors, round corners, pages, and the effort of encoders.
@Suite("Tones of imgproxy's language", .timeLimit(.minutes(3)))
struct ServeToneTests {
    /// Pixels of red 200, green 100 and blue 50, with an alpha.
    private static func plain(alpha: UInt8 = 255, side: Int = 20) throws -> Data {
        let bitmap = try Bitmap(size: PixelSize(side), format: .rgba8Straight) { pixels in
            for y in 0..<side {
                for x in 0..<side {
                    for (channel, value) in [200, 100, 50, alpha].enumerated() {
                        pixels.row(y).storeBytes(of: value, toByteOffset: 4 * x + channel, as: UInt8.self)
                    }
                }
            }
        }
        return try PNGEncoder().encode(bitmap)
    }

    private func run(alpha: UInt8 = 255, _ body: (ServeFixture) async throws -> Void) async throws {
        try await ServeFixture.run { fixture in
            try Self.plain(alpha: alpha).write(to: URL(filePath: fixture.folder + "/images/p.png"))
            try await body(fixture)
        }
    }

    private func image(_ fixture: ServeFixture, _ path: String) async throws -> Bitmap {
        let response = try await fixture.get(path)
        try #require(response.status == 200, "\(path): \(String(decoding: response.body, as: UTF8.self))")
        return try ServeFixture.bitmap(response.body)
    }

    private static func isNear(_ color: [UInt8], _ expected: [Int], by most: Int) -> Bool {
        zip(color, expected).allSatisfy { abs(Int($0) - $1) <= most } && color.count == expected.count
    }

    // The luma of the source is 0.2126 · 200 + 0.7152 · 100 + 0.0722 · 50 = 117.65.
    private static let tones: [(option: String, color: [Int])] = [
        ("br:20", [220, 120, 70]), ("br:-255", [0, 0, 0]), ("brightness:255", [255, 255, 255]),
        ("co:0", [128, 128, 128]), ("contrast:2", [255, 72, 0]), ("sa:0", [118, 118, 118]),
        ("saturation:0.5", [159, 109, 84]), ("gs:1", [118, 118, 118]), ("grayscale:0.5", [159, 109, 84]),
        ("mc:1:ff8000", [118, 59, 0]), ("monochrome:1", [83, 83, 83]), ("mc:0:ff8000", [200, 100, 50]),
        ("dt:1:000080:ffff00", [118, 118, 69]), ("duotone:0.5", [159, 109, 84]), ("dt:1:f00:f00", [255, 0, 0]),
        ("a:20", [220, 120, 70]), ("adjust::2", [255, 72, 0]), ("a:::0", [118, 118, 118]),
        // Brightness, then contrast, each within 0 to 255, then saturation, then duotone.
        ("sa:0/co:2/br:55", [191, 191, 191]), ("dt:1:000:00f/br:-117/sa:0", [0, 0, 18]),
    ]

    @Test(arguments: tones)
    func `colors change as computed by hand`(_ tone: (option: String, color: [Int])) async throws {
        try await run { fixture in
            let path = "/\(tone.option)/plain/local:///p.png"
            let color = try await image(fixture, path).color(3, 3)
            #expect(Self.isNear(color, tone.color, by: 1), "\(color)")
            // After a trim, in a region and in another size, too.
            for options in ["t:300", "c:5:5:nowe", "w:7"] {
                let same = try await image(fixture, "/\(options)\(path)").color(3, 3)
                #expect(Self.isNear(same, tone.color, by: 1), "\(options): \(same)")
            }
        }
    }

    @Test func `colors of transparent pixels change as those of opaque ones, and alpha stays`() async throws {
        try await run(alpha: 128) { fixture in
            let result = try await image(fixture, "/br:20/plain/local:///p.png")
            #expect(Self.isNear(try result.color(3, 3), [220, 120, 70], by: 2))
            #expect(result.pixels { $0[3] == 128 })
        }
    }

    @Test func `every frame of an animation changes`() async throws {
        let size = PixelSize(8)
        let session = try GIFEncoder().makeAnimation(size: size, repetitions: .forever)
        for gray in [40, 80] as [UInt8] {
            let frame = try Bitmap(size: size, format: .rgb8) { pixels in
                for y in 0..<8 { pixels.row(y).initializeMemory(as: UInt8.self, repeating: gray, count: 24) }
            }
            try session.append(frame, duration: .milliseconds(100))
        }
        let file = try session.finish()
        try await ServeFixture.run { fixture in
            try file.write(to: URL(filePath: fixture.folder + "/images/m.gif"))
            let response = try await fixture.get("/br:100/rc:4/plain/local:///m.gif")
            let decoder = ImageDecoder(decoders: ImageDecoders.standard)
            try decoder.setData(Data(response.body), allDataReceived: true)
            #expect(decoder.frameCount == 2)
            for (index, gray) in [140, 180].enumerated() {
                let frame = try decoder.frame(at: index).image()
                #expect(Self.isNear(try frame.color(4, 4), [gray, gray, gray], by: 1) && !frame.isOpaque)
            }
            // A page of an animation is served alone in formats of stills.
            let second = try await image(fixture, "/pg:1/plain/local:///m.gif@png")
            #expect(try second.color(4, 4) == [80, 80, 80])
        }
    }

    @Test func `round corners show the background, and follow dpr`() async throws {
        try await run { fixture in
            let clear = try await image(fixture, "/rc:10/plain/local:///p.png")
            let middle = try clear.color(10, 10)
            #expect(!clear.isOpaque && middle == [200, 100, 50])
            let corner = { (image: Bitmap, place: Int) in
                image.places { $0 == [200, 100, 50] }.contains { $0 == (place, place) }
            }
            #expect(!corner(clear, 2) && corner(clear, 4))
            let small = try await image(fixture, "/round_corners:5/plain/local:///p.png")
            #expect(!corner(small, 0) && corner(small, 2))
            let dense = try await image(fixture, "/w:10/dpr:2/rc:5/plain/local:///p.png")
            #expect(dense.size == PixelSize(20) && !corner(dense, 2) && corner(dense, 4))
            #expect(try await image(fixture, "/rc:10/bg:00f/plain/local:///p.png").color(0, 0) == [0, 0, 255])
            let flat = try await image(fixture, "/rc:10/plain/local:///p.png@bmp")
            #expect(try flat.color(0, 0) == [255, 255, 255] && flat.isOpaque)
            // The padding lies outside of the corners.
            let padded = try await image(fixture, "/rc:10/pd:5/bg:0f0/plain/local:///p.png")
            #expect(try padded.color(0, 10) == [0, 255, 0] && padded.color(15, 15) == [200, 100, 50])
            // A format with alpha is chosen.
            let webp = try ServeFixture.image(PixelSize(width: 40, height: 20), .webp)
            try webp.write(to: URL(filePath: fixture.folder + "/images/w.webp"))
            #expect(try await fixture.get("/rc:3/plain/local:///w.webp")["Content-Type"] == "image/png")
            #expect(try await fixture.get("/rc:3/bg:fff/plain/local:///w.webp")["Content-Type"] == "image/jpeg")
        }
    }

    /// A TIFF file of gray pages (TIFF 6.0 section 2).
    private static func pages(_ pages: [(width: Int, height: Int, gray: UInt8, orientation: Int)]) -> Data {
        var file = Data("II*\0".utf8)
        func add(_ value: Int, bytes: Int) { file += (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        for (index, page) in pages.enumerated() {
            let count = page.width * page.height
            // The offset of the directory, behind the pixels.
            let start = file.count + 4
            add(start + count + count % 2, bytes: 4)
            file += Data(repeating: page.gray, count: count + count % 2)
            let entries = [
                (256, page.width), (257, page.height), (258, 8), (259, 1), (262, 1), (273, start),
                (274, page.orientation), (277, 1), (278, page.height), (279, count),
            ]
            add(entries.count, bytes: 2)
            for (tag, value) in entries {
                add(tag, bytes: 2)
                add([273, 279].contains(tag) ? 4 : 3, bytes: 2)
                add(1, bytes: 4)
                add(value, bytes: 4)
            }
            if index == pages.count - 1 { add(0, bytes: 4) }
        }
        return file
    }

    @Test func `a page has its own size and orientation, and one that is missing is 422`() async throws {
        let file = Self.pages([(12, 6, 50, 1), (10, 4, 100, 6), (5, 5, 150, 1)])
        let source = try ScriptedServer()
        source.respond(to: "/p.tiff", with: .body(file))
        try await ServeFixture.run({
            $0.allowedHosts = [AllowedHost("127.0.0.1:\(source.port)")].compactMap { $0 }
        }) { fixture in
            let remote = try await image(fixture, "/pg:1/plain/\(source.url("/p.tiff"))@png")
            #expect(try remote.size == PixelSize(width: 4, height: 10) && remote.color(1, 1) == [100, 100, 100])
            try file.write(to: URL(filePath: fixture.folder + "/images/p.tiff"))
            let sizes = [PixelSize(width: 12, height: 6), PixelSize(width: 4, height: 10), PixelSize(5)]
            for (page, size) in sizes.enumerated() {
                let result = try await image(fixture, "/page:\(page)/plain/local:///p.tiff@png")
                let gray = UInt8(50 * page + 50)
                #expect(try result.size == size && result.color(1, 1) == [gray, gray, gray], "\(page)")
            }
            let part = try await image(fixture, "/pg:1/c:2:5:nowe/w:1/br:100/plain/local:///p.tiff@png")
            #expect(try part.size == PixelSize(width: 1, height: 3) && part.color(0, 0) == [200, 200, 200])
            let missing = try await fixture.get("/pg:3/plain/local:///p.tiff@png")
            let message = String(decoding: missing.body, as: UTF8.self)
            #expect(missing.status == 422 && message.contains("has 3 frames"), "\(message)")
            #expect(try await fixture.get("/pg:1/plain/local:///a.jpg").status == 422)
        }
    }

    @Test func `each effect has results of its own`() throws {
        let source = SourceReference.http(url: "http://example.com/a/b.jpg", host: "example.com")
        let options = Self.tones.filter { !$0.option.hasPrefix("mc:0") }.map(\.option) + ["", "rc:3", "pg:1", "w:5"]
        var settings = ImgproxySettings()
        func key(_ options: String) throws -> String {
            let request = ImgproxyRequest(source: ImgproxyVectors.url, options: try ImgproxyVectors.options(options))
            return ImgproxyRendering(request: request, settings: settings, accept: "").job(source).key
        }
        let keys = try options.map(key)
        // Spellings with equal results: br:20 and a:20, contrast:2 and adjust::2, and what is gray or half gray.
        #expect(Set(keys).count == options.count - 6)
        #expect(try key("mc:0:ff8000") == key("") && key("br:20") == key("a:20"))
        let known = try key("f:webp")
        settings.effort.webp = 6
        #expect(try key("f:webp") != known)
    }

    @Test func `encoders get the configured effort, and keep their quality`() throws {
        let effort = EncodingEffort(webp: 6, avifSpeed: 3, jxl: 7)
        let webp = try #require(effort.encoder(for: .webp, quality: 0.5) as? WebPEncoder)
        #expect(webp.effort == 6 && webp.quality == 0.5 && !webp.isLossless)
        if let avif = effort.encoder(for: .avif, quality: 0.25) as? AVIFEncoder {
            #expect(avif.speed == 3 && avif.quality == 0.25)
        }
        if let jxl = effort.encoder(for: .jxl, quality: nil) as? JXLEncoder {
            #expect(jxl.effort == 7 && jxl.quality == JXLEncoder().quality)
        }
        #expect(effort.encoder(for: .png, quality: 0.5) is PNGEncoder)
        #expect(effort.encoder(for: .heic, quality: 0.5) == nil)
        var settings = ImgproxySettings()
        settings.effort = effort
        let request = ImgproxyRequest(source: ImgproxyVectors.url, options: ImgproxyOptions())
        let rendering = ImgproxyRendering(request: request, settings: settings, accept: "")
        let info = SourceInfo(format: .webp, size: PixelSize(9), hasAlpha: false, frameCount: 1)
        #expect(try rendering.plan(info).effort == effort)
    }
}
