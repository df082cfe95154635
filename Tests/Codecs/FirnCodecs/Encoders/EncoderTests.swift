import FirnCodecs
import FirnImage
import FirnProcessing
import FoundationEssentials
import Testing

@Suite struct EncoderTests {
    static let formats: [PixelFormat] = [.bgra8Premultiplied, .rgba8Straight, .rgb8]

    private func decoded(_ file: Data, _ format: PixelFormat, applyingProfile: Bool = true) throws -> Bitmap {
        var options = DecodingOptions()
        options.pixelFormat = format
        options.appliesColorProfile = applyingProfile
        return try session(file).decode(options)
    }

    @Test(arguments: formats, [0, 1, 6, 9])
    func `PNG keeps every byte, in every layout and at every level`(format: PixelFormat, level: Int) throws {
        for size in [PixelSize(width: 1, height: 1), PixelSize(width: 67, height: 31)] {
            let source = try Bitmap.noise(size, format: format, seed: 31).premultipliedIfNeeded()
            let file = try PNGEncoder(compressionLevel: level).encode(source)
            var expected = source.packedBytes
            if format == .rgba8Straight {
                // Our decoders make invisible pixels black.
                expected = try source.converted(to: .bgra8Premultiplied).packedBytes
                #expect(try decoded(file, .bgra8Premultiplied).packedBytes == expected)
            } else {
                #expect(try decoded(file, format).packedBytes == expected)
            }
        }
    }

    @Test(arguments: formats)
    func `Lossless WebP keeps every byte`(format: PixelFormat) throws {
        let source = try Bitmap.noise(PixelSize(width: 67, height: 31), format: format, seed: 32)
            .premultipliedIfNeeded()
        let file = try WebPEncoder(lossless: true).encode(source)
        let layout: PixelFormat = format == .rgba8Straight ? .bgra8Premultiplied : format
        #expect(try decoded(file, layout).packedBytes == source.converted(to: layout).packedBytes)
    }

    @Test func `Exact formats keep the color of invisible pixels`() throws {
        func image(_ red: UInt8) throws -> Bitmap {
            try Bitmap(size: PixelSize(width: 2, height: 1), format: .rgba8Straight) { pixels in
                pixels.row(0).storeBytes(of: SIMD4(1, 2, 3, 4), as: SIMD4<UInt8>.self)
                pixels.row(0).storeBytes(of: SIMD4(red, 2, 3, 0), toByteOffset: 4, as: SIMD4<UInt8>.self)
            }
        }
        for encoder in [PNGEncoder(), WebPEncoder(lossless: true)] as [any ImageEncoding] {
            #expect(try encoder.encode(image(9)) != encoder.encode(image(200)))
        }
    }

    @Test(arguments: formats)
    func `Lossy files are close to the image, closer at a higher quality`(format: PixelFormat) throws {
        // The image has no fine stripes, which chroma subsampling would remove.
        let source = try Bitmap.scene(PixelSize(width: 26, height: 19), format: format)
            .resized(to: PixelSize(width: 203, height: 151), filter: .bilinear)
        func distance(_ encoder: any ImageEncoding) throws -> (mean: Double, bytes: Int) {
            let file = try encoder.encode(source)
            let result = try decoded(file, format)
            #expect(result.size == source.size)
            #expect(result.isOpaque)
            let pairs = zip(source.packedBytes, result.packedBytes)
            return (
                pairs.reduce(0) { $0 + abs(Double($1.0) - Double($1.1)) } / Double(source.packedBytes.count), file.count
            )
        }
        for (low, high) in [
            (JPEGEncoder(quality: 0.3), JPEGEncoder(quality: 0.95)) as (any ImageEncoding, any ImageEncoding),
            (WebPEncoder(quality: 0.3), WebPEncoder(quality: 0.95)),
            (JPEGEncoder(quality: 0.3, progressive: true), JPEGEncoder(quality: 0.95, progressive: true)),
        ] {
            let (coarse, fine) = (try distance(low), try distance(high))
            #expect(fine.mean < 8)
            #expect(fine.mean < coarse.mean)
            #expect(fine.bytes > coarse.bytes)
        }
    }

    @Test func `Lossy WebP keeps alpha exactly`() throws {
        let source = try Bitmap.noise(PixelSize(width: 40, height: 30), format: .rgba8Straight, seed: 6)
        let result = try decoded(try WebPEncoder(quality: 0.5).encode(source), .rgba8Straight)
        #expect(result.pixels.map { $0[3] } == source.pixels.map { $0[3] })
        #expect(!result.isOpaque)
    }

