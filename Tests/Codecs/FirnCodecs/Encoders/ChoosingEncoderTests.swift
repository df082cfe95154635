import FirnCodecs
import FirnImage
import FirnProcessing
import FoundationEssentials
import Testing

/// Tests encoders that choose the format by the image.
@Suite struct ChoosingEncoderTests {
    private let size = PixelSize(width: 60, height: 40)

    @Test(arguments: [PixelFormat.bgra8Premultiplied, .rgba8Straight, .rgb8])
    func `Opaque images become JPEG, whether or not they are marked opaque`(format: PixelFormat) throws {
        let image = try Bitmap.painted(size, format) { x, y in SIMD4(UInt8(x), UInt8(y), 100, 255) }
        for encoder in [ImageEncoders.automatic(), ImageEncoders.processed] as [any ImageEncoding] {
            #expect(encoder.format(for: image) == .jpeg)
            #expect(try ImageFormat(encoder.encode(image)) == .jpeg)
        }
    }

    @Test func `Images with transparent pixels are encoded without loss in a format with alpha`() throws {
        let image = try Bitmap.painted(size, .bgra8Premultiplied) { x, y in
            SIMD4(UInt8(x), UInt8(y), 100, x == 5 && y == 5 ? 254 : 255)
        }
        for encoder in [ImageEncoders.automatic(), ImageEncoders.processed] as [any ImageEncoding] {
            let file = try encoder.encode(image)
            #expect(ImageFormat(file) == encoder.format(for: image))
            #expect(encoder.format(for: image) != .jpeg)
            #expect(try EncodedImage(file).frame(as: .bgra8Premultiplied).packedBytes == image.packedBytes)
        }
    }

    @Test func `Images of more than 8 bits keep them`() throws {
        let image = try Bitmap.noise(size, format: .rgba16Straight, seed: 1)
        for encoder in [ImageEncoders.automatic(), ImageEncoders.processed] as [any ImageEncoding] {
            #expect(encoder.format(for: image) == .png)
            let file = try EncodedImage(encoder.encode(image))
            #expect(try file.frame(as: .rgba16Straight).packedBytes == image.packedBytes)
        }
    }

    @Test func `A processed image too long for WebP or JPEG is still stored`() throws {
        for (width, alpha) in [(16_384, UInt8(9)), (65_501, 255)] {
            let image = try Bitmap.painted(PixelSize(width: width, height: 1)) { _, _ in SIMD4(1, 2, 3, alpha) }
            let file = try EncodedImage(ImageEncoders.processed.encode(image))
            #expect(file.properties.format == .png)
        }
    }

    @Test func `The loss of a processed image is invisible`() throws {
        let image = try Bitmap.scene(PixelSize(width: 26, height: 19)).resized(to: PixelSize(width: 203, height: 151))
        let file = try EncodedImage(ImageEncoders.processed.encode(image))
        #expect(try file.frame(as: .rgb8).meanDifference(from: image) < 2)
    }

    @Test func `A flag that is set beforehand cancels every encode`() throws {
        let image = try Bitmap.scene(size)
        let flag = CancellationFlag()
        flag.cancel()
        let named = try ImageEncoders.formats.map { try #require(ImageEncoders.encoder(for: $0)) }
        for encoder in named + [ImageEncoders.automatic(), ImageEncoders.processed] {
            let error = try #require(throws: ImageError.self) {
                try encoder.encode(image, cancellation: flag)
            }
            #expect(error.fault == .cancelled, "\(encoder)")
        }
    }

    @Test func `A data URL holds the whole file and its media type`() throws {
        let image = try Bitmap.scene(PixelSize(width: 16, height: 12))
        for (format, type) in [(ImageFormat.png, "image/png"), (.webp, "image/webp"), (.jpeg, "image/jpeg")] {
            let encoder = try #require(ImageEncoders.encoder(for: format))
            let url = try encoder.dataURL(of: image)
            let head = "data:\(type);base64,"
            #expect(url.hasPrefix(head))
            #expect(try Data(base64Encoded: String(url.dropFirst(head.count))) == encoder.encode(image))
        }
        #expect(try WebPEncoder(quality: 0.7).dataURL(of: image).utf8.count < 400)
    }
}
