import FirnImage
@testable import FirnServe
import Testing

@Suite struct IIIFGeometryTests {
    @Test(
        arguments: [
            ("full", [0, 0, 1000, 500], "full"), ("square", [250, 0, 500, 500], "250,0,500,500"),
            ("0,0,1000,500", [0, 0, 1000, 500], "full"), ("0,0,2000,2147483647", [0, 0, 1000, 500], "full"),
            ("10,20,30,40", [10, 20, 30, 40], "10,20,30,40"), ("990,490,100,100", [990, 490, 10, 10], "990,490,10,10"),
            ("999,499,1,1", [999, 499, 1, 1], "999,499,1,1"), ("0010,0,01,1", [10, 0, 1, 1], "10,0,1,1"),
            ("pct:0,0,100,100", [0, 0, 1000, 500], "full"),
            ("pct:10,20,30,40", [100, 100, 300, 200], "100,100,300,200"),
            ("pct:0,0,200,1000000", [0, 0, 1000, 500], "full"), ("pct:50,50,50.5,50", [500, 250, 500, 250], nil),
            ("pct:.1,0,0.1,100", [1, 0, 1, 500], "1,0,1,500"),
            ("pct:33.333333333333336,0,33.3,1", [333, 0, 333, 5], nil),
            ("pct:99.99,99.99,0.01,0.01", [999, 499, 1, 1], nil), ("pct:0,0,0.000001,0.0001", [0, 0, 1, 1], nil),
            ("pct:0,0,0.05,1", [0, 0, 1, 5], nil), ("pct:99.999999,0,1,1", [999, 0, 1, 5], nil),
        ] as [(String, [Int], String?)])
    func `regions are cut at the edges`(region: String, expected: [Int], canonical: String?) throws {
        let plan = try IIIFCase.plan("\(region)/max/0/default.jpg")
        #expect([plan.region.x, plan.region.y, plan.region.size.width, plan.region.size.height] == expected)
        let text = canonical ?? expected.map { String($0) }.joined(separator: ",")
        #expect(plan.canonical == "\(text)/max/0/default.jpg")
    }

    @Test(
        arguments: [
            "0,0,0,1", "0,0,1,0", "1000,0,1,1", "0,500,1,1", "2147483647,2147483647,2147483647,2147483647",
            "pct:0,0,0,1", "pct:0,0,1,0.0000009", "pct:100,0,1,1", "pct:0,100,1,1", "pct:1000000,0,1,1",
        ])
    func `empty regions and those outside are invalid`(region: String) {
        let error = IIIFCase.failure("\(region)/max/0/default.jpg")
        #expect(error?.status == 400)
        #expect(error?.message.hasPrefix("region '\(region)'") == true)
    }

    @Test func `the square of a tall image is centered`() throws {
        let region = try IIIFCase.plan("square/max/0/default.jpg", 301, 1000).region
        #expect([region.x, region.y, region.size.width, region.size.height] == [0, 349, 301, 301])
        #expect(try IIIFCase.plan("square/max/0/default.jpg", 7, 7).canonical == "full/max/0/default.jpg")
    }

