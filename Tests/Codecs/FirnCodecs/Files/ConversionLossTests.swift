import FirnImage
import FoundationEssentials
import Testing

@testable import FirnCodecs

/// Tests what the result of a conversion says about what it lost, for each pair of formats.
@Suite struct ConversionLossTests {
    /// A file, and what it has beside opaque pixels of 8 bits in sRGB.
    struct Source: CustomTestStringConvertible, Sendable {
        let format: ImageFormat
        let has: Set<ConversionLoss>
        let file: @Sendable () throws -> Data

        var testDescription: String { format.rawValue }
    }

    /// The properties that files of each format keep in a conversion to 8 bits in sRGB that keeps all metadata.
    private static let kept: [ImageFormat: Set<ConversionLoss>] = [
        .jpeg: [.exif, .iptc, .resolution], .png: [.alpha, .exif, .iptc, .resolution],
        .webp: [.alpha, .exif, .iptc, .resolution], .avif: [.alpha, .exif, .iptc, .resolution],
        .jxl: [.alpha, .exif, .iptc, .resolution], .gif: [], .tiff: [.alpha, .exif, .iptc, .resolution],
        .bmp: [.alpha, .resolution], .ico: [.alpha],
    ]

    private static let size = PixelSize(width: 8, height: 6)
    private static let exif = HandmadeEXIF(orientation: 1).data
    private static let resolution = ImageResolution(horizontal: 300, vertical: 300)

    /// An image of half transparent pixels with 16 bits, in a color space of its own.
    private static func deep() throws -> Bitmap {
        try Bitmap.painted(size, .rgba16Straight) { x, y in SIMD4(UInt8(x * 20), UInt8(y * 30), 90, 128) }
            .assigningColorProfile(ColorProfile(icc: DecoderSamples.swappedProfile))
    }

    private static func plain(alpha: UInt8 = 255) throws -> Bitmap {
        try Bitmap.painted(size) { x, y in SIMD4(UInt8(x * 20), UInt8(y * 30), 90, alpha) }
    }