    @Test(arguments: [PixelFormat.bgra8Premultiplied, .rgba8Straight])
    func `JPEG refuses transparent pixels, and the error suggests flattening`(format: PixelFormat) throws {
        let source = try Bitmap(size: PixelSize(width: 3, height: 3), format: format) { _ in }
        let error = try #require(throws: ImageError.self) { try JPEGEncoder().encode(source) }
        #expect(error.format == .jpeg)
        #expect(error.message.contains("flatten"))
    }

    @Test func `Pixels that are all opaque may become JPEG even where the flag does not say so`() throws {
        let source = try Bitmap(size: PixelSize(width: 9, height: 5)) { pixels in
            for y in 0..<5 { pixels.row(y).initializeMemory(as: UInt8.self, repeating: 255, count: 36) }
        }
        let result = try decoded(try JPEGEncoder().encode(source), .rgb8)
        #expect(result.packedBytes.allSatisfy { $0 >= 254 })
    }

    static let encoders: [any ImageEncoding] = [
        JPEGEncoder(), JPEGEncoder(progressive: true), PNGEncoder(), WebPEncoder(), WebPEncoder(lossless: true),
    ]

    @Test(arguments: encoders.indices)
    func `Equal images give equal bytes`(index: Int) throws {
        let encoder = EncoderTests.encoders[index]
        let source = try Bitmap.scene(PixelSize(width: 120, height: 90), format: .bgra8Premultiplied)
        let again = try Bitmap.scene(PixelSize(width: 120, height: 90), format: .bgra8Premultiplied)
        let file = try encoder.encode(source)
        #expect(try encoder.encode(again) == file)
        #expect(ImageFormat(file) == encoder.format)
        // Bytes after the rows' ends do not count: the same pixels without padding give the same file.
        #expect(try encoder.encode(source.converted(to: .rgb8)) == file)
    }

    @Test(arguments: encoders.indices)
    func `A color profile is embedded whole, however many segments it takes`(index: Int) throws {
        let encoder = EncoderTests.encoders[index]
        for length in [500, 70_000] {
            let profile = try #require(ColorProfile.made(length: length))
            let source = try Bitmap(
                size: PixelSize(width: 8, height: 8), format: .rgb8, colorProfile: profile
            ) { _ in }
            let file = try encoder.encode(source)
            #expect(try session(file).properties()?.colorProfile == profile)
            #expect(try decoded(file, .rgb8, applyingProfile: false).packedBytes.allSatisfy { $0 <= 2 })
            let plain = try Bitmap(size: PixelSize(width: 8, height: 8), format: .rgb8) { _ in }
            #expect(try session(try encoder.encode(plain)).properties()?.colorProfile == nil)
        }
    }

    @Test func `A side that the format cannot have is a clear error`() throws {
        for (encoder, limit) in [(JPEGEncoder(), 65_500), (WebPEncoder(), 16_383)] as [(any ImageEncoding, Int)] {
            for size in [PixelSize(width: limit + 1, height: 1), PixelSize(width: 1, height: limit + 1)] {
                let source = try Bitmap(size: size, format: .rgb8) { _ in }
                let error = try #require(throws: ImageError.self) { try encoder.encode(source) }
                #expect(error.message.contains("\(size)"))
                #expect(error.message.contains("\(limit)"))
            }
            let largest = try Bitmap(size: PixelSize(width: limit, height: 1), format: .rgb8) { _ in }
            #expect(try !encoder.encode(largest).isEmpty)
        }
    }

    @Test func `Settings beyond their range are cut, and are no crash`() throws {
        let source = try Bitmap.scene(PixelSize(width: 16, height: 16))
        for quality in [-1, 0, 2, Double.nan, .infinity] {
            #expect(try !JPEGEncoder(quality: quality).encode(source).isEmpty)
            #expect(try !WebPEncoder(quality: quality).encode(source).isEmpty)
        }
        #expect(try PNGEncoder(compressionLevel: 99).encode(source) == PNGEncoder(compressionLevel: 9).encode(source))
    }

    @Test func `Encoders are found by format`() {
        for format in ImageEncoders.formats {
            #expect(ImageEncoders.encoder(for: format)?.format == format)
            #expect(ImageEncoders.encoder(for: format, quality: 0.5)?.format == format)
        }
        #expect(ImageEncoders.encoder(for: .heic) == nil)
        #expect(ImageEncoders.formats.count >= 7)
        #expect((ImageEncoders.encoder(for: .jpeg, quality: 0.5) as? JPEGEncoder)?.quality == 0.5)
    }
}
