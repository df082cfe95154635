import FirnImage
@testable import FirnServe
import Testing

/// The requests of a deep-zoom viewer, computed here from the rules of the specification's implementation notes.
@Suite struct IIIFTileTests {
    @Test(arguments: [(10_000, 7777, 7), (512, 512, 1), (513, 1, 2), (1, 100_000, 9), (1, 1, 1)] as [(Int, Int, Int)])
    func `every tile has the size that viewers expect`(width: Int, height: Int, levels: Int) throws {
        let geometry = IIIFGeometry(width: width, height: height, settings: IIIFCase.limited())
        let information = IIIFInformation(uri: "http://h/iiif/a", geometry: geometry)
        #expect(information.tileSide == 512)
        let factors = information.scaleFactors
        #expect(factors == (0..<levels).map { 1 << $0 }.filter { $0 <= factors.last ?? 1 })
        #expect(factors.dropLast().allSatisfy { max(width, height) > 512 * $0 })
        #expect(max(width, height) <= 512 * (factors.last ?? 0))
        for scale in factors {
            var area = 0
            for top in stride(from: 0, to: height, by: 512 * scale) {
                for left in stride(from: 0, to: width, by: 512 * scale) {
                    let columns = min(512 * scale, width - left)
                    let rows = min(512 * scale, height - top)
                    let expected = PixelSize(
                        width: (columns + scale - 1) / scale, height: (rows + scale - 1) / scale)
                    // Viewers ask for the uncut square or for the cut rectangle.
                    for region in ["\(left),\(top),\(columns),\(rows)", "\(left),\(top),\(512 * scale),\(512 * scale)"]
                    {
                        let plan = try IIIFCase.plan(
                            "\(region)/\(expected.width),\(expected.height)/0/default.jpg", width, height)
                        #expect(plan.size == expected)
                        #expect([plan.region.x, plan.region.y] == [left, top])
                        #expect([plan.region.size.width, plan.region.size.height] == [columns, rows])
                    }
                    area += columns * rows
                }
            }
            #expect(area == width * height)
        }
    }

    @Test func `sizes are those of the levels`() throws {
        let geometry = IIIFGeometry(width: 10_000, height: 7777, settings: IIIFCase.limited(side: 5000))
        let sizes = IIIFInformation(uri: "", geometry: geometry).sizes
        #expect(sizes.map(\.width) == [313, 625, 1250, 2500, 5000])
        #expect(sizes.map(\.height) == [244, 487, 973, 1945, 3889])
        for size in sizes {
            let plan = try geometry.plan(
                for: IIIFCase.request("full/\(size.width),\(size.height)/0/default.jpg"))
            #expect(plan.size == size)
        }
    }

    @Test func `tiles stay within the limits`() {
        let cases = [
            (IIIFCase.limited(side: 300), 300), (IIIFCase.limited(side: 200, area: 90_000), 200),
            (IIIFCase.limited(area: 10_000), 100),
        ]
        for (settings, side) in cases {
            let geometry = IIIFGeometry(width: 10_000, height: 7777, settings: settings)
            #expect(IIIFInformation(uri: "", geometry: geometry).tileSide == side)
        }
    }
}