    @Test func `percent regions with a common edge meet`() throws {
        for side in [7, 99, 100, 1001, 7777] {
            var next = 0
            for index in 0..<16 {
                let plan = try IIIFCase.plan("pct:\(Double(index) * 6.25),0,6.25,100/max/0/default.jpg", side, 10)
                if side >= 16 { #expect(plan.region.x == next) }
                next = plan.region.x + plan.region.size.width
            }
            #expect(next == side)
        }
    }

    @Test(
        arguments: [
            ("max", 1000, 500, "max"), ("1000,500", 1000, 500, "max"), ("1000,", 1000, 500, "max"),
            (",500", 1000, 500, "max"), ("pct:100", 1000, 500, "max"), ("pct:100.0000009", 1000, 500, "max"),
            ("500,", 500, 250, "500,250"), ("333,", 333, 167, "333,167"), ("1,", 1, 1, "1,1"), (",1", 2, 1, "2,1"),
            (",333", 666, 333, "666,333"), ("pct:50", 500, 250, "500,250"), ("pct:0.1", 1, 1, "1,1"),
            ("pct:.05", 1, 1, "1,1"), ("pct:12.35", 124, 62, "124,62"), ("300,300", 300, 300, "300,300"),
            ("1000,1", 1000, 1, "1000,1"), ("!300,300", 300, 150, "300,150"), ("!2000,250", 500, 250, "500,250"),
            ("!1000,3000", 1000, 500, "max"), ("!100,1", 2, 1, "2,1"), ("!1,500", 1, 1, "1,1"),
            ("!999,499", 998, 499, "998,499"), ("007,", 7, 4, "7,4"),
        ] as [(String, Int, Int, String)])
    func `sizes follow the region`(size: String, width: Int, height: Int, canonical: String) throws {
        let plan = try IIIFCase.plan("full/\(size)/0/default.jpg")
        #expect([plan.size.width, plan.size.height] == [width, height])
        #expect(plan.canonical == "full/\(canonical)/0/default.jpg")
        // A region of the same size gives the same result.
        #expect(try IIIFCase.plan("50,50,1000,500/\(size)/0/default.jpg", 2000, 2000).size == plan.size)
    }

    @Test(
        arguments: [
            "1001,", ",501", "1001,500", "1000,501", "1001,1", "pct:100.000001", "pct:200", "!1001,501", "!2000,3000",
            "2147483647,2147483647", "pct:0.01", "pct:0.000001",
        ])
    func `sizes beyond the region are invalid`(size: String) {
        let error = IIIFCase.failure("full/\(size)/0/default.jpg")
        #expect(error?.status == 400)
        #expect(error?.message.hasPrefix("size '\(size)'") == true)
    }

    @Test(
        arguments: [
            ("^max", 1000, 500, "max"), ("^4000,", 4000, 2000, "^4000,2000"), ("^2000,", 2000, 1000, "^2000,1000"),
            ("^,1500", 3000, 1500, "^3000,1500"), ("^pct:200", 2000, 1000, "^2000,1000"),
            ("^pct:50", 500, 250, "500,250"), ("^1500,100", 1500, 100, "^1500,100"), ("^1000,500", 1000, 500, "max"),
            ("^!2000,3000", 2000, 1000, "^2000,1000"), ("^!500,500", 500, 250, "500,250"),
            ("^!9000,9000", 4000, 2000, "^4000,2000"), ("max", 1000, 500, "max"),
            ("^4000,4000", 4000, 4000, "^4000,4000"),
        ] as [(String, Int, Int, String)])
    func `enlarged sizes stay within the limits`(size: String, width: Int, height: Int, canonical: String) throws {
        let plan = try IIIFCase.plan("full/\(size)/0/default.jpg", 1000, 500, IIIFCase.limited(side: 4000))
        #expect([plan.size.width, plan.size.height] == [width, height])
        #expect(plan.canonical == "full/\(canonical)/0/default.jpg")
    }

    @Test(
        arguments: ["^4001,", "^,2001", "^pct:401", "^4001,1", "^1,4001", "^2147483647,", "^pct:1000000"])
    func `enlarged sizes beyond the limits are invalid`(size: String) {
        #expect(
            IIIFCase.failure("full/\(size)/0/default.jpg", 1000, 500, IIIFCase.limited(side: 4000))?.status == 400
        )
        let area = IIIFCase.limited(area: 1000)
        #expect(IIIFCase.failure("full/\(size)/0/default.jpg", 2_147_483_647, 2_147_483_647, area)?.status == 400)
    }

