import FirnImage
import FirnProcessing
import Testing

@Suite struct ResizeProcessorTests {
    private func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

    private func resized(_ from: PixelSize, _ processor: ImageProcessors.Resize) throws -> PixelSize {
        let container = ImageContainer(image: try Bitmap(size: from) { _ in })
        return try processor.process(container, cancellation: CancellationFlag()).image.size
    }

    @Test func `Fit and fill give the size that the target resolves to`() throws {
        for source in [size(100, 75), size(75, 19), size(9, 9), size(3, 11)] {
            for mode in [ImageContentMode.fit, .fill] {
                for upscale in [false, true] {
                    let processor = ImageProcessors.Resize(size: size(30, 20), mode: mode, upscale: upscale)
                    let expected = TargetSize(size(30, 20), mode: mode, upscale: upscale).resolved(for: source)
                    #expect(try resized(source, processor) == expected)
                    #expect(processor.decodingTarget == TargetSize(size(30, 20), mode: mode, upscale: upscale))
                }
            }
        }
    }

    @Test func `A small image is not enlarged unless it is asked for`() throws {
        #expect(try resized(size(10, 20), .init(size: size(100, 100))) == size(10, 20))
        #expect(try resized(size(10, 20), .init(size: size(100, 100), upscale: true)) == size(50, 100))
    }

    @Test func `A single given side leaves the other side free`() throws {
        #expect(try resized(size(400, 300), .init(width: 100, filter: .box)) == size(100, 75))
        #expect(try resized(size(400, 300), .init(height: 100, filter: .box)) == size(133, 100))
        #expect(try resized(size(40, 30), .init(width: 100)) == size(40, 30))
        #expect(try resized(size(40, 30), .init(height: 60, upscale: true)) == size(80, 60))
    }

    @Test func `A reduced decode is resized to the size that the whole image would get`() throws {
        func resized(_ image: PixelSize, of original: PixelSize, _ processors: [any ImageProcessing]) throws
            -> PixelSize
        {
            let container = ImageContainer(image: try Bitmap(size: image) { _ in }, originalSize: original)
            return try ImageProcessors.Composition(processors).process(container, context: .init()).image.size
        }
        let (whole, half) = (size(900, 675), size(450, 338))
        let resize = ImageProcessors.Resize(size: size(400, 300))
        #expect(try resized(half, of: whole, [resize]) == size(400, 300))
        #expect(try resized(half, of: size(9000, 100), [resize]) == size(399, 300))
        let turned = ImageProcessors.Resize(size: size(300, 400))
        #expect(try resized(half, of: whole, [ImageProcessors.Rotate(.right), turned]) == size(300, 400))
        #expect(try resized(half, of: whole, [ImageProcessors.Resize(width: 400)]) == size(400, 300))
        // An image that another processor made small is not enlarged.
        #expect(try resized(size(100, 75), of: whole, [resize]) == size(100, 75))
    }

    @Test(arguments: [
        // The image covers the target.
        ((400, 300), (100, 100), (100, 100)), ((300, 1000), (100, 100), (100, 100)),
        ((256, 256), (256, 256), (256, 256)),
        // One side or both are shorter: the result has the target's shape.
        ((300, 200), (256, 256), (200, 200)), ((200, 300), (256, 256), (200, 200)), ((50, 1000), (100, 100), (50, 50)),
        ((100, 80), (400, 200), (100, 50)), ((80, 100), (200, 400), (50, 100)), ((3, 3), (1000, 1), (3, 1)),
        ((30, 20), (Int(Int32.max), Int(Int32.max)), (20, 20)),
    ])
    func `a crop has the target's aspect ratio and enlarges nothing`(
        source: (Int, Int), target: (Int, Int), expected: (Int, Int)
    ) throws {
        let crop = ImageProcessors.Resize(size: size(target.0, target.1), crop: true, filter: .box)
        #expect(try resized(size(source.0, source.1), crop) == size(expected.0, expected.1))
        // An attention crop has the same size as one of the middle.
        let salient = ImageProcessors.Resize(size: size(target.0, target.1), crop: true, anchor: .attention)
        #expect(try resized(size(source.0, source.1), salient) == size(expected.0, expected.1))
    }

    @Test func `a crop that may enlarge has the target's size`() throws {
        for source in [size(50, 1000), size(300, 200), size(10, 10)] {
            let crop = ImageProcessors.Resize(size: size(256, 256), crop: true, upscale: true, filter: .box)
            #expect(try resized(source, crop) == size(256, 256))
        }
    }

    @Test func `a fused crop of a small image keeps the target's shape when it is rotated`() throws {
        let container = ImageContainer(image: try Bitmap(size: size(300, 200)) { _ in })
        let steps: [any ImageProcessing] = [
            ImageProcessors.Rotate(.right), ImageProcessors.Resize(size: size(512, 256), crop: true),
        ]
        let result = try ImageProcessors.Composition(steps).process(container, context: .init()).image
        #expect(result.size == size(200, 100))
    }

