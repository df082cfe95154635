import FirnImage
import Testing

/// Tests the sizes that targets have for vector images.
struct VectorTargetTests {
    private func properties(_ width: Double, _ height: Double) -> ImageProperties {
        var properties = ImageProperties(
            format: .svg,
            size: PixelSize(width: max(1, Int(width.rounded())), height: max(1, Int(height.rounded()))))
        properties.vectorSize = VectorSize(width: width, height: height)
        return properties
    }

    private func target(_ width: Int, _ height: Int, _ mode: ImageContentMode = .fit) -> TargetSize {
        TargetSize(width: width, height: height, mode: mode)
    }

    @Test(
        arguments: [
            (24.0, 24.0, 480, 480, ImageContentMode.fit, 480, 480), (24, 12, 480, 480, .fit, 480, 240),
            (24, 12, 480, 480, .fill, 960, 480), (1.2, 0.5, 300, 300, .fit, 300, 125), (400, 200, 40, 40, .fit, 40, 20),
            (1.2, 0.5, 1_000_000, 1_000_000, .fit, 32_767, 13_653), (10, 10, 0, 7, .fit, 7, 7),
            (10, 10, 0, 0, .fit, 10, 10), (1e-300, 1, 100, 100, .fill, 1, 32_767),
        ] as [(Double, Double, Int, Int, ImageContentMode, Int, Int)])
    func `A vector image has the target's size and its exact ratio`(
        width: Double, height: Double, wide: Int, high: Int, mode: ImageContentMode, columns: Int, rows: Int
    ) {
        let resolved = target(wide, high, mode).resolved(for: properties(width, height))
        #expect(resolved == PixelSize(width: columns, height: rows))
    }

    @Test func `An image of pixels is not enlarged`() {
        let properties = ImageProperties(format: .png, size: PixelSize(width: 24, height: 24))
        #expect(target(480, 480).resolved(for: properties) == PixelSize(width: 24, height: 24))
    }

    @Test func `Sides that are no numbers are those of pixels`() {
        for side in [0.0, -1, .nan, .infinity] {
            var properties = properties(4, 3)
            properties.vectorSize = VectorSize(width: side, height: 3)
            #expect(target(480, 480).resolved(for: properties) == PixelSize(width: 4, height: 3))
        }
    }

    @Test func `a side of 0 is free`() {
        let source = PixelSize(width: 300, height: 200)
        for mode in [ImageContentMode.fit, .fill] {
            func resolved(_ width: Int, _ height: Int, upscale: Bool = false) -> PixelSize {
                TargetSize(width: width, height: height, mode: mode, upscale: upscale).resolved(for: source)
            }
            #expect(resolved(150, 0) == PixelSize(width: 150, height: 100))
            #expect(resolved(0, 50) == PixelSize(width: 75, height: 50))
            #expect(resolved(600, 0) == source && resolved(0, 0) == source && resolved(-1, 0) == source)
            #expect(resolved(600, 0, upscale: true) == PixelSize(width: 600, height: 400))
        }
    }

    @Test func `the short forms of sizes and targets mean what the long ones say`() {
        #expect(PixelSize(7) == PixelSize(width: 7, height: 7))
        #expect(TargetSize(256) == TargetSize(PixelSize(width: 256, height: 256)))
        #expect(
            TargetSize(width: 320, height: 200, mode: .fill, upscale: true).size == PixelSize(width: 320, height: 200))
        let source = PixelSize(width: 300, height: 200)
        #expect(TargetSize(150).resolved(for: source) == PixelSize(width: 150, height: 100))
        #expect(TargetSize(width: 150).resolved(for: source) == PixelSize(width: 150, height: 100))
        #expect(TargetSize(width: nil, height: 50).resolved(for: source) == PixelSize(width: 75, height: 50))
        #expect(TargetSize(height: 50, upscale: true) == TargetSize(width: 0, height: 50, upscale: true))
        #expect(TargetSize().resolved(for: source) == source)
    }
}
