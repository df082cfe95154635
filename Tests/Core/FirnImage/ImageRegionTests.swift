import FirnImage
import Testing

@Suite struct ImageRegionTests {
    private let size = PixelSize(width: 100, height: 50)

    private func area(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> PixelArea {
        PixelArea(x: x, y: y, size: PixelSize(width: width, height: height))
    }

    private func resolved(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> PixelArea? {
        ImageRegion.pixels(x: x, y: y, width: width, height: height).resolved(in: size)
    }

    @Test func `pixels are clamped to the image`() {
        #expect(resolved(10, 20, 30, 10) == area(10, 20, 30, 10))
        #expect(resolved(-5, -5, 10, 10) == area(0, 0, 5, 5))
        #expect(resolved(90, 45, 30, 10) == area(90, 45, 10, 5))
        #expect(resolved(1, 1, .max, .max) == area(1, 1, 99, 49))
        #expect(resolved(.min, .min, .max, .max) == nil)
    }

    @Test func `a region without a pixel is nil`() {
        for (x, y, width, height) in [
            (100, 0, 10, 10), (0, 50, 10, 10), (-10, 0, 10, 10), (0, 0, 0, 10), (0, 0, 10, -10), (Int.max, 0, .max, 10),
        ] {
            #expect(resolved(x, y, width, height) == nil)
        }
        #expect(
            ImageRegion.pixels(x: 0, y: 0, width: 1, height: 1).resolved(in: PixelSize(width: 0, height: 5)) == nil)
    }

    @Test func `fractions round to the nearest pixel and abut`() {
        #expect(
            ImageRegion.fractions(x: 0.25, y: 0, width: 0.5, height: 1).resolved(in: size) == area(25, 0, 50, 50))
        let thirds = (0..<3).compactMap {
            ImageRegion.fractions(x: Double($0) / 3, y: 0, width: 1.0 / 3, height: 1).resolved(in: size)
        }
        #expect(thirds.map(\.x) == [0, 33, 67])
        #expect(thirds.map(\.size.width) == [33, 34, 33])
        #expect(
            ImageRegion.fractions(x: 0.9999, y: 0.5, width: 1e-9, height: 1e-9).resolved(in: size)
                == area(99, 25, 1, 1))
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, -1, 1e300, -1e300])
    func `odd fractions neither trap nor leave the image`(value: Double) {
        for place in 0..<4 {
            var values = [0.0, 0, 1, 1]
            values[place] = value
            let region = ImageRegion.fractions(x: values[0], y: values[1], width: values[2], height: values[3])
            #expect(region == region)
            if let area = region.resolved(in: size) {
                #expect(area.x >= 0 && area.y >= 0 && !area.isEmpty)
                #expect(area.x + area.size.width <= 100 && area.y + area.size.height <= 50)
            }
            _ = region.resolved(in: PixelSize(width: .max, height: .max))
        }
    }

    @Test(arguments: ImageOrientation.allCases)
    func `a part of the upright image is found in the stored one`(orientation: ImageOrientation) throws {
        let stored = PixelSize(width: 7, height: 5)
        let shown = orientation.displaySize(of: stored)
        // One pixel each, so that all of them must be different and in the image.
        var seen: Set<PixelArea> = []
        for y in 0..<shown.height {
            for x in 0..<shown.width {
                let part = orientation.storedArea(of: area(x, y, 1, 1), in: stored)
                #expect((0..<7).contains(part.x) && (0..<5).contains(part.y))
                seen.insert(part)
            }
        }
        #expect(seen.count == 35)
        let part = orientation.storedArea(of: area(1, 2, 3, 2), in: stored)
        #expect(part.size == orientation.displaySize(of: PixelSize(width: 3, height: 2)))
    }
}
