import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@testable import FirnServe

/// Trim, pixelate, watermark, and the formats without compression of their own.
@Suite("Effects of imgproxy's language", .timeLimit(.minutes(3)))
struct ServeEffectTests {
    /// A gray frame of 40 pixels left, 20 right, 10 above and 30 below around a red and a blue half.
    private static func framed() throws -> Data {
        let size = PixelSize(width: 260, height: 140)
        let bitmap = try Bitmap(size: size, format: .rgb8) { pixels in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let isInside = (40..<240).contains(x) && (10..<110).contains(y)
                    let color: [UInt8] = !isInside ? [90, 90, 90] : x < 140 ? [250, 0, 0] : [0, 0, 250]
                    for channel in 0..<3 {
                        pixels.row(y).storeBytes(of: color[channel], toByteOffset: 3 * x + channel, as: UInt8.self)
                    }
                }
            }
        }
        return try PNGEncoder().encode(bitmap)
    }

    private func run(
        _ change: (inout ServeSettings) -> Void = { _ in }, _ body: (ServeFixture) async throws -> Void
    ) async throws {
        try await ServeFixture.run(change) { fixture in
            try Self.framed().write(to: URL(filePath: fixture.folder + "/images/f.png"))
            try await body(fixture)
        }
    }

    private func image(_ fixture: ServeFixture, _ path: String) async throws -> Bitmap {
        let response = try await fixture.get(path)
        try #require(response.status == 200, "\(path): \(String(decoding: response.body, as: UTF8.self))")
        return try ServeFixture.bitmap(response.body)
    }

    @Test(arguments: [
        ("/t:10", 200, 100), ("/t:10::1", 220, 100), ("/t:10::1:1", 220, 120), ("/t:10/w:100", 100, 50),
        ("/t:10:5a5a5a/rs:fill:50:50", 50, 50), ("/t:10:ffffff", 260, 140), ("/t:300", 260, 140), ("/t:", 260, 140),
        ("/t:10/c:0.5:0:we", 100, 100), ("/t:10/rot:90", 100, 200), ("/t:10/pd:5", 210, 110),
    ])
    func `trim comes before all geometry`(_ options: String, _ width: Int, _ height: Int) async throws {
        try await run { fixture in
            let result = try await image(fixture, options + "/plain/local:///f.png@png")
            #expect(result.size == PixelSize(width: width, height: height))
        }
    }

    /// A white disc with soft edges on transparent black.
    private static func disc() throws -> Data {
        let size = PixelSize(width: 120, height: 120)
        let bitmap = try Bitmap(size: size, format: .bgra8Premultiplied) { pixels in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let (dx, dy) = (Double(x) - 59.5, Double(y) - 59.5)
                    let alpha = UInt8(min(1, max(0, 50 - (dx * dx + dy * dy).squareRoot())) * 255)
                    for channel in 0..<4 {
                        pixels.row(y).storeBytes(of: alpha, toByteOffset: 4 * x + channel, as: UInt8.self)
                    }
                }
            }
        }
        return try PNGEncoder().encode(bitmap)
    }

    @Test(arguments: ["sh:1", "sh:5", "bl:1", "bl:5"])
    func `a white disc stays white when it is sharpened or blurred`(_ option: String) async throws {
        try await ServeFixture.run { fixture in
            try Self.disc().write(to: URL(filePath: fixture.folder + "/images/d.png"))
            let result = try await image(fixture, "/w:60/\(option)/f:png/plain/local:///d.png")
            // Premultiplied white is as bright as its alpha.
            let isWhite = result.pixels { pixel in pixel.allSatisfy { $0 == pixel[3] } }
            #expect(isWhite && !result.isOpaque)
        }
    }

    @Test func `a crop after a trim counts from the trimmed image`() async throws {
        try await run { fixture in
            let left = try await image(fixture, "/t:10/c:0.5:0:we/plain/local:///f.png@png")
            #expect(try left.color(50, 50) == [250, 0, 0] && left.color(99, 0) == [250, 0, 0])
            let right = try await image(fixture, "/t:10/c:0.5:0:ea/rs:force:10:10/plain/local:///f.png@png")
            #expect(try right.color(5, 5) == [0, 0, 250])
            // Equal results of different options are apart.
            let other = try await image(fixture, "/t:10:ffffff/c:0.5:0:we/plain/local:///f.png@png")
            #expect(other.size == PixelSize(width: 130, height: 140))
        }
    }

    private func expectStatus(
        _ status: Int, _ fixture: ServeFixture, _ path: String, _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let response = try await fixture.get(path)
        #expect(response.status == status, sourceLocation: location)
    }

    @Test func `a result of trim that is too large is 422`() async throws {
        try await run({ $0.imgproxy.limits.resultPixels = 30_000 }) { fixture in
            try await expectStatus(422, fixture, "/t:10/el:1/rs:force:200:200/plain/local:///f.png")
            try await expectStatus(200, fixture, "/t:10/rs:force:20:20/plain/local:///f.png")
        }
    }

    @Test func `pixelate makes squares after the resize`() async throws {
        try await run { fixture in
            let result = try await image(fixture, "/t:10/w:100/pix:30/plain/local:///f.png@png")
            #expect(result.size == PixelSize(width: 100, height: 50))
            // The second square spans the edge of red and blue: 20 red columns of 30.
            let mixed = try result.color(31, 5)
            #expect(try mixed == result.color(59, 29) && mixed[0] > 150 && mixed[2] > 70)
            #expect(try result.color(29, 5) == [250, 0, 0] && result.color(61, 5) == [0, 0, 250])
        }
    }

    /// A server with a watermark of 20 × 10 green pixels.
    private func marked(_ body: (ServeFixture) async throws -> Void) async throws {
        let file = FileManager.default.temporaryDirectory.path + "/firn-mark-\(UUID().uuidString).png"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let mark = try Bitmap(size: PixelSize(width: 20, height: 10), format: .rgb8) { pixels in
            for y in 0..<10 {
                for x in 0..<20 { pixels.row(y).storeBytes(of: 255, toByteOffset: 3 * x + 1, as: UInt8.self) }
            }
        }
        try PNGEncoder().encode(mark).write(to: URL(filePath: file))
        let watermark = try Watermark(file: file, limits: ImageLimits())
        try await run({ $0.imgproxy.watermark = watermark }, body)
    }

    @Test(arguments: [
        // The result is 100 × 50; the corners of what is green.
        ("1", 40...59, 20...29), ("1:nowe", 0...19, 0...9), ("1:soea", 80...99, 40...49),
        ("1:soea:7:3", 73...92, 37...46), ("1:nowe:0.1:0.2", 10...29, 10...19), ("1:nowe:-5:-4", 0...14, 0...5),
        ("1:ea:-15", 95...99, 20...29), ("1:no:0:4:0.5", 26...75, 4...28), ("1:nowe:0:0:0.1", 0...9, 0...4),
    ])
    func `the watermark lies where its option says`(
        _ option: String, _ columns: ClosedRange<Int>, _ rows: ClosedRange<Int>
    ) async throws {
        try await marked { fixture in
            let result = try await image(fixture, "/t:10/w:100/wm:\(option)/plain/local:///f.png@png")
            let green = result.places { $0 == [0, 255, 0] }
            #expect(green.map(\.x).min() == columns.lowerBound && green.map(\.x).max() == columns.upperBound)
            #expect(green.map(\.y).min() == rows.lowerBound && green.map(\.y).max() == rows.upperBound)
            #expect(green.count == columns.count * rows.count)
        }
    }

    @Test func `a watermark repeats with gaps, scales with dpr, and mixes by its opacity`() async throws {
        try await marked { fixture in
            let tiles = try await image(fixture, "/t:10/w:100/wm:1:re:5:2/plain/local:///f.png@png")
            // Columns repeat every 25 pixels, rows every 12; a tile is in the middle.
            for (x, y) in [(50, 25), (25, 25), (75, 13), (0, 37), (99, 1)] {
                #expect(try tiles.color(x, y) == [0, 255, 0], "\(x):\(y)")
            }
            #expect(try tiles.color(62, 25) != [0, 255, 0] && tiles.color(50, 31) != [0, 255, 0])
            let dense = try await image(fixture, "/t:10/w:50/dpr:2/wm:1:re:5:2/plain/local:///f.png@png")
            #expect(dense.places { $0 == [0, 255, 0] }.count < tiles.places { $0 == [0, 255, 0] }.count)
            let faint = try await image(fixture, "/t:10/w:100/wm:0.5:nowe/plain/local:///f.png@png")
            #expect(try faint.color(5, 5) == [125, 128, 0] || faint.color(5, 5) == [125, 127, 0])
        }
    }

    @Test func `a watermark without an image has no effect, and a file that is not an image is refused`() async throws {
        try await run { fixture in
            let marked = try await fixture.get("/wm:1/plain/local:///f.png")
            #expect(marked.status == 200)
            #expect(try await fixture.get("/wm:0/plain/local:///f.png").body == marked.body)
        }
        for file in ["/nonexistent/mark.png", "/etc/hostname"] {
            let error = #expect(throws: ConfigurationError.self) {
                try Watermark(file: file, limits: ImageLimits())
            }
            #expect(error?.description.hasPrefix(file) == true)
        }
    }

    @Test(arguments: [
        ("tiff", ImageFormat.tiff, 260, 140, "image/tiff"), ("bmp", .bmp, 260, 140, "image/bmp"),
        ("ico", .ico, 256, 138, "image/x-icon"),
    ])
    func `TIFF, BMP and icons are written`(
        _ name: String, _ format: ImageFormat, _ width: Int, _ height: Int, _ type: String
    ) async throws {
        try await run { fixture in
            let response = try await fixture.get("/plain/local:///f.png@\(name)")
            #expect(response.status == 200 && response["Content-Type"] == type)
            #expect(response["Content-Disposition"] == "inline; filename=\"f.\(name)\"")
            let found = try ServeFixture.describe(response.body)
            #expect(found.format == format && found.size == PixelSize(width: width, height: height))
            #expect(try ServeFixture.bitmap(response.body).color(0, 0) == [90, 90, 90])
            try await expectStatus(422, fixture, "/plain/local:///f.png@heic")
        }
    }

    @Test func `a format without alpha gets a white background, TIFF keeps alpha`() async throws {
        try await run { fixture in
            let clear = try Bitmap(size: PixelSize(width: 8, height: 8), format: .rgba8Straight) { _ in }
            try PNGEncoder().encode(clear).write(to: URL(filePath: fixture.folder + "/images/c.png"))
            #expect(try await image(fixture, "/plain/local:///c.png@bmp").color(4, 4) == [255, 255, 255])
            let response = try await fixture.get("/plain/local:///c.png@tiff")
            #expect(try !ServeFixture.bitmap(response.body).isOpaque)
        }
    }
}

