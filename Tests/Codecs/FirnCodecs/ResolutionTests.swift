import FirnImage
import FoundationEssentials
import Testing

@testable import FirnCodecs

/// Tests that encoders write the resolution.
@Suite struct ResolutionTests {
    private func written(
        _ format: ImageFormat, _ x: Double, _ y: Double, exif: Data? = nil
    ) throws -> ImageProperties {
        let metadata = EncodingMetadata(exif: exif, resolution: ImageResolution(horizontal: x, vertical: y))
        let file = try #require(ImageEncoders.encoder(for: format)).encode(
            Bitmap.noise(PixelSize(width: 8, height: 6), format: .rgb8, seed: 1), metadata: metadata,
            cancellation: CancellationFlag())
        return try EncodedImage(file).properties
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .tiff, .bmp, .webp, .avif, .jxl])
    func `whole and broken numbers are written`(format: ImageFormat) throws {
        guard ImageEncoders.formats.contains(format) else { return }
        for (x, y) in [(300, 300), (600, 300), (72, 72), (96, 96), (1_200, 2_400), (157.48, 157.48), (204, 98)] {
            let found = try #require(try written(format, x, y).resolution)
            #expect(abs(found.horizontal - x) < 0.02 && abs(found.vertical - y) < 0.02, "\(format) \(x) \(y): \(found)")
        }
        for number in [0, -1, .nan, .infinity, 1e9] { #expect(try written(format, number, 300).resolution == nil) }
    }

    @Test(arguments: ImageEncoders.formats.filter { ![.gif, .tiff, .bmp, .ico].contains($0) })
    func `EXIF data that state it get the new one`(format: ImageFormat) throws {
        let entries = [(0x011A, 5, 0), (0x011B, 5, 1), (0x0128, 3, 3)].map { (tag: $0.0, type: $0.1, value: $0.2) }
        let exif = EXIFSegments.data(entries, fractions: [(200, 2), (50, 1)])
        let properties = try written(format, 300, 150.5, exif: exif)
        let stated = properties.exif.flatMap { EXIFDirectories($0)?.resolution }
        #expect(stated == ImageResolution(horizontal: 300, vertical: 150.5))
        #expect(properties.resolution != nil)
    }

    @Test(arguments: [ImageFormat.webp, .avif, .jxl], [false, true])
    func `EXIF data without it get it, and keep their fields`(format: ImageFormat, isBig: Bool) throws {
        guard ImageEncoders.formats.contains(format) else { return }
        let plain = HandmadeEXIF(isBig: isBig).data
        for exif in [plain, plain + [0], try #require(CopyrightNotice(creator: "Ada", rights: "(c) Ada")).exif] {
            let before = try #require(EXIFDirectories(exif))
            let properties = try written(format, 300, 157.48, exif: exif)
            let after = try #require(properties.exif.flatMap { EXIFDirectories($0) })
            #expect(after.resolution == ImageResolution(horizontal: 300, vertical: 157.48))
            #expect(properties.orientation == .up)
            let tags = after.entries(after.first).map(\.tag)
            #expect(tags == (before.entries(before.first).map(\.tag) + [0x011A, 0x011B, 0x0128]).sorted())
            #expect(after.text(0x013B, in: after.first) == before.text(0x013B, in: before.first))
            #expect(after.value(0x8769, in: after.first) == before.value(0x8769, in: before.first))
        }
    }

    @Test func `a number per meter that was rounded is whole per inch`() {
        for pixels in [72, 96, 150, 300, 600, 1_200, 2_400] {
            let perMeter = Int((Double(pixels) / 0.0254).rounded())
            #expect(ImageResolution(perMeter: perMeter, perMeter)?.horizontal == Double(pixels))
        }
        #expect(ImageResolution(perMeter: 6_200, 6_200)?.horizontal == 157.48)
        #expect(ImageResolution(perMeter: 0, 1) == nil)
    }
}
