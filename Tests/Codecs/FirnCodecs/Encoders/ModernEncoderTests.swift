import FirnCodecs
import FirnImage
import FirnProcessing
import FoundationEssentials
import Testing

/// Tests the special features of AVIF and JPEG XL.
@Suite struct ModernEncoderTests {
    static let lossy: [any ImageEncoding] = {
        var encoders: [any ImageEncoding] = []
        #if AVIF
        encoders += [AVIFEncoder(quality: 0.2, speed: 10), AVIFEncoder(quality: 0.9, speed: 10)]
        #endif
        #if JPEGXL
        encoders += [JXLEncoder(quality: 0.2, effort: 3), JXLEncoder(quality: 0.9, effort: 3)]
        #endif
        return encoders
    }()

    @Test func `Lossy files are close to the image, closer at a higher quality`() throws {
        let source = try Bitmap.scene(PixelSize(width: 26, height: 19), format: .rgb8)
            .resized(to: PixelSize(width: 203, height: 151))
        for index in stride(from: 0, to: Self.lossy.count, by: 2) {
            let files = try Self.lossy[index...index + 1].map { try $0.encode(source) }
            let differences = try files.map { try EncodedImage($0).frame(as: .rgb8).meanDifference(from: source) }
            #expect(differences[1] < differences[0], "\(Self.lossy[index].format)")
            #expect(differences[1] < 4, "\(Self.lossy[index].format)")
            #expect(files[1].count > files[0].count)
            #expect(try Self.lossy[index].encode(source) == files[0])
        }
    }

    @Test func `AVIF keeps alpha exactly, JPEG XL has alpha`() throws {
        let source = try Bitmap.painted(PixelSize(width: 50, height: 40)) { x, y in
            SIMD4(UInt8(x * 5), UInt8(y * 6), 90, UInt8(x * 5))
        }
        for encoder in Self.lossy {
            let file = try EncodedImage(encoder.encode(source))
            #expect(file.properties.hasAlpha)
            let alpha = try file.frame(as: .rgba8Straight).pixels.map { Int($0[3]) }
            let most = zip(alpha, source.pixels).map { abs($0 - Int($1[3])) }.max() ?? 255
            #expect(most <= (encoder.format == .avif ? 0 : 16), "\(encoder.format): \(most)")
        }
    }

    #if JPEGXL
    @Test func `JPEG XL keeps 16 bits, and half floats`() throws {
        let wide = try Bitmap.noise(PixelSize(width: 21, height: 9), format: .rgba16Straight, seed: 3)
        let words = try EncodedImage(JXLEncoder(lossless: true, effort: 3).encode(wide))
        #expect(words.properties.bitDepth == 16)
        #expect(try words.frame(as: .rgba16Straight).packedBytes == wide.packedBytes)

        let light = try Bitmap(
            size: PixelSize(width: 16, height: 2), format: .rgbaHalfPremultiplied, isOpaque: true
        ) { pixels in
            for y in 0..<2 {
                for x in 0..<16 {
                    let color = SIMD4<UInt16>(halfBits(x), 0x3800, 0x3C00, 0x3C00)
                    pixels.row(y).storeBytes(of: color, toByteOffset: 8 * x, as: SIMD4<UInt16>.self)
                }
            }
        }
        let bright = try EncodedImage(JXLEncoder(lossless: true, effort: 3).encode(light))
        #expect(bright.properties.bitDepth == 16)
        let seen = try bright.frame(as: .rgbaHalfPremultiplied)
        for (own, theirs) in zip(light.pixels, seen.pixels) {
            for channel in [0, 2, 4] {
                // The order of half floats is that of their bits. The file contains values brighter than white, but
                // our decoder clips them: without an HDR transfer function, it assumes that light ends at 1.
                let a = min(Int(own[channel]) | Int(own[channel + 1]) << 8, 0x3C00)
                let b = Int(theirs[channel]) | Int(theirs[channel + 1]) << 8
                #expect(abs(a - b) <= 8, "\(own) \(theirs)")
            }
        }
    }

    /// Returns the bits of 0.5, 0.75 … up to 4.25.
    private func halfBits(_ step: Int) -> UInt16 {
        let value = 0.5 + Double(step) * 0.25
        let exponent = value < 1 ? -1 : value < 2 ? 0 : value < 4 ? 1 : 2
        let power = [0.5, 1, 2, 4][exponent + 1]
        return UInt16(exponent + 15) << 10 | UInt16((value / power - 1) * 1024)
    }
    #endif

    #if AVIF
    @Test func `AVIF stores wide images with 10 bits, lossless ones with 12`() throws {
        let wide = try Bitmap.noise(PixelSize(width: 21, height: 9), format: .rgba16Straight, seed: 3)
        #expect(try EncodedImage(AVIFEncoder(speed: 10).encode(wide)).properties.bitDepth == 10)
        let exact = try EncodedImage(AVIFEncoder(lossless: true, speed: 10).encode(wide))
        #expect(exact.properties.bitDepth == 12)
        let seen = try exact.frame(as: .rgba16Straight)
        let pairs = zip(wide.pixels, seen.pixels)
        #expect(pairs.allSatisfy { abs(Int($0[1]) - Int($1[1])) <= 1 })
    }
    #endif

    @Test func `Sides beyond a format's limit are a clear error`() throws {
        let wide = try Bitmap(size: PixelSize(width: 262_145, height: 1), format: .rgb8) { _ in }
        for format in ImageEncoders.formats where ![.png, .tiff, .bmp].contains(format) {
            let encoder = try #require(ImageEncoders.encoder(for: format))
            let error = try #require(throws: ImageError.self) { try encoder.encode(wide) }
            #expect(error.fault == .limit)
            #expect(error.format == format)
            #expect(error.message.contains("262145"), "\(error)")
        }
    }
}
