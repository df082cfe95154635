import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@testable import FirnServe

@Suite("IIIF of the image server", .timeLimit(.minutes(3)))
struct ServeIIIFTests {
    @Test func `info.json has the size, tiles and its own address`() async throws {
        try await ServeFixture.run { fixture in
            let base = try await fixture.client.get("/iiif/sub%2Fb.png")
            #expect(base.status == 303 && base["Location"] == "http://test/iiif/sub%2Fb.png/info.json")
            let response = try await fixture.client.get("/iiif/sub%2Fb.png/info.json")
            #expect(response.status == 200 && response["Access-Control-Allow-Origin"] == "*")
            #expect(response["Content-Type"]?.hasPrefix("application/ld+json") == true)
            let text = String(decoding: response.body, as: UTF8.self)
            for part in [
                "\"http://test/iiif/sub%2Fb.png\"", "\"width\":1000", "\"height\":500", "\"level2\"", "\"tiles\"",
            ] {
                #expect(text.filter { $0 != " " && $0 != "\n" }.contains(part), "\(part)")
            }
        }
    }

    @Test func `info.json of 2.1 is plain JSON that links its context`() async throws {
        try await ServeFixture.run { fixture in
            let base = try await fixture.client.get("/iiif2/sub%2Fb.png")
            #expect(base.status == 303 && base["Location"] == "http://test/iiif2/sub%2Fb.png/info.json")
            let target = "/iiif2/sub%2Fb.png/info.json"
            let response = try await fixture.client.get(target)
            #expect(response.status == 200 && response["Content-Type"] == "application/json")
            #expect(response["Vary"] == "Accept, Accept-Encoding" && response["Access-Control-Allow-Origin"] == "*")
            let profile = "<http://iiif.io/api/image/2/level2.json>;rel=\"profile\""
            let context = "<http://iiif.io/api/image/2/context.json>;rel=\"http://www.w3.org/ns/json-ld#context\""
            #expect(response["Link"] == "\(profile), \(context);type=\"application/ld+json\"")
            let text = String(decoding: response.body, as: UTF8.self)
            #expect(text.contains("\"@id\":\"http://test/iiif2/sub%2Fb.png\""))
            let linked = try await fixture.client.get(target, headers: ["Accept": "application/ld+json"])
            #expect(linked["Content-Type"] == "application/ld+json" && linked["Link"] == profile)
            #expect(linked.body == response.body)
        }
    }

    @Test func `equal pixels are made once for both versions`() async throws {
        try await ServeFixture.run { fixture in
            var responses: [RawClient.Response] = []
            for path in [
                "iiif/a.jpg/full/500,250/0/default.jpg", "iiif2/a.jpg/full/500,/0/default.jpg",
                "iiif2/a.jpg/full/pct:50/360/color.jpg",
            ] {
                responses.append(try await fixture.client.get("/\(path)"))
            }
            #expect(responses.allSatisfy { $0.status == 200 && $0["ETag"] == responses[0]["ETag"] })
            #expect(fixture.server.service.statistics.made == 1)
            let links = responses.map { $0["Link"]?.split(separator: ", ").last.map(String.init) }
            let second = "<http://test/iiif2/a.jpg/full/500,/0/default.jpg>;rel=\"canonical\""
            #expect(links == ["<http://test/iiif/a.jpg/full/500,250/0/default.jpg>;rel=\"canonical\"", second, second])
            let profile = responses[1]["Link"]?.hasPrefix("<http://iiif.io/api/image/2/level2.json>;rel=\"profile\", ")
            #expect(profile == true)
        }
    }

