import FirnImage
@testable import FirnServe
import Testing

/// The requests of a deep-zoom viewer, computed here from the rules of the specification's implementation notes.
@Suite struct IIIFTileTests {
    @Test(arguments: [(10_000, 7777, 7), (512, 512, 1), (513, 1, 2), (1, 100_000, 9), (1, 1, 1)] as [(Int, Int, Int)])
    func `every tile has the size that viewers expect`(width: Int, height: Int, levels: Int) throws {
        let geometry = IIIFGeometry(width: width, height: height, settings: IIIFCase.limited())
        let information = IIIFInformation(uri: "http://h/iiif/a", geometry: geometry, version: .three)
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
        let sizes = IIIFInformation(uri: "", geometry: geometry, version: .three).sizes
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
            #expect(IIIFInformation(uri: "", geometry: geometry, version: .three).tileSide == side)
        }
    }

    @Test(
        arguments: TileViewer.all,
        [(10_000, 7777), (1000, 700), (300, 2000), (512, 512), (513, 1), (4099, 5000), (1, 1)] as [(Int, Int)])
    func `each request of a viewer has a result`(viewer: TileViewer, sides: (Int, Int)) throws {
        let image = PixelSize(width: sides.0, height: sides.1)
        let geometry = IIIFGeometry(width: sides.0, height: sides.1, settings: IIIFSettings())
        let information = IIIFInformation(uri: "", geometry: geometry, version: viewer.version)
        let requests = viewer.requests(image, side: information.tileSide, factors: information.scaleFactors)
        for request in requests {
            let plan = try geometry.plan(for: IIIFCase.request(request.parameters, version: viewer.version))
            #expect(plan.region == request.region, "\(request.parameters)")
            #expect(plan.size.width == request.size.width, "\(request.parameters)")
            // A width alone leaves the height to the ratio of the region.
            let (columns, rows) = (request.region.size.width, request.region.size.height)
            let slack = request.parameters.contains(",/") ? 1 + rows / columns : 0
            #expect(abs(plan.size.height - request.size.height) <= slack, "\(request.parameters)")
        }
        let smallest = information.sizes.first.map { "full/\($0.width),/0/default.jpg" } ?? ""
        #expect(try geometry.plan(for: IIIFCase.request(smallest, version: viewer.version)).size.area > 0)
    }
}

/// The requests for the tiles of an image, by the rules of viewers.
struct TileViewer: Sendable, CustomTestStringConvertible {
    struct Request: Sendable {
        /// Such as `0,0,512,500/512,/0/default.jpg`.
        let parameters: String
        let region: PixelArea
        let size: PixelSize
    }

    let testDescription: String
    let version: IIIFVersion
    /// The size with which the viewer requests tiles as wide as the image; `nil` for none.
    let whole: String?
    /// True if the sizes of tiles have a height.
    let hasHeights: Bool

    static let all = [
        TileViewer(testDescription: "Mirador 2", version: .two, whole: nil, hasHeights: false),
        TileViewer(testDescription: "OpenSeadragon 2.4", version: .two, whole: "max", hasHeights: false),
        TileViewer(testDescription: "OpenSeadragon 3", version: .two, whole: "full", hasHeights: false),
        TileViewer(testDescription: "OpenSeadragon 6", version: .two, whole: "full", hasHeights: true),
        TileViewer(testDescription: "OpenSeadragon 6 with 3.0", version: .three, whole: "max", hasHeights: true),
    ]

    /// Returns the requests for all tiles, with the region and the size that each means.
    func requests(_ image: PixelSize, side: Int, factors: [Int]) -> [Request] {
        factors.flatMap { factor in
            let level = image.divided(by: factor)
            guard level.width >= side || level.height >= side else {
                return [request("full", PixelArea(image), level, image, hasHeight: version == .three)]
            }
            let step = side * factor
            return stride(from: 0, to: image.height, by: step).flatMap { top in
                stride(from: 0, to: image.width, by: step).map { left in
                    let size = PixelSize(
                        width: min(step, image.width - left), height: min(step, image.height - top))
                    let name = size == image ? "full" : "\(left),\(top),\(size.width),\(size.height)"
                    return request(
                        name, PixelArea(x: left, y: top, size: size), size.divided(by: factor), image,
                        hasHeight: hasHeights)
                }
            }
        }
    }

    private func request(
        _ name: String, _ region: PixelArea, _ size: PixelSize, _ image: PixelSize, hasHeight: Bool
    ) -> Request {
        if let whole, size.width == image.width, version == .two || size.height == image.height {
            return Request(parameters: "\(name)/\(whole)/0/default.jpg", region: region, size: region.size)
        }
        let sides = "\(size.width)," + (hasHeight ? "\(size.height)" : "")
        return Request(parameters: "\(name)/\(sides)/0/default.jpg", region: region, size: size)
    }
}