    @Test(
        arguments: [
            ("full", 1000, 500, "full"), ("max", 1000, 500, "full"), ("1000,", 1000, 500, "full"),
            (",500", 1000, 500, "full"), ("pct:100", 1000, 500, "full"), ("1000,500", 1000, 500, "full"),
            ("500,", 500, 250, "500,"), (",250", 500, 250, "500,"), ("pct:50", 500, 250, "500,"),
            ("500,250", 500, 250, "500,"), ("!500,500", 500, 250, "500,"), ("333,", 333, 167, "333,"),
            ("333,166", 333, 166, "333,166"), ("1,", 1, 1, "1,"), (",1", 2, 1, "2,"), ("!999,499", 998, 499, "998,"),
            ("300,300", 300, 300, "300,300"), ("1000,1", 1000, 1, "1000,1"), ("2000,", 2000, 1000, "2000,"),
            (",1500", 3000, 1500, "3000,"), ("pct:200", 2000, 1000, "2000,"), ("1500,100", 1500, 100, "1500,100"),
            ("2000,1000", 2000, 1000, "2000,"), ("!2000,3000", 2000, 1000, "2000,"),
            ("!9000,9000", 4000, 2000, "4000,"), ("4000,4000", 4000, 4000, "4000,4000"),
        ] as [(String, Int, Int, String)])
    func `version 2.1 enlarges, and its canonical size is full or a width where the ratio allows it`(
        size: String, width: Int, height: Int, canonical: String
    ) throws {
        let settings = IIIFCase.limited(side: 4000)
        let plan = try IIIFCase.plan("full/\(size)/0/color.jpg", 1000, 500, settings, version: .two)
        #expect(plan.size == PixelSize(width: width, height: height))
        #expect(plan.canonical == "full/\(canonical)/0/default.jpg")
        #expect(plan.canonicalPath == "/" + plan.canonical)
        #expect(try IIIFCase.plan(plan.canonical, 1000, 500, settings, version: .two) == plan)
        // The results of both versions are one.
        #expect(try IIIFCase.plan("full/^\(width),\(height)/0/default.jpg", 1000, 500, settings).key == plan.key)
    }

    @Test func `keys name pixels, so that no limit changes the result of a key`() throws {
        let plan = try IIIFCase.plan("square/max/!90/gray.png")
        #expect(plan.key == "iiif/250,0,500,500/500,500/!90/gray.png")
        #expect(try IIIFCase.plan("full/max/0/color.jpg").key == "iiif/0,0,1000,500/1000,500/0/default.jpg")
        let limited = try IIIFCase.plan("full/max/0/color.jpg", 1000, 500, IIIFCase.limited(side: 200))
        #expect(limited.key == "iiif/0,0,1000,500/200,100/0/default.jpg")
    }

    @Test(
        arguments: [
            ("max", 200, 100), ("!500,500", 200, 100), ("200,", 200, 100), ("200,200", 200, 200), ("full", nil, nil),
            ("201,", nil, nil), (",201", nil, nil), ("pct:21", nil, nil), ("pct:1000000", nil, nil),
            ("2147483647,2147483647", nil, nil),
        ] as [(String, Int?, Int?)])
    func `sizes beyond the limits do not exist in version 2.1`(size: String, width: Int?, height: Int?) throws {
        let settings = IIIFCase.limited(side: 200)
        guard let width, let height else {
            let error = IIIFCase.failure("full/\(size)/0/default.jpg", 1000, 500, settings, version: .two)
            #expect(error?.status == 404 && error?.message.hasPrefix("size '\(size)'") == true)
            return
        }
        let plan = try IIIFCase.plan("full/\(size)/0/default.jpg", 1000, 500, settings, version: .two)
        #expect(plan.size == PixelSize(width: width, height: height))
    }

    @Test(arguments: [
        "1000,0,1,1/full/0/default.jpg", "full/full/45/default.jpg", "full/full/0/native.jpg",
        "full/full/0/default.jp2", "full/pct:0.01/0/default.jpg",
    ])
    func `other requests that version 2.1 does not serve are invalid`(parameters: String) {
        #expect(IIIFCase.failure(parameters, version: .two)?.status == 400)
    }

    @Test(
        arguments: [
            ("max", 200, 100), ("!500,500", 200, 100), ("150,", 150, 75), ("!150,20", 40, 20), ("200,200", 200, 200),
        ] as [(String, Int, Int)])
    func `largest sizes are reduced to the limits`(size: String, width: Int, height: Int) throws {
        let plan = try IIIFCase.plan("full/\(size)/0/default.jpg", 1000, 500, IIIFCase.limited(side: 200))
        #expect([plan.size.width, plan.size.height] == [width, height])
    }

