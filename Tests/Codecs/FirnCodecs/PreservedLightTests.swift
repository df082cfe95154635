import Firn
import FirnImage
import FirnPipeline
import FirnProcessing
import FirnTesting
import Foundation
import Testing

@testable import FirnCodecs

/// Tests images of PQ and HLG values that are not tone-mapped: in decodes, processors and files.
@Suite(.timeLimit(.minutes(5)))
struct PreservedLightTests {
    private static let size = PixelSize(width: 8, height: 4)

    /// Words that differ in each pixel and component.
    private static let words = (0..<32 * 3).map { UInt16($0 * 613 + 900) }

    /// A PNG of 16 bits with code points, a mastering display of BT.2020 and content light.
    private func file(transfer: UInt8 = 16, primaries: UInt8 = 9) -> Data {
        var rows: [[UInt8]] = []
        for start in stride(from: 0, to: Self.words.count, by: 24) {
            rows.append(Self.words[start..<start + 24].flatMap { HandmadePNG.big(Int($0), 2) })
        }
        var png = HandmadePNG(width: 8, height: 4, depth: 16, colorType: 2, rows: rows)
        var display = [35_400, 14_600, 8_500, 39_850, 6_550, 2_300, 15_635, 16_450].flatMap { HandmadePNG.big($0, 2) }
        for number in [40_000_000, 50] { display += HandmadePNG.big(number, 4) }
        let content = [12_340_000, 4_560_000].flatMap { HandmadePNG.big($0, 4) }
        png.before = [("cICP", [primaries, transfer, 0, 1]), ("mDCV", display), ("cLLI", content)]
        return png.data
    }

    private func preserved(_ format: PixelFormat = .bgra8Premultiplied) -> DecodingOptions {
        var options = DecodingOptions()
        options.pixelFormat = format
        options.preservesHDR = true
        return options
    }

    private func colors(_ image: Bitmap) -> [UInt16] {
        image.words.enumerated().filter { $0.offset % 4 != 3 }.map(\.element)
    }

