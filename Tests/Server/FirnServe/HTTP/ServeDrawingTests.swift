import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@testable import FirnServe

@Suite("drawings of the image server", .timeLimit(.minutes(3)))
struct ServeDrawingTests {
    private static func svg(_ attributes: String, _ content: String = "") -> Data {
        Data("<svg xmlns='http://www.w3.org/2000/svg' \(attributes)>\(content)</svg>".utf8)
    }

    private func run(
        _ drawing: Data, name: String = "d.svg", _ body: (ServeFixture) async throws -> Void
    ) async throws {
        try await ServeFixture.run({ $0.iiif.side = 4_000 }) { fixture in
            try drawing.write(to: URL(filePath: "\(fixture.folder)/images/\(name)"))
            try await body(fixture)
        }
    }

    private func size(_ response: RawClient.Response) throws -> PixelSize? {
        #expect(response.status == 200, "\(String(decoding: response.body, as: UTF8.self))")
        return try ServeFixture.describe(response.body).size
    }

    @Test(arguments: [
        ("width='1.2' height='0.5'", 300, 300, 125), ("width='2.53' height='0.8'", 300, 300, 95),
        ("width='48' viewBox='0 0 24 18'", 96, 96, 72), ("width='100000' height='10'", 60, 60, 1),
        ("width='10mm' height='1in'", 100, 100, 254),
    ])
    func `sizes follow from the exact ratio`(attributes: String, width: Int, columns: Int, rows: Int) async throws {
        try await run(Self.svg(attributes)) { fixture in
            let wanted = PixelSize(width: columns, height: rows)
            #expect(try await size(fixture.get("/w:\(width)/f:png/plain/local:///d.svg")) == wanted)
            #expect(try await size(fixture.client.get("/iiif/d.svg/full/^\(width),/0/default.png")) == wanted)
            let turned = try await size(fixture.get("/h:\(width)/rot:90/f:png/plain/local:///d.svg"))
            #expect(turned == wanted.transposed)
        }
    }

    @Test func `in IIIF 3.0 a drawing is enlarged with ^ alone, and rendered then`() async throws {
        let disc = "<circle cx='12' cy='12' r='10'/>"
        try await run(Self.svg("width='24' height='24' viewBox='0 0 24 24'", disc)) { fixture in
            #expect(try await fixture.client.get("/iiif/d.svg/full/240,/0/default.png").status == 400)
            #expect(try await fixture.client.get("/iiif/d.svg/full/max/0/default.png").status == 200)
            let large = Self.svg("width='240' height='240' viewBox='0 0 24 24'", disc)
            try large.write(to: URL(filePath: fixture.folder + "/images/large.svg"))
            let wanted = try await fixture.client.get("/iiif/large.svg/full/max/0/default.png")
            for path in [
                "iiif/d.svg/full/^240,/0/default.png", "iiif/d.svg/full/^!240,300/0/default.png",
                "iiif/d.svg/full/^pct:1000/0/default.png", "iiif2/d.svg/full/240,/0/default.png",
            ] {
                let response = try await fixture.client.get("/\(path)")
                #expect(response.status == 200 && response.body == wanted.body, "\(path)")
            }
            let part = try await fixture.client.get("/iiif/d.svg/0,0,12,12/^120,/0/default.png")
            #expect(try size(part) == PixelSize(width: 120, height: 120))
        }
    }

    @Test func `a trimmed drawing is rendered for its result`() async throws {
        let rect = "<rect x='6' y='6' width='12' height='12' fill='red'/>"
        try await run(Self.svg("width='24' height='24'", rect)) { fixture in
            let response = try await fixture.get("/t:10/w:240/f:png/plain/local:///d.svg")
            #expect(try size(response) == PixelSize(width: 240, height: 240))
            #expect(try await size(fixture.get("/t:10/f:png/plain/local:///d.svg")) == PixelSize(width: 12, height: 12))
        }
    }

    @Test func `a watermark that is a drawing is rendered for its share of the result`() async throws {
        let file = FileManager.default.temporaryDirectory.path + "/firn-mark-\(UUID().uuidString).svg"
        defer { try? FileManager.default.removeItem(atPath: file) }
        try Self.svg("width='2.5' height='1'", "<rect width='1.25' height='1' fill='red'/>")
            .write(to: URL(filePath: file))
        let mark = try Watermark(file: file, limits: ImageLimits())
        try await ServeFixture.run({ $0.imgproxy.watermark = mark }) { fixture in
            let ground = Self.svg("width='200' height='80'", "<rect width='200' height='80' fill='white'/>")
            try ground.write(to: URL(filePath: fixture.folder + "/images/d.svg"))
            let response = try await fixture.get("/wm:1:nowe:0:0:1/plain/local:///d.svg@png")
            let decoder = ImageDecoder(decoders: ImageDecoders.standard)
            try decoder.setData(Data(response.body), allDataReceived: true)
            let image = try decoder.frame(at: 0).image()
            #expect(image.size == PixelSize(width: 200, height: 80))
            let isSharp = image.withUnsafeBytes { bytes in
                (0..<80).allSatisfy { y in
                    (0..<200).allSatisfy { x in
                        let place = y * image.bytesPerRow + 4 * x
                        return Array(bytes[place..<place + 3]) == (x < 100 ? [0, 0, 255] : [255, 255, 255])
                    }
                }
            }
            #expect(isSharp)
        }
    }

    @Test func `long prologs and UTF-16 are recognized`() async throws {
        let drawing = String(decoding: Self.svg("width='40' height='30'"), as: UTF8.self)
        let long = Data("<!--\(String(repeating: "x", count: 6_000))-->\(drawing)".utf8)
        let wide = Data("\u{FEFF}\(drawing)".utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })
        for file in [long, wide] {
            try await run(file) { fixture in
                let wanted = PixelSize(width: 60, height: 45)
                #expect(try await size(fixture.get("/w:60/plain/local:///d.svg")) == wanted)
                let info = try await fixture.client.get("/iiif/d.svg/info.json")
                #expect(info.status == 200)
            }
        }
    }
}
