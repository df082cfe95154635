import FirnImage
import FirnProcessing
import Testing

/// Processors that are made by functions.
@Suite struct ProcessorFunctionTests {
    private static let size = PixelSize(width: 8, height: 6)

    @Test func `A processor from a function has an identifier of its change`() {
        let pairs: [(any ImageProcessing, any ImageProcessing)] = [
            (ImageProcessors.crop(size: Self.size), ImageProcessors.Crop(size: Self.size)),
            (ImageProcessors.flipVertically(), ImageProcessors.Flip(.vertical)),
            (ImageProcessors.pad(to: Self.size), ImageProcessors.Pad(to: Self.size)),
            (ImageProcessors.grayscale(), ImageProcessors.ColorMatrix.grayscale()),
            (ImageProcessors.flatten(), ImageProcessors.Flatten()),
        ]
        for (function, type) in pairs { #expect(function.identifier == type.identifier) }
    }

    @Test func `Quarter turns count around the circle, in both directions`() {
        func turn(_ count: Int) -> String { ImageProcessors.rotate(quarterTurns: count).identifier }
        #expect(turn(1) == ImageProcessors.Rotate(.right).identifier)
        #expect(turn(-1) == ImageProcessors.Rotate(.left).identifier)
        #expect(turn(6) == ImageProcessors.Rotate(.half).identifier)
        #expect(turn(.min) == turn(0))
        #expect(turn(.max) == turn(3))
    }

    @Test func `A rotation by 0 quarter turns returns the image`() throws {
        let image = try Bitmap(size: Self.size, format: .bgra8Premultiplied, isOpaque: false) { _ in }
        let turned = try ImageProcessors.rotate(quarterTurns: 4)
            .process(ImageContainer(image: image), context: ImageProcessingContext())
        #expect(turned.image.size == Self.size)
    }

    @Test func `Processors from functions are fused like those from types`() {
        let functions: [any ImageProcessing] = [
            .resize(size: Self.size), .crop(size: PixelSize(width: 2, height: 2)), .rotate(),
        ]
        let types: [any ImageProcessing] = [
            ImageProcessors.Resize(size: Self.size), ImageProcessors.Crop(size: PixelSize(width: 2, height: 2)),
            ImageProcessors.Rotate(.right),
        ]
        let joined = ImageProcessors.Composition.joined(functions)
        #expect(joined.count == ImageProcessors.Composition.joined(types).count)
        #expect(joined.count < functions.count)
    }

    /// A processor by the name of another library.
    private struct Renamed: RenamedProcessor {
        let original: any ImageProcessing
        var identifier: String { original.identifier }

        func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
            try original.process(container, context: context)
        }
    }

    @Test func `A processor of another name is fused like the original`() {
        let renamed = [Renamed(original: .resize(size: Self.size)), Renamed(original: .crop(size: PixelSize(2)))]
        #expect(ImageProcessors.Composition.joined(renamed).count == 1)
        #expect(ImageProcessors.Composition.renderingTarget(of: renamed)?.size == Self.size)
        let rotated: [any ImageProcessing] = [Renamed(original: .rotate()), .resize(size: Self.size)]
        #expect(ImageProcessors.Composition.decodingTarget(of: rotated)?.size == Self.size.transposed)
    }

    @Test func `Functions are found after a dot and after the name`() {
        let list: [any ImageProcessing] = [.resize(width: 8), .flatten(), ImageProcessors.flatten()]
        #expect(list[1].identifier == list[2].identifier)
        let single: some ImageProcessing = .sepia(0.5)
        #expect(single.identifier == ImageProcessors.ColorMatrix.sepia(0.5).identifier)
    }

    @Test func `A function's rotation passes the later size to the decoder`() {
        let target = ImageProcessors.Composition.decodingTarget(of: [.rotate(), .resize(size: Self.size)])
        #expect(target?.size == Self.size.transposed)
    }
}
