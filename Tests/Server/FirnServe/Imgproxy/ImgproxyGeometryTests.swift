import FirnImage
@testable import FirnServe
import Testing

@Suite struct ImgproxyGeometryTests {
    static func result(_ text: String, _ width: Int, _ height: Int) throws -> ImgproxyPlan {
        let options = try ImgproxyVectors.options(text)
        return try plan(ImgproxyGeometry(options: options), width, height)
    }

    static func plan(
        _ geometry: ImgproxyGeometry, _ width: Int, _ height: Int, _ format: ImgproxyFormat = .jpeg
    ) throws(ServeError) -> ImgproxyPlan {
        try geometry.plan(ImageExtent(PixelSize(width: width, height: height)), format: format)
    }

    @Test(arguments: [
        ("rs:fit:300:300", 300, 150), ("rs:fill:300:300", 300, 300), ("rs:force:300", 300, 500),
        ("rs:auto:300:200", 300, 200), ("rs:auto:200:300", 200, 100), ("w:300/dpr:2", 600, 300),
        ("w:600/dpr:2", 1000, 500), ("w:300/mw:400", 300, 200), ("rs:fit:300:300/pd:10/dpr:2", 640, 340),
        ("crop:0.5:200:nowe:10:0.1/rot:90", 250, 200), ("ex:1:no/s:80:60/pd:10:20", 120, 80), ("", 1000, 500),
        ("w:2000", 1000, 500), ("w:2000/el:1", 2000, 1000), ("h:100", 200, 100), ("z:0.5", 500, 250),
        ("rot:90", 500, 1000), ("rot:90/w:100", 100, 200), ("c:400:300", 400, 300), ("c:5000:300", 1000, 300),
        ("c:0.1", 100, 500), ("w:333", 333, 167), ("rs:force:1:1", 1, 1), ("w:1", 1, 1),
        ("exar:1/s:300:300", 300, 300), ("rs:force:300:200", 300, 200), ("mh:1000", 2000, 1000),
    ])
    func `sizes of an image of 1000x500`(_ text: String, _ width: Int, _ height: Int) throws {
        #expect(try Self.result(text, 1000, 500).result == PixelSize(width: width, height: height))
    }

    @Test(arguments: [
        ("rs:fit:300:300", 200, 100), ("rs:fill:300:300", 200, 100), ("rs:fill-down:300:300", 100, 100),
        ("rs:fill:300:300:1", 300, 300), ("rs:fit:300:300:0:1", 300, 300), ("rs:fit:300:300:0:1/dpr:2", 300, 300),
        ("rs:fill-down:400:100", 200, 50),
    ])
    func `sizes of an image of 200x100`(_ text: String, _ width: Int, _ height: Int) throws {
        #expect(try Self.result(text, 200, 100).result == PixelSize(width: width, height: height))
    }

    @Test(arguments: [
        ("rs:fill:300:300/g:no", 150), ("rs:fill:300:300/g:we", 0), ("rs:fill:300:300/g:ea", 300),
        ("rs:fill:300:300/g:ea:10", 290), ("rs:fill:300:300/g:we:0.1", 60), ("rs:fill:300:300/g:fp:0.25:0.5", 0),
        ("rs:fill:300:300/g:fp:0.5:0.5", 150), ("rs:fill:200:200/g:we:5/dpr:2", 10), ("rs:fill:300:300/g:we:-9", 0),
    ])
    func `a result is cropped where its gravity says`(_ text: String, _ x: Int) throws {
        #expect(try Self.result(text, 1000, 500).resultCrop?.x == x)
    }

    @Test(
        arguments: [
            ("", [0, 0, 100, 50]), ("/rot:90", [0, 400, 50, 100]), ("/rot:180", [900, 450, 100, 50]),
            ("/rot:270", [950, 0, 50, 100]), ("/fl:1", [900, 0, 100, 50]),
        ])
    func `a crop is placed as if after turns`(turns: String, expected: [Int]) throws {
        let crop = try #require(try Self.result("c:100:50:nowe" + turns, 1000, 500).crop)
        #expect([crop.x, crop.y, crop.size.width, crop.size.height] == expected)
    }

    @Test func `formats limit the side`() throws {
        var options = ImgproxyOptions()
        options.width = 1000
        let geometry = ImgproxyGeometry(options: options)
        #expect(try Self.plan(geometry, 1000, 500, .ico).result == PixelSize(width: 256, height: 128))
        #expect(
            try Self.plan(ImgproxyGeometry(options: ImgproxyOptions()), 30_000, 3, .webp).result.width == 16_383)
    }

    @Test func `huge intermediate images are refused`() throws {
        let options = try ImgproxyVectors.options("rs:fill:1:1000:1")
        let geometry = ImgproxyGeometry(options: options)
        let status = ImgproxyVectors.status { () throws(ServeError) in
            _ = try Self.plan(geometry, 16_000, 1)
        }
        #expect(status == 422)
    }

    @Test func `hostile values do not trap`() {
        let values = [Double.nan, .infinity, -.infinity, 0, -1, 1e300, 1e-300, 0.5]
        var plans = 0
        for value in values {
            for side in [0, 1, -5, 65_535, Int.max] {
                var options = ImgproxyOptions()
                options.width = side
                options.height = 7
                options.dpr = value
                options.zoomX = value
                options.minHeight = side
                options.gravity = ImgproxyGravity(position: .focusPoint, x: value, y: value)
                options.crop = ImgproxyOptions.Crop(width: value, height: value)
                options.padding.top = side
                if let plan = try? Self.plan(ImgproxyGeometry(options: options), 1 << 30, 3) {
                    plans += 1
                    #expect(plan.result.width >= 1 && plan.result.height >= 1)
                }
            }
        }
        #expect(plans > 0)
    }
}