    @Test(arguments: [UInt8(16), 18])
    func `preserved values are those of the file, with their description`(transfer: UInt8) throws {
        let data = file(transfer: transfer)
        for format in [PixelFormat.bgra8Premultiplied, .rgb8, .rgba16Straight] {
            let image = try session(data).decode(preserved(format))
            #expect(image.format == .rgba16Straight && colors(image) == Self.words)
            #expect(image.light.transfer == Int(transfer) && image.light.primaries == 9)
            #expect(image.light.peak == 1234 && image.light.masteringPeak == 4000)
        }
        let mapped = try session(data).decode(DecodingOptions())
        #expect(mapped.format == .bgra8Premultiplied && mapped.light.transfer == 13)
        let halves = try session(data).decode(preserved(.rgbaHalfPremultiplied))
        #expect(halves.format == .rgbaHalfPremultiplied && halves.light.transfer == 8)
        #expect(throws: ImageError.self) {
            try session(data).decode(preserved()).converted(to: .rgbaHalfPremultiplied)
        }
    }

    @Test func `an image in standard range is decoded as without the option`() throws {
        let sdr = file(transfer: 13, primaries: 1)
        let image = try session(sdr).decode(preserved())
        #expect(image.format == .bgra8Premultiplied && image.colorProfile == nil)
        #expect(try packed(image) == packed(session(sdr).decode(DecodingOptions())))
    }

    @Test(arguments: [ImageFormat.png, .avif, .jxl])
    func `files keep values, code points and mastering data`(format: ImageFormat) throws {
        guard ImageEncoders.formats.contains(format) else { return }
        for transfer in [UInt8(16), 18] {
            let image = try session(file(transfer: transfer)).decode(preserved())
            let encoder = try #require(ImageEncoders.encoder(for: format, lossless: true))
            let data = try encoder.encode(image)
            let copy = try session(data)
            let properties = try #require(try copy.properties())
            #expect(properties.light.transfer == Int(transfer) && properties.light.primaries == 9)
            if format != .jxl {
                #expect(properties.light.masteringPeak == 4000 && properties.light.masteringBlack == 0.005)
                #expect(properties.light.maximumContentLight == 1234 && properties.light.maximumAverageLight == 456)
                let found = try #require(properties.light.masteringPrimaries)
                #expect(found == image.light.masteringPrimaries)
                #expect(found.red == [0.708, 0.292] && found.white == [0.3127, 0.329])
            }
            // AVIF has 12 bits.
            let most = format == .avif ? 16 : 0
            let decoded = try copy.decode(preserved())
            #expect(zip(colors(decoded), Self.words).allSatisfy { abs(Int($0) - Int($1)) <= most })
        }
    }

    @Test(arguments: [ImageFormat.jpeg, .webp, .tiff, .bmp, .gif])
    func `a format without code points gets tone-mapped values`(format: ImageFormat) throws {
        let image = try session(file()).decode(preserved())
        let data = try #require(ImageEncoders.encoder(for: format, quality: 1)).encode(image)
        let mapped = try session(file()).decode(straight(profile: true))
        #expect(try EncodedImage(data).frame(0, as: .rgba8Straight).meanDifference(from: mapped) < 14)
        #expect(try session(data).properties()?.colorProfile == nil)
    }

    @Test func `a file without a color description gets tone-mapped values`() throws {
        let image = try session(file()).decode(preserved())
        let data = try PNGEncoder().encode(
            image, metadata: EncodingMetadata(keepsColorProfile: false), cancellation: CancellationFlag())
        var options = DecodingOptions()
        options.pixelFormat = .rgba16Straight
        #expect(try session(data).decode(options).words == session(file()).decode(options).words)
    }

    @Test func `shapes change without changing values, and color changes fail`() throws {
        let image = try session(file()).decode(preserved())
        let kept: [any ImageProcessing] = [
            ImageProcessors.Crop(x: 2, y: 0, width: 4, height: 4), ImageProcessors.Rotate(.right),
            ImageProcessors.Flip(.horizontal), ImageProcessors.Resize(width: 3), ImageProcessors.Pad(top: 1),
            ImageProcessors.Composition([ImageProcessors.Resize(width: 6), ImageProcessors.Flip(.vertical)]),
        ]
        for processor in kept {
            let result = try processor.process(ImageContainer(image: image)).image
            #expect(result.light == image.light && result.format == .rgba16Straight, "\(processor.identifier)")
        }
        let refused: [any ImageProcessing] = [
            ImageProcessors.ColorMatrix.grayscale(), ImageProcessors.Flatten(),
            ImageProcessors.Blend(color: .white), ImageProcessors.Pad(top: 1, color: .white),
            ImageProcessors.Composition([
                ImageProcessors.ColorMatrix.grayscale(), ImageProcessors.ColorMatrix.inverted,
            ]),
        ]
        for processor in refused {
            let error = #expect(throws: ImageError.self) { try processor.process(ImageContainer(image: image)) }
            #expect(error?.fault == .request && error?.message.contains("PQ") == true, "\(processor.identifier)")
        }
    }

    /// - Source: ITU-R BT.2100-2, tables 4 and 5.
    private func light(_ word: UInt16, _ transfer: Int) -> Double {
        let value = Double(word) / 65_535
        if transfer == 18 {
            return value <= 0.5 ? value * value / 3 : (exp((value - 0.55991073) / 0.17883277) + 0.28466892) / 12
        }
        let root = pow(value, 32 / 2523.0)
        return pow(max(root - 3424.0 / 4096, 0) / (2413.0 / 128 - 2392.0 / 128 * root), 16_384 / 2610.0)
    }

    @Test(arguments: [16, 18], [[UInt16(2_000), 9_000], [20_000, 60_000], [0, 65_535], [700, 800]])
    func `linear light is that of the transfer function`(transfer: Int, values: [UInt16]) throws {
        var light = ImageLight()
        (light.primaries, light.transfer) = (9, transfer)
        let profile = try #require(ColorProfile(light: light))
        let size = PixelSize(width: 2, height: 1)
        let image = try Bitmap(size: size, format: .rgba16Straight, colorProfile: profile) { pixels in
            for (x, value) in values.enumerated() {
                let pixel = SIMD4(value, value, value, 65_535)
                pixels.row(0).storeBytes(of: pixel, toByteOffset: 8 * x, as: SIMD4<UInt16>.self)
            }
        }
        let resize = ImageProcessors.Resize(
            exactly: PixelSize(width: 1, height: 1), filter: .box, linearLight: true)
        let mixed = try #require(resize.process(ImageContainer(image: image)).image.words.first)
        let mean = values.reduce(0) { $0 + self.light($1, transfer) } / 2
        // 32 of 65,535 are half a level of 10 bits.
        #expect(self.light(mixed - min(mixed, 32), transfer) <= mean)
        #expect(self.light(UInt16(clamping: Int(mixed) + 32), transfer) >= mean)
    }

    @Test func `a request keeps the values, and shares nothing with one that does not`() async throws {
        let pipeline = ImagePipeline { $0.dataLoader = ScriptedLoader() }
        for keeps in [true, false, true] {
            var request = ImageRequest(
                id: "hdr", data: file(), processors: [ImageProcessors.Flip(.horizontal)])
            if keeps { request.options.insert(.preserveHDR) }
            let image = try await pipeline.image(for: request)
            #expect((image.light.transfer == 16) == keeps && (image.format == .rgba16Straight) == keeps)
        }
    }

    @Test func `a converter keeps the values where the format has them`() async throws {
        var configuration = ImageConverter.Configuration()
        configuration.preservesHDR = true
        let converter = try ImageConverter(configuration)
        let png = try await converter.convert(file(), to: .png)
        #expect(png.image.light.transfer == 16 && !png.lost.contains(.hdr))
        let jpeg = try await converter.convert(file(), to: .jpeg)
        #expect(jpeg.image.colorProfile == nil && jpeg.lost.contains(.hdr))
    }

    #if AVIF
    @Test func `an animation keeps the values with 10 bits`() throws {
        let image = try session(file()).decode(preserved())
        let encoder = AVIFEncoder(quality: 1)
        let writer = try encoder.makeAnimation(
            size: image.size, repetitions: .forever, isOpaque: true, colorProfile: image.colorProfile,
            cancellation: CancellationFlag())
        for _ in 0..<2 { try writer.append(image, duration: .milliseconds(100)) }
        let properties = try #require(try session(writer.finish()).properties())
        #expect(properties.bitDepth == 10 && properties.light.transfer == 16)
    }
    #endif
}