    @Test(arguments: ["201,", ",201", "pct:21", "201,1", "1,201"])
    func `explicit sizes beyond the limits are invalid`(size: String) {
        #expect(
            IIIFCase.failure("full/\(size)/0/default.jpg", 1000, 500, IIIFCase.limited(side: 200))?.status == 400)
    }

    @Test(
        arguments: [
            (1000, 500, 20_000, 200, 100), (1000, 500, 19_999, 199, 99), (1000, 500, 1, 1, 1), (10_000, 1, 50, 50, 1),
            (1, 10_000, 50, 1, 50), (3, 3, 8, 2, 2), (1000, 500, 500_000, 1000, 500),
            (2_147_483_647, 2_147_483_647, 100, 10, 10),
        ] as [(Int, Int, Int, Int, Int)])
    func `the area limit holds`(width: Int, height: Int, area: Int, resultWidth: Int, resultHeight: Int) throws {
        let size = try IIIFCase.plan("full/max/0/default.jpg", width, height, IIIFCase.limited(area: area)).size
        #expect([size.width, size.height] == [resultWidth, resultHeight])
        #expect(size.width * size.height <= area)
    }

    @Test func `side and area limits apply together`() throws {
        let settings = IIIFCase.limited(side: 100, area: 2000)
        #expect(try IIIFCase.plan("full/max/0/default.jpg", 1000, 500, settings).size == .init(width: 63, height: 31))
        let tall = IIIFCase.limited(side: 100)
        #expect(try IIIFCase.plan("full/max/0/default.jpg", 1000, 500, tall).size == .init(width: 100, height: 50))
    }

    @Test(
        arguments: [
            ("0", 0, false, "0"), ("90", 1, false, "90"), ("180", 2, false, "180"), ("270.0", 3, false, "270"),
            ("360", 0, false, "0"), ("!0", 0, true, "!0"), ("!90", 1, true, "!90"), ("!360.000", 0, true, "!0"),
            ("00090", 1, false, "90"), ("0.0", 0, false, "0"),
        ] as [(String, Int, Bool, String)])
    func `rotations are quarter turns`(rotation: String, turns: Int, isMirrored: Bool, canonical: String) throws {
        let plan = try IIIFCase.plan("full/100,50/\(rotation)/default.jpg")
        #expect(plan.quarterTurns == turns)
        #expect(plan.isMirrored == isMirrored)
        #expect(plan.canonical == "full/100,50/\(canonical)/default.jpg")
    }

    @Test(
        arguments: [
            ("default.jpg", "default.jpg"), ("color.jpg", "default.jpg"), ("gray.png", "gray.png"),
            ("bitonal.png", "bitonal.png"),
        ] as [(String, String)])
    func `equal qualities have one canonical name`(file: String, canonical: String) throws {
        #expect(try IIIFCase.plan("full/max/0/\(file)").canonical == "full/max/0/\(canonical)")
    }

    @Test(
        arguments: [
            (IIIFFormat.jpg, "image/jpeg"), (.png, "image/png"), (.tif, "image/tiff"), (.gif, "image/gif"),
            (.webp, "image/webp"),
        ] as [(IIIFFormat, String)])
    func `formats have their media types`(format: IIIFFormat, mediaType: String) throws {
        let plan = try IIIFCase.plan("full/max/0/default.\(format.rawValue)", 10, 10)
        #expect(plan.format.mediaType == mediaType)
    }

    @Test func `degenerate image sizes do not trap`() throws {
        for side in [Int.min, -1, 0, 1, Int(Int32.max), Int.max] {
            for parameters in ["square/max", "pct:1,1,99,99/pct:99", "0,0,1,1/1,1", "full/!1,7"] {
                let plan = try? IIIFCase.plan("\(parameters)/90/gray.png", side, 3)
                #expect((plan?.size.width ?? 1) >= 1)
            }
        }
    }
}