    @Test(arguments: TileViewer.all)
    func `the requests of a viewer follow from info.json`(_ viewer: TileViewer) async throws {
        struct Information: Decodable {
            struct Tile: Decodable { let width: Int, scaleFactors: [Int] }
            let width: Int, height: Int, tiles: [Tile]
        }
        try await ServeFixture.run { fixture in
            let base = viewer.version.prefix + "a.jpg"
            // jQuery's field, with the origin of another site.
            let fields = [
                "Accept": "application/json, text/javascript, */*; q=0.01", "Origin": "https://viewer.example",
            ]
            let response = try await fixture.client.get("\(base)/info.json", headers: fields)
            #expect(response.status == 200 && response["Access-Control-Allow-Origin"] == "*")
            let information = try JSONDecoder().decode(Information.self, from: Data(response.body))
            let image = PixelSize(width: information.width, height: information.height)
            let tile = try #require(information.tiles.first)
            var sizes = ["full/200,/0/default.jpg": PixelSize(width: 200, height: 100)]
            for request in viewer.requests(image, side: tile.width, factors: tile.scaleFactors) {
                sizes[request.parameters] = request.size
            }
            #expect(sizes.count > 3)
            for (parameters, size) in sizes {
                let result = try await fixture.client.get("\(base)/\(parameters)")
                #expect(result.status == 200, "\(parameters)")
                #expect(try ServeFixture.describe(result.body).size == size, "\(parameters)")
            }
        }
    }

    @Test(arguments: [
        ("full/max/0/default.jpg", 1000, 500, ImageFormat.jpeg), ("square/100,/0/default.png", 100, 100, .png),
        ("10,20,300,200/150,/0/gray.png", 150, 100, .png), ("pct:50,0,50,100/,50/90/default.jpg", 50, 50, .jpeg),
        ("full/!200,200/!180/default.webp", 200, 100, .webp), ("full/pct:10/270/bitonal.png", 50, 100, .png),
        ("900,400,500,500/max/0/default.png", 100, 100, .png), ("full/^2000,/0/default.gif", 2000, 1000, .gif),
    ])
    func `regions, sizes, rotations and qualities`(
        _ parameters: String, _ width: Int, _ height: Int, _ format: ImageFormat
    ) async throws {
        try await ServeFixture.run { fixture in
            let response = try await fixture.client.get("/iiif/a.jpg/\(parameters)")
            #expect(response.status == 200)
            let found = try ServeFixture.describe(response.body)
            #expect(found.size == PixelSize(width: width, height: height) && found.format == format)
            #expect(response["Link"]?.contains("rel=\"canonical\"") == true && response["ETag"] != nil)
            // The size of 2.1 has no mark.
            let older = try await fixture.client.get("/iiif2/a.jpg/\(parameters.replacing("^", with: ""))")
            #expect(older.status == 200 && older.body == response.body)
        }
    }

    @Test(arguments: ["jpg", "png"])
    func `bitonal is black and white, also of a transparent image`(_ format: String) async throws {
        try await ServeFixture.run { fixture in
            let size = PixelSize(width: 32, height: 32)
            let bitmap = try Bitmap(size: size, format: .bgra8Premultiplied) { pixels in
                for y in 0..<size.height {
                    // Half transparent, black on the left and white on the right.
                    for byte in 0..<4 * size.width {
                        let value: UInt8 = byte >= 2 * size.width ? 128 : byte % 4 == 3 ? 192 : 0
                        pixels.row(y).storeBytes(of: value, toByteOffset: byte, as: UInt8.self)
                    }
                }
            }
            try #require(ImageEncoders.encoder(for: .png)).encode(bitmap)
                .write(to: URL(filePath: fixture.folder + "/images/half.png"))
            let response = try await fixture.client.get("/iiif/half.png/full/max/0/bitonal.\(format)")
            let result = try ServeFixture.bitmap(response.body)
            #expect(result.pixels { pixel in pixel[3] == 255 && pixel[..<3].allSatisfy { $0 < 8 || $0 > 247 } })
        }
    }

    @Test func `parts of images above the limit of results are served, and other languages refuse them`() async throws {
        try await ServeFixture.run {
            $0.limits.maximumPixels = 400_000
            $0.imgproxy.limits.sourceMegapixels = 0.4
            $0.iiif.sources.maximumPixels = 500_000
        } _: { fixture in
            let part = try await fixture.client.get("/iiif/a.jpg/600,0,100,100/max/0/default.png")
            #expect(part.status == 200)
            #expect(try ServeFixture.describe(part.body).size == PixelSize(width: 100, height: 100))
            #expect(try await fixture.get("/rs:fit:50:50/plain/local:///a.jpg").status == 422)
            let larger = try ServeFixture.image(PixelSize(width: 1000, height: 501), .png)
            try larger.write(to: URL(filePath: "\(fixture.folder)/images/c.png"))
            #expect(try await fixture.client.get("/iiif/c.png/0,0,10,10/max/0/default.png").status == 422)
        }
    }

