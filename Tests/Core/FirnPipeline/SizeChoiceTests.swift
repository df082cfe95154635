import FirnImage
import Testing

@testable import FirnPipeline

/// Tests which image of a family serves.
@Suite struct SizeChoiceTests {
    private func image(_ width: Int, _ height: Int, of original: (Int, Int)?) throws -> ImageContainer {
        let image = try Bitmap(size: PixelSize(width: width, height: height)) { _ in }
        return ImageContainer(
            image: image, originalSize: original.map { PixelSize(width: $0.0, height: $0.1) })
    }

    private func target(_ side: Int, upscale: Bool = false) -> TargetSize {
        TargetSize(side, upscale: upscale)
    }

    private func describe(_ choice: SizeChoice) -> String {
        switch choice {
        case .serves(let container): "serves \(container.image.size)"
        case .previews(let container): "previews \(container.image.size)"
        case .nothing: "nothing"
        }
    }

    @Test func `The smallest that has enough pixels serves`() throws {
        let images = try [(400, 300), (50, 38), (100, 75), (200, 150)].map {
            try image($0.0, $0.1, of: (400, 300))
        }
        for order in [images, images.reversed()] {
            #expect(describe(SizeChoice(of: target(90), among: order)) == "serves 100x75")
            #expect(describe(SizeChoice(of: target(100), among: order)) == "serves 100x75")
            #expect(describe(SizeChoice(of: target(101), among: order)) == "serves 200x150")
            #expect(describe(SizeChoice(of: nil, among: order)) == "serves 400x300")
        }
    }

    @Test func `The largest of the too small images is the preview`() throws {
        let images = try [(50, 38), (100, 75), (20, 15)].map { try image($0.0, $0.1, of: (400, 300)) }
        for order in [images, images.reversed()] {
            #expect(describe(SizeChoice(of: target(300), among: order)) == "previews 100x75")
            #expect(describe(SizeChoice(of: nil, among: order)) == "previews 100x75")
        }
    }

    @Test func `An enlarged image is made from the original`() throws {
        let enlarged = try image(800, 600, of: (400, 300))
        let original = try image(400, 300, of: (400, 300))
        let reduced = try image(399, 299, of: (400, 300))
        let wanted = target(1000, upscale: true)
        #expect(describe(SizeChoice(of: wanted, among: [reduced, original, enlarged])) == "serves 400x300")
        #expect(describe(SizeChoice(of: wanted, among: [reduced])) == "previews 399x299")
        #expect(describe(SizeChoice(of: target(200), among: [enlarged])) == "previews 800x600")
    }

    @Test func `Without the original's size, and of previews, nothing is made`() throws {
        var preview = try image(400, 300, of: (400, 300))
        preview.isPreview = true
        #expect(describe(SizeChoice(of: target(10), among: [try image(400, 300, of: nil), preview])) == "nothing")
        #expect(describe(SizeChoice(of: target(10), among: [])) == "nothing")
    }
}
