import FirnImage
import Testing

@testable import FirnProcessing

/// Compares fused steps with one step after another.
@Suite struct FusionTests {
    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state ^ state >> 29) &* 0xBF58_476D_1CE4_E5B9
        }
    }

    private func processor(_ random: inout Generator) -> any ImageProcessing {
        func size() -> PixelSize {
            PixelSize(width: Int.random(in: 1...30, using: &random), height: Int.random(in: 1...30, using: &random))
        }
        let anchor = ImageProcessingOptions.Anchor.allCases.randomElement(using: &random) ?? .center
        switch Int.random(in: 0..<14, using: &random) {
        case 0, 1:
            return ImageProcessors.Rotate(ImageProcessors.Rotate.Turn.allCases.randomElement(using: &random) ?? .half)
        case 2: return ImageProcessors.Flip(Bool.random(using: &random) ? .horizontal : .vertical)
        case 3, 4:
            return ImageProcessors.Resize(
                size: size(), mode: Bool.random(using: &random) ? .fit : .fill, crop: Bool.random(using: &random),
                anchor: anchor,
                upscale: Bool.random(using: &random),
                filter: ResizeFilter.allCases.randomElement(using: &random) ?? .box)
        case 5: return ImageProcessors.Resize(exactly: size(), upscale: true)
        case 6, 7: return ImageProcessors.Crop(size: size(), anchor: anchor)
        case 8: return ImageProcessors.Crop(x: 0, y: 0, width: size().width, height: size().height)
        case 9: return ImageProcessors.ColorMatrix.grayscale(Double.random(in: 0...1, using: &random))
        case 10: return ImageProcessors.ColorMatrix.contrast(Double.random(in: 0.2...1.2, using: &random))
        case 11: return ImageProcessors.ColorMatrix.inverted
        case 12: return ImageProcessors.RoundedCorners(radius: 3)
        default: return ImageProcessors.Pad(top: 1, right: 2)
        }
    }

    @Test(arguments: [PixelFormat.bgra8Premultiplied, .rgb8, .rgba8Straight, .rgba16Straight])
    func `Any chain gives the same image, within a level`(format: PixelFormat) throws {
        var random = Generator(state: 2026)
        var fusions = 0
        for round in 0..<160 {
            let size = PixelSize(
                width: Int.random(in: 1...40, using: &random), height: Int.random(in: 1...40, using: &random))
            let source = try Bitmap.test(size, format, seed: UInt64(round))
            let chain = (0..<Int.random(in: 2...5, using: &random)).map { _ in processor(&random) }
            let composition = ImageProcessors.Composition(chain)
            fusions += chain.count - FusionPlan(chain).steps.count
            let container = ImageContainer(image: source)
            let context = ImageProcessingContext()
            let steps = try chain.reduce(container) { try $1.process($0, context: context) }.image
            let fused = try composition.process(container, context: context).image
            let difference = try #require(
                PlainImage(fused).difference(PlainImage(steps)), "\(composition.identifier)")
            #expect(difference < 1.01, "\(round): \(size) \(composition.identifier)")
            #expect(fused.format == steps.format && fused.isOpaque == steps.isOpaque)
        }
        #expect(fusions > 40)
    }

    /// Returns rotations and flips that add up to `orientation`.
    private static func turns(_ orientation: ImageOrientation) -> [any ImageProcessing] {
        let (flip, right, left) = (
            ImageProcessors.Flip(), ImageProcessors.Rotate(.right), ImageProcessors.Rotate(.left)
        )
        switch orientation {
        case .up: return []
        case .upMirrored: return [flip]
        case .down: return [ImageProcessors.Rotate(.half)]
        case .downMirrored: return [ImageProcessors.Flip(.vertical)]
        case .leftMirrored: return [right, flip]
        case .right: return [right]
        case .rightMirrored: return [left, flip]
        case .left: return [left]
        }
    }

    @Test(arguments: ImageOrientation.allCases, [PixelFormat.rgb8, .bgra8Premultiplied])
    func `An image is rotated after it was reduced`(
        orientation: ImageOrientation, format: PixelFormat
    ) throws {
        let source = try Bitmap.test(PixelSize(width: 41, height: 26), format)
        let (size, turns) = (PixelSize(width: 13, height: 11), Self.turns(orientation))
        let whole: [ImageProcessors.Resize] = [
            .init(size: size), .init(size: size, mode: .fill), .init(exactly: size), .init(width: 9), .init(height: 9),
            .init(size: size, filter: .catmullRom), .init(size: size, filter: .bilinear),
            .init(exactly: size, filter: .box),
            .init(size: size, mode: .fill, linearLight: true),
            .init(size: PixelSize(width: 60, height: 70), mode: .fill, upscale: true),
        ]
        let anchors = ImageProcessingOptions.Anchor.allCases
        let cropped = anchors.map { ImageProcessors.Resize(size: size, mode: .fill, crop: true, anchor: $0) }
        for resize in whole + cropped {
            let chain = turns + [resize]
            let steps = FusionPlan(chain).steps
            // The result of attention depends on the orientation of the image.
            #expect(steps.count == (resize.anchor == .attention && !turns.isEmpty ? 2 : 1))
            let container = ImageContainer(image: source)
            let composition = ImageProcessors.Composition(chain)
            let fused = try composition.process(container, context: ImageProcessingContext()).image
            let single = try chain.reduce(container) { try $1.process($0, context: ImageProcessingContext()) }.image
            #expect(fused.size == single.size)
            #expect(try #require(PlainImage(fused).difference(PlainImage(single))) < 1.01, "\(resize.identifier)")
        }
        #expect(
            try source.oriented(orientation).packedBytes == ImageProcessors.Composition(turns).apply(source).packedBytes
        )
    }

    @Test func `Consecutive rotations equal one rotation`() throws {
        let source = try Bitmap.labeled(["abc", "def"], format: .rgb8)
        for first in ImageOrientation.allCases {
            for second in ImageOrientation.allCases {
                let both = try source.oriented(first).oriented(second)
                #expect(try source.oriented(first.followed(by: second)).labels == both.labels)
            }
        }
    }

    @Test func `Only steps that give the same image are fused`() {
        let resize = ImageProcessors.Resize(size: PixelSize(width: 20, height: 20), mode: .fill)
        let crop = ImageProcessors.Crop(size: PixelSize(width: 10, height: 10))
        let turn = ImageProcessors.Rotate(.right)
        let blur = ImageProcessors.GaussianBlur(radius: 2)
        func joined(_ chain: [any ImageProcessing]) -> [Int] {
            FusionPlan(chain).steps.map { $0.range.count }
        }
        #expect(joined([resize, crop]) == [2])
        #expect(joined([turn, resize, crop]) == [3])
        #expect(joined([turn, resize, blur]) == [1, 1, 1])
        #expect(joined([turn, turn, blur]) == [2, 1])
        #expect(joined([crop, crop, crop, resize]) == [3, 1])
        #expect(joined([ImageProcessors.ColorMatrix.grayscale(), ImageProcessors.ColorMatrix.sepia(0.5)]) == [2])
        // Brightness clips colors, which the product of the matrices would not do.
        #expect(
            joined([ImageProcessors.ColorMatrix.brightness(0.5), ImageProcessors.ColorMatrix.brightness(-0.5)]) == [
                1, 1,
            ])
        let attention = ImageProcessors.Crop(size: PixelSize(width: 10, height: 10), anchor: .attention)
        #expect(joined([resize, attention]) == [1, 1])
        #expect(
            ImageProcessors.Composition.joined([blur, resize, crop]).map(\.identifier) == [
                blur.identifier, ImageProcessors.Composition([resize, crop]).identifier,
            ])
    }
}
