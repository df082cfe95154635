import Firn
import FirnImage
import FirnPipeline
import FirnProcessing
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnCodecs

/// Tests that colors that are not converted keep their profile: in a decode, and in a request that asks for it.
@Suite(.timeLimit(.minutes(5)))
struct KeptProfileTests {
    private static let size = PixelSize(width: 40, height: 24)

    /// A red image, whose profile exchanges red and green.
    private func file(_ format: ImageFormat = .png) throws -> Data {
        let profile = try #require(ColorProfile(icc: DecoderSamples.swappedProfile))
        let red = try Bitmap(size: Self.size, format: .rgb8, colorProfile: profile) { pixels in
            for y in 0..<Self.size.height {
                let row = pixels.row(y)
                for x in 0..<Self.size.width {
                    for (channel, value) in [UInt8(220), 20, 30].enumerated() {
                        row.storeBytes(of: value, toByteOffset: 3 * x + channel, as: UInt8.self)
                    }
                }
            }
        }
        return try #require(ImageEncoders.encoder(for: format)).encode(red)
    }

    private func pixel(_ image: Bitmap) throws -> [UInt8] {
        Array(packed(try image.converted(to: .rgba8Straight)).prefix(3))
    }

    @Test(arguments: [ImageFormat.png, .jpeg, .webp])
    func `an image that is not converted has the file's profile`(format: ImageFormat) throws {
        for change: (inout DecodingOptions) -> Void in [
            { _ in }, { $0.targetSize = TargetSize(width: 10, height: 6) },
            { $0.region = ImageRegion(PixelArea(8, 8, 16, 8)) }, { $0.pixelFormat = .rgb8 },
            { $0.pixelFormat = .rgba16Straight },
        ] {
            var options = DecodingOptions()
            change(&options)
            options.appliesColorProfile = false
            let kept = try session(file(format)).decode(options)
            #expect(kept.colorProfile?.icc == DecoderSamples.swappedProfile)
            #expect(try pixel(kept)[0] > 200)
            options.appliesColorProfile = true
            let converted = try session(file(format)).decode(options)
            #expect(converted.colorProfile == nil)
            #expect(try pixel(converted)[1] > 200)
        }
    }

    @Test(arguments: [ImageFormat.png, .avif, .jxl, .jpeg, .webp, .tiff])
    func `code points stay, as such or as a profile`(format: ImageFormat) throws {
        guard ImageEncoders.formats.contains(format) else { return }
        var png = HandmadePNG(width: 2, height: 1, colorType: 2, rows: [[220, 20, 30, 10, 200, 40]])
        png.before = [("cICP", [12, 13, 0, 1])]
        let session = try session(png.data)
        let kept = try session.decode(straight())
        #expect(kept.colorProfile?.icc.isEmpty == false)
        let encoder: any ImageEncoding =
            switch format {
            case .avif: AVIFEncoder(lossless: true)
            case .jxl: JXLEncoder(lossless: true)
            case .webp: WebPEncoder(lossless: true)
            default: try #require(ImageEncoders.encoder(for: format, quality: 1))
            }
        let first = try encoder.encode(kept)
        #expect(try encoder.encode(kept) == first)
        let seen = try EncodedImage(first)
        let hasPoints = [.png, .avif, .jxl].contains(format)
        #expect((seen.properties.colorDescription?.primariesCode == 12) == hasPoints)
        #expect((seen.properties.colorProfile != nil) == !hasPoints)
        // Both are the same colors.
        let (own, theirs) = (try session.decode(straight(profile: true)), try seen.frame(0, as: .rgba8Straight))
        #expect(own.meanDifference(from: theirs) < (format == .jpeg ? 12 : 2), "\(format)")
        #expect(own.meanDifference(from: kept) > 2)
    }

    @Test func `high dynamic range keeps its code points and its values`() throws {
        var png = HandmadePNG(width: 1, height: 1, depth: 16, colorType: 2, rows: [[0xA0, 1, 0x70, 2, 0x60, 3]])
        png.before = [("cICP", [9, 16, 0, 1])]
        var options = straight()
        options.pixelFormat = .rgba16Straight
        let source = try session(png.data)
        let kept = try source.decode(options)
        #expect(kept.colorProfile?.icc.isEmpty == true)
        let properties = try #require(try source.properties())
        for format in ImageEncoders.formats {
            #expect(properties.keepsColors(in: format) == [.png, .avif, .jxl].contains(format))
        }
        let copy = try session(PNGEncoder().encode(kept))
        #expect(try packed(copy.decode(options)) == packed(kept))
        #expect(try copy.properties()?.colorDescription?.transferCode == 16)
        #if AVIF
        let avif = try EncodedImage(AVIFEncoder().encode(kept)).properties
        #expect(avif.colorDescription?.transferCode == 16 && avif.colorDescription?.primariesCode == 9)
        #endif
        #if JPEGXL
        let jxl = try EncodedImage(JXLEncoder(lossless: true).encode(kept)).properties
        #expect(jxl.colorDescription?.transferCode == 16 && jxl.colorDescription?.primariesCode == 9)
        #endif
    }

    @Test func `half floats, and inks, get no profile`() throws {
        var options = DecodingOptions()
        options.appliesColorProfile = false
        options.pixelFormat = .rgbaHalfPremultiplied
        #expect(try session(file()).decode(options).colorProfile == nil)
        #expect(try session(DecoderSamples.inkJPEG).decode(straight()).colorProfile == nil)
    }

    @Test func `an assigned profile shares the pixels`() throws {
        let image = try session(file()).decode(DecodingOptions())
        let profile = try #require(ColorProfile(icc: DecoderSamples.swappedProfile))
        var tagged: Bitmap? = image.assigningColorProfile(profile)
        #expect(tagged?.colorProfile == profile && image.colorProfile == nil)
        #expect(tagged?.withUnsafeBytes { $0.baseAddress } == image.withUnsafeBytes { $0.baseAddress })
        #expect(tagged?.assigningColorProfile(nil).colorProfile == nil)
        tagged = nil
        #expect(try pixel(image)[1] > 200)
    }

    @Test func `a request keeps the profile through its processors, and shares nothing with one that does not`()
        async throws
    {
        let pipeline = ImagePipeline { $0.dataLoader = ScriptedLoader() }
        let data = try file()
        for _ in 0..<2 {
            for keeps in [true, false] {
                var request = ImageRequest(
                    id: "red", data: data,
                    processors: [ImageProcessors.Resize(width: 20), ImageProcessors.Flip(.vertical)])
                if keeps { request.options.insert(.keepColorProfile) }
                let image = try await pipeline.image(for: request)
                #expect((image.colorProfile?.icc == DecoderSamples.swappedProfile) == keeps)
                #expect(try pixel(image)[keeps ? 0 : 1] > 200)
                request.processors = []
                request.targetSize = TargetSize(10)
                let small = try await pipeline.image(for: request)
                #expect((small.colorProfile?.icc == DecoderSamples.swappedProfile) == keeps)
            }
        }
    }

    @Test func `options that change pixels are part of the keys, and others are not`() {
        var request = ImageRequest(url: "https://example.org/a.jpg")
        let plain = request.imageCacheKey
        request.options = .disableDiskCacheReads
        #expect(request.imageCacheKey == plain)
        request.options = .keepColorProfile
        #expect(request.imageCacheKey.string == "https://example.org/a.jpg|profile")
        #expect(request.dataCacheKey == "https://example.org/a.jpg")
        request.options = [.keepColorProfile, .allowEmbeddedPreview]
        #expect(request.imageCacheKey.string == "https://example.org/a.jpg|profile|preview")
    }
}