    @Test(arguments: [PixelSize(width: 90, height: 160), PixelSize(width: 160, height: 90)])
    func `The middle of the filled image is cropped`(target: PixelSize) throws {
        let source = try Bitmap.scene(size(200, 180), format: .bgra8Premultiplied)
        let flag = CancellationFlag()
        let whole = try ImageProcessors.Resize(size: target, mode: .fill)
            .process(ImageContainer(image: source), cancellation: flag).image
        let part = try ImageProcessors.Resize(size: target, mode: .fill, crop: true)
            .process(ImageContainer(image: source), cancellation: flag).image
        let (left, top) = ((whole.size.width - target.width) / 2, (whole.size.height - target.height) / 2)
        let all = whole.pixels
        let middle = (0..<target.height).flatMap { y in
            (0..<target.width).map { all[(y + top) * whole.size.width + $0 + left] }
        }
        #expect(left + top > 0)
        #expect(part.pixels == middle)
    }

    @Test func `Every parameter is in the identifier`() {
        let base = ImageProcessors.Resize(size: size(400, 300))
        #expect(base.identifier == "firn/resize?s=400x300,m=fit,c=0,u=0,f=lanczos3")
        let all = [
            base, .init(size: size(300, 400)), .init(size: size(400, 300), mode: .fill),
            .init(size: size(400, 300), mode: .fill, crop: true), .init(size: size(400, 300), upscale: true),
            .init(size: size(400, 300), filter: .box), .init(width: 400), .init(height: 300),
        ]
        #expect(Set(all.map(\.identifier)).count == all.count)
        #expect(ImageProcessors.Resize(width: 400).identifier == "firn/resize?s=400x*,m=fit,c=0,u=0,f=lanczos3")
        // A crop fills the size.
        let crop = ImageProcessors.Resize(size: size(400, 300), mode: .fill, crop: true)
        #expect(ImageProcessors.Resize(size: size(400, 300), crop: true) == crop)
    }

    @Test func `The container's other properties and the image's are kept`() throws {
        let profile = try #require(ColorProfile.made())
        let image = try Bitmap(size: size(20, 20), format: .rgba8Straight, isOpaque: true, colorProfile: profile) { _ in
        }
        let container = ImageContainer(image: image, format: .jpeg, isPreview: true)
        let result = try ImageProcessors.Resize(width: 5).process(container, cancellation: CancellationFlag())
        #expect(result.format == .jpeg)
        #expect(result.isPreview)
        #expect(result.image.format == .rgba8Straight)
        #expect(result.image.isOpaque)
        #expect(result.image.colorProfile == profile)
    }

    @Test func `A cancelled resize throws`() throws {
        let container = ImageContainer(image: try Bitmap(size: size(20, 20)) { _ in })
        let flag = CancellationFlag()
        flag.cancel()
        let resize = #expect(throws: ImageError.self) {
            try ImageProcessors.Resize(width: 5).process(container, cancellation: flag)
        }
        let closure = #expect(throws: ImageError.self) {
            try ImageProcessors.Anonymous(id: "same") { $0 }.process(container, cancellation: flag)
        }
        #expect(resize?.fault == .cancelled && closure?.fault == .cancelled)
    }

    @Test func `A size that no image can have is an error`() throws {
        let image = try Bitmap(size: size(4, 4)) { _ in }
        #expect(throws: ImageError.self) { try image.resized(to: size(0, 3)) }
        #expect(throws: ImageError.self) { try image.resized(to: size(3, -1)) }
        #expect(throws: ImageError.self) { try image.resized(to: size(1 << 40, 1 << 40)) }
        #expect(try image.resized(to: size(4, 4)).packedBytes == image.packedBytes)
    }

    @Test func `An image over borrowed memory is read only where its pixels are`() throws {
        // Rows without padding: a read past the last one would leave the block.
        let source = try Bitmap.noise(size(7, 5), format: .rgb8, seed: 4)
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 7 * 3 * 5, alignment: 1)
        block.copyBytes(from: source.packedBytes)
        let address = UInt(bitPattern: block.baseAddress)
        let borrowed = try Bitmap(
            borrowing: UnsafeRawBufferPointer(block), size: size(7, 5), format: .rgb8, bytesPerRow: 21, isOpaque: true
        ) {
            UnsafeMutableRawPointer(bitPattern: address)?.deallocate()
        }
        for filter in ResizeFilter.allCases {
            let expected = try source.resized(to: size(3, 2), filter: filter).packedBytes
            #expect(try borrowed.resized(to: size(3, 2), filter: filter).packedBytes == expected)
        }
    }

    @Test func `A closure changes the image and is known by its name`() throws {
        let container = ImageContainer(image: try Bitmap(size: size(2, 3)) { _ in }, format: .png)
        let processor = ImageProcessors.Anonymous(id: "turn") { try $0.oriented(.right) }
        let result = try processor.process(container, cancellation: CancellationFlag())
        #expect(processor.identifier == "turn")
        #expect(result.image.size == size(3, 2))
        #expect(result.format == .png)
    }
}