extension ServeFixture {
    /// Decodes an encoded image.
    static func bitmap(_ bytes: [UInt8]) throws -> Bitmap {
        let decoder = ImageDecoder(decoders: ImageDecoders.standard)
        try decoder.setData(Data(bytes), allDataReceived: true)
        return try decoder.frame(at: 0).image()
    }
}

extension Bitmap {
    /// Red, green and blue of a pixel.
    func color(_ x: Int, _ y: Int) throws -> [UInt8] {
        try #require(x < size.width && y < size.height)
        let image = try converted(to: .rgba8Straight)
        return image.withUnsafeBytes { bytes in (0..<3).map { bytes[y * image.bytesPerRow + 4 * x + $0] } }
    }

    /// Returns whether all pixels pass, each as blue, green and red, premultiplied, and alpha.
    func pixels(_ passes: ([UInt8]) -> Bool) -> Bool {
        guard let image = try? converted(to: .bgra8Premultiplied) else { return false }
        return image.withUnsafeBytes { bytes in
            (0..<size.height).allSatisfy { y in
                (0..<size.width).allSatisfy { x in
                    passes((0..<4).map { bytes[y * image.bytesPerRow + 4 * x + $0] })
                }
            }
        }
    }

    /// The places whose color passes.
    func places(_ passes: ([UInt8]) -> Bool) -> [(x: Int, y: Int)] {
        guard let image = try? converted(to: .rgba8Straight) else { return [] }
        return image.withUnsafeBytes { bytes in
            var places: [(x: Int, y: Int)] = []
            for y in 0..<size.height {
                for x in 0..<size.width {
                    if passes((0..<3).map { bytes[y * image.bytesPerRow + 4 * x + $0] }) { places.append((x, y)) }
                }
            }
            return places
        }
    }
}