    @Test func `the second part of a large image begins its tiles, which serve later parts`() async throws {
        try await ServeFixture.run {
            $0.cacheDirectory = $0.localRoot.map { "\($0)/../cache" }
            $0.iiif.tiledPixels = 100_000
        } _: { fixture in
            func tileFiles() -> [String] {
                (try? FileManager.default.subpathsOfDirectory(atPath: "\(fixture.folder)/cache/tiles")) ?? []
            }
            for x in 0..<2 {
                let part = try await fixture.client.get("/iiif/sub%2Fb.png/\(x * 100),0,100,100/max/0/default.png")
                #expect(part.status == 200)
            }
            // Sleeps: the build has no end that a client sees.
            for _ in 0..<500 where tileFiles().count < 2 { try await Task.sleep(for: .milliseconds(20)) }
            #expect(tileFiles().count >= 2, "\(tileFiles())")
            let part = try await fixture.client.get("/iiif/sub%2Fb.png/450,0,100,100/max/0/default.png")
            let decoder = ImageDecoder(decoders: ImageDecoders.standard)
            try decoder.append(Data(part.body))
            decoder.finish()
            let image = try decoder.frame(at: 0).image()
            let row = image.withUnsafeBytes { bytes in (0..<100).map { bytes[$0 * image.format.bytesPerPixel] } }
            #expect(row == Array(repeating: 255, count: 50) + Array(repeating: 0, count: 50))
        }
    }

    @Test func `a bitonal result has black and white pixels only`() async throws {
        try await ServeFixture.run { fixture in
            let response = try await fixture.client.get("/iiif/a.jpg/full/90,/0/bitonal.png")
            let decoder = ImageDecoder(decoders: ImageDecoders.standard)
            try decoder.append(Data(response.body))
            decoder.finish()
            let image = try decoder.frame(at: 0).image()
            let rowBytes = image.size.width * image.format.bytesPerPixel
            let levels = image.withUnsafeBytes { bytes in
                (0..<image.size.height).reduce(into: Set<UInt8>()) { levels, y in
                    levels.formUnion(bytes[y * image.bytesPerRow..<y * image.bytesPerRow + rowBytes])
                }
            }
            #expect(levels.isSubset(of: [0, 255]) && levels.count == 2)
        }
    }

    @Test(arguments: [
        ("a.jpg/full/max/0/default.jp2", 400), ("a.jpg/full/2000,/0/default.jpg", 400),
        ("a.jpg/5000,0,1,1/max/0/default.jpg", 400),
        ("a.jpg/full/max/45/default.jpg", 400), ("no.jpg/info.json", 404), ("..%2Fsecret/info.json", 404),
        ("sub/b.png/info.json", 404), ("a.jpg/full/max/0/fancy.jpg", 400), ("a.jpg/full/0,/0/default.jpg", 400),
        ("a.jpg/full/full/0/default.jpg", 400), ("2/a.jpg/full/full/0/default.jpg", 404),
    ])
    func `an invalid request or a missing image is refused`(_ path: String, _ status: Int) async throws {
        try await ServeFixture.run { fixture in
            let response = try await fixture.client.get("/iiif/\(path)")
            #expect(response.status == status)
            #expect(response["Access-Control-Allow-Origin"] == "*")
        }
    }

    @Test func `the viewer's page has no inline code, and its parts are there`() async throws {
        try await ServeFixture.run { fixture in
            let page = try await fixture.client.get("/view/a.jpg")
            #expect(page["Content-Security-Policy"] == ViewerPage.policy)
            #expect(page["X-Content-Type-Options"] == "nosniff" && page["Referrer-Policy"] == "no-referrer")
            #expect(page.status == 200 && page["Content-Type"]?.hasPrefix("text/html") == true)
            #expect(page["Content-Security-Policy"]?.contains("unsafe-inline") == false)
            for part in ["viewer.js", "viewer.css"] {
                #expect(try await fixture.client.get("/view-assets/\(part)").status == 200)
            }
        }
    }
}