    private static func encoded(_ format: ImageFormat, _ image: Bitmap, exif: Data? = nil) throws -> Data {
        // WebP and AVIF would state it in their EXIF data, which are kept or not.
        let resolution = [.webp, .avif].contains(format) ? nil : resolution
        return try #require(ImageEncoders.encoder(for: format)).encode(
            image, metadata: EncodingMetadata(exif: exif, resolution: resolution), cancellation: CancellationFlag())
    }

    private static func text(_ keyword: String, _ content: some Sequence<UInt8>) -> [UInt8] {
        HandmadePNG.chunk("tEXt", Array(keyword.utf8) + [0] + Array(content))
    }

    static let sources: [Source] = [
        Source(
            format: .jpeg, has: [.gainMap, .profile, .exif, .xmp, .iptc, .texts, .resolution],
            file: {
                let image = try plain().assigningColorProfile(ColorProfile(icc: DecoderSamples.swappedProfile))
                let records = Data([0x1C, 2, 80, 0, 1, 65])
                let name = "http://ns.adobe.com/xap/1.0/\0"
                let segments: [(code: UInt8, content: Data)] = [
                    (0xE1, Data((name + #"<x:xmpmeta hdrgm:Version="1.0"/>"#).utf8)), (0xFE, Data("A comment".utf8)),
                    (0xED, Data("Photoshop 3.0\08BIM".utf8) + Data([4, 4, 0, 0, 0, 0, 0, 6]) + records),
                ]
                // Behind the segment of JFIF.
                let file = try encoded(.jpeg, image, exif: exif)
                return file.prefix(20) + JPEGImages.inserting(segments, into: Data([0xFF, 0xD8])).dropFirst(2)
                    + file.dropFirst(20)
            }),
        Source(
            format: .png, has: [.alpha, .depth, .profile, .exif, .xmp, .texts, .resolution],
            file: {
                let file = try encoded(.png, deep(), exif: exif)
                let packet = HandmadePNG.chunk("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0<x:xmpmeta/>".utf8))
                return file.prefix(33) + packet + text("Comment", "A comment".utf8) + file.dropFirst(33)
            }),
        Source(
            format: .apng, has: [.frames, .iptc, .texts],
            file: {
                let pixels = [UInt8](repeating: 255, count: 16)
                let hex = "1c02500001" + "41"
                return HandmadeAPNG(
                    width: 2, height: 2,
                    frames: [
                        HandmadeAPNG.Frame(width: 2, height: 2, pixels: pixels),
                        HandmadeAPNG.Frame(width: 2, height: 2, pixels: pixels.map { $0 / 2 | 0x80 }),
                    ],
                    before: [
                        ("tEXt", Array("Raw profile type iptc\0\niptc\n       6\n\(hex)\n".utf8)),
                        ("tEXt", Array("Author\0Ada".utf8)),
                    ]
                ).data
            }),
        Source(
            format: .gif, has: [.frames, .texts],
            file: {
                let frame = HandmadeGIF.Frame(width: 1, height: 1, indices: [1], delay: 10)
                return HandmadeGIF(
                    width: 1, height: 1, frames: [frame, frame], extensions: [0x21, 0xFE, 1, 65, 0]
                ).data
            }),
        Source(format: .webp, has: [.alpha, .exif], file: { try encoded(.webp, plain(alpha: 128), exif: exif) }),
        Source(
            format: .avif, has: [.alpha, .depth, .profile, .exif], file: { try encoded(.avif, deep(), exif: exif) }),
        Source(format: .heic, has: [.frames], file: { ModernSamples.twoHEIC }),
        Source(
            format: .jxl, has: [.alpha, .depth, .profile, .exif],
            file: {
                // Lossy files hold the colors of sRGB, whatever the profile.
                try JXLEncoder(lossless: true).encode(
                    deep(), metadata: EncodingMetadata(exif: exif), cancellation: CancellationFlag())
            }),
        Source(
            format: .tiff, has: [.frames, .depth, .resolution],
            file: {
                var page = HandmadeTIFF.Page(
                    width: 1, height: 1, bits: [16], pieces: [[1, 2]], more: [(296, [2])])
                page.fractions = [(282, 300, 1), (283, 300, 1)]
                return HandmadeTIFF(pages: [page, page]).data
            }),
        Source(
            format: .bmp, has: [.profile, .resolution],
            file: {
                try encoded(.bmp, plain().assigningColorProfile(ColorProfile(icc: DecoderSamples.swappedProfile)))
            }),
        Source(format: .ico, has: [], file: { try encoded(.ico, plain()) }),
        Source(
            format: .qoi, has: [],
            file: { Data(Array("qoif".utf8) + [0, 0, 0, 1, 0, 0, 0, 1, 3, 0, 0xFE, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 1]) }),
        Source(
            format: .svg, has: [],
            file: {
                Data(
                    "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='9' height='9'/></svg>"
                        .utf8
                )
            }),
    ]

    @Test(arguments: sources.filter { source in source.format == .apng || isRead(source.format) })
    func `a conversion to any format lists the metadata that was lost`(source: Source) async throws {
        let file = try source.file()
        var configuration = ImageConverter.Configuration()
        configuration.isolation = .none
        let converter = try ImageConverter(configuration)
        for format in ImageEncoders.formats {
            let kept = try #require(Self.kept[format])
            for policy in [EncodingMetadata.Policy.all, .profile] {
                let output = try await converter.convert(file, to: format, keeping: policy)
                let metadata: Set<ConversionLoss> = policy == .all ? [] : [.exif, .iptc, .resolution]
                let expected = source.has.subtracting(kept.subtracting(metadata))
                #expect(output.lost == ConversionLoss.allCases.filter { expected.contains($0) }, "to \(format)")
            }
        }
    }

    static func isRead(_ format: ImageFormat) -> Bool {
        ImageDecoders.standard.contains { decoder in
            (decoder as? FormatDecoder)?.formats.contains(format) == true
        }
    }

    @Test func `a resolution of 72, a profile of sRGB, and alpha that is full are nothing to lose`() {
        var source = ImageProperties(format: .png, size: PixelSize(4))
        source.resolution = ImageResolution(horizontal: 72, vertical: 72)
        source.hasAlpha = true
        source.colorDescription = ColorDescription(primaries: 1, transfer: 13)
        let output = ImageProperties(format: .gif, size: PixelSize(4))
        #expect(ConversionLoss.between(source, output, frames: 1, flattens: false).isEmpty)
        source.colorDescription = ColorDescription(primaries: 9, transfer: 16)
        #expect(ConversionLoss.between(source, output, frames: 1, flattens: false) == [.hdr, .profile])
    }

    @Test func `shorter durations and another number of plays are lost`() {
        var source = ImageProperties(format: .apng, size: PixelSize(4))
        source.frameCount = 3
        source.frameDurations = [0, 65_535_000, 40].map { .milliseconds($0) }
        source.loopCount = 2
        var output = source
        output.format = .webp
        output.frameDurations = [100, 65_535_005, 40].map { .milliseconds($0) }
        func lost(_ frames: Int = 3) -> [ConversionLoss] {
            ConversionLoss.between(source, output, frames: frames, flattens: false)
        }
        #expect(lost().isEmpty)
        output.frameDurations = [0, 16_777_215, 40].map { .milliseconds($0) }
        output.loopCount = nil
        #expect(lost() == [.durations, .repetitions])
        #expect(lost(1) == [.frames])
    }
}
