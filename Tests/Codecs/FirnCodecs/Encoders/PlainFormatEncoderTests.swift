import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Tests the files of BMP, ICO and TIFF, byte by byte where they are small. Lossless round trips of many images are in
/// ``RandomImageTests``.
@Suite struct PlainFormatEncoderTests {
    private func bytes(_ text: String) -> Data {
        Data(text.split(whereSeparator: \.isWhitespace).compactMap { UInt8($0, radix: 16) })
    }

    private func number(_ file: Data, _ at: Int, _ count: Int = 4) -> Int {
        (0..<count).reduce(0) { $0 | Int(file[file.startIndex + at + $1]) << (8 * $1) }
    }

    private func image(alpha: UInt8 = 255) throws -> Bitmap {
        try Bitmap.painted(PixelSize(width: 2, height: 2)) { x, y in
            SIMD4(UInt8(10 + x), UInt8(20 + y), 30, x == 0 ? alpha : 255)
        }
    }

    @Test func `An opaque BMP has 24 bits a pixel, rows from the bottom, padded to four bytes`() throws {
        let expected = bytes(
            """
            42 4D 46 00 00 00 00 00 00 00 36 00 00 00
            28 00 00 00 02 00 00 00 02 00 00 00 01 00 18 00 00 00 00 00 10 00 00 00
            00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
            1E 15 0A 1E 15 0B 00 00
            1E 14 0A 1E 14 0B 00 00
            """)
        #expect(try BMPEncoder().encode(image()) == expected)
    }

    @Test func `A BMP with alpha has 32 bits a pixel, masks and a color space`() throws {
        let file = try BMPEncoder().encode(image(alpha: 77))
        #expect(file.count == 14 + 108 + 16 && number(file, 10) == 122 && number(file, 14) == 108)
        #expect(number(file, 28, 2) == 32 && number(file, 30) == 3)
        #expect(file[54..<70] == bytes("00 00 FF 00 00 FF 00 00 FF 00 00 00 00 00 00 FF"))
        #expect(file[70..<74] == Data("BGRs".utf8))
        #expect(file.suffix(16) == bytes("1E 15 0A 4D 1E 15 0B FF 1E 14 0A 4D 1E 14 0B FF"))
        #expect(try EncodedImage(file).frame(as: .rgba8Straight).packedBytes == image(alpha: 77).packedBytes)
    }

    @Test(arguments: [UInt8(255), 9]) func `A BMP embeds a profile behind its pixels`(alpha: UInt8) throws {
        let profile = try #require(ColorProfile(icc: DecoderSamples.swappedProfile))
        let source = try Bitmap(
            size: PixelSize(width: 3, height: 2), format: .rgba8Straight, colorProfile: profile
        ) { pixels in
            for y in 0..<2 { pixels.row(y).initializeMemory(as: UInt8.self, repeating: alpha, count: 12) }
        }
        let file = try BMPEncoder().encode(source)
        #expect(number(file, 14) == 124 && file.suffix(profile.icc.count) == profile.icc)
        let read = try EncodedImage(file)
        #expect(read.properties.colorProfile?.icc == profile.icc)
    }

    @Test func `An icon is one PNG with alpha, whatever the image has`() throws {
        for (side, stored) in [(2, UInt8(2)), (255, 255), (256, 0)] {
            let source = try Bitmap(size: PixelSize(width: side, height: side), format: .rgb8) { pixels in
                for y in 0..<side { pixels.row(y).initializeMemory(as: UInt8.self, repeating: 7, count: 3 * side) }
            }
            let file = try ICOEncoder().encode(source)
            #expect(file.prefix(14) == Data([0, 0, 1, 0, 1, 0, stored, stored, 0, 0, 1, 0, 32, 0]))
            #expect(number(file, 14) == file.count - 22 && number(file, 18) == 22)
            // Eight bits, red, green, blue and alpha.
            #expect(file[22..<26] == Data([0x89, 0x50, 0x4E, 0x47]) && file[46..<48] == Data([8, 6]))
            let read = try EncodedImage(file)
            #expect(read.properties.format == .ico && read.properties.frameCount == 1)
            let pixels = try read.frame(as: .rgba8Straight).packedBytes
            #expect(pixels == [UInt8](repeatElement([7, 7, 7, 255], count: side * side).joined()))
        }
    }

    @Test func `An icon has at most 256 pixels a side`() throws {
        for size in [PixelSize(width: 257, height: 1), PixelSize(width: 1, height: 257)] {
            let source = try Bitmap(size: size, format: .rgb8) { _ in }
            let error = #expect(throws: ImageError.self) { try ICOEncoder().encode(source) }
            #expect(error?.fault == .limit && error?.message.contains("256") == true)
        }
    }

    /// The entries of a TIFF directory: type, count, and the value or its offset, by tag.
    private func directory(_ file: Data) -> [Int: (type: Int, count: Int, value: Int)] {
        let start = number(file, 4)
        var entries: [Int: (type: Int, count: Int, value: Int)] = [:]
        for entry in 0..<number(file, start, 2) {
            let at = start + 2 + 12 * entry
            entries[number(file, at, 2)] = (number(file, at + 2, 2), number(file, at + 4), number(file, at + 8))
        }
        return entries
    }

    @Test(arguments: [(UInt8(255), 3), (9, 4)])
    func `A TIFF is one baseline page of RGB, or of RGBA with straight alpha`(alpha: UInt8, samples: Int) throws {
        let file = try TIFFEncoder().encode(image(alpha: alpha))
        #expect(file.prefix(4) == Data([0x49, 0x49, 42, 0]))
        let entries = directory(file)
        let start = number(file, 4)
        let tags = (0..<number(file, start, 2)).map { number(file, start + 2 + 12 * $0, 2) }
        #expect(tags == tags.sorted() && start % 2 == 0 && number(file, start + 2 + 12 * tags.count) == 0)
        #expect(start + 2 + 12 * tags.count + 4 == file.count)
        let expected = [
            256: 2, 257: 2, 259: 8, 262: 2, 273: 8, 277: samples, 278: 2, 284: 1, 296: 1, 317: 2,
        ]
        for (tag, value) in expected { #expect(entries[tag]?.value == value, "\(tag)") }
        #expect(entries[338]?.value == (samples == 4 ? 2 : nil))
        let depths = try #require(entries[258])
        #expect(depths.count == samples)
        for sample in 0..<samples { #expect(number(file, depths.value + 2 * sample, 2) == 8) }
        for tag in [282, 283] {
            let offset = try #require(entries[tag]?.value)
            #expect(number(file, offset) == 1 && number(file, offset + 4) == 1)
        }
    }

    @Test func `Without compression, a TIFF holds the differences of its samples`() throws {
        let file = try TIFFEncoder(compressionLevel: 0).encode(image())
        let entries = directory(file)
        let strip = try #require(entries[273]?.value)
        let length = try #require(entries[279]?.value)
        // A stored block: two bytes of zlib, one of the block's kind, its length twice, the bytes, a checksum.
        let rows = file[strip + 7..<strip + length - 4]
        #expect(rows == Data([10, 20, 30, 1, 0, 0, 10, 21, 30, 1, 0, 0]))
    }

    #if TIFF
    @Test func `A large TIFF has many strips`() throws {
        let source = try Bitmap.noise(PixelSize(width: 700, height: 401), format: .rgb8, seed: 4)
        let file = try TIFFEncoder(compressionLevel: 1).encode(source)
        let entries = directory(file)
        let rows = try #require(entries[278]?.value)
        #expect(rows == (1 << 18) / 2100 && entries[273]?.count == 401 / rows + 1)
        #expect(try EncodedImage(file).frame(as: .rgb8).packedBytes == source.packedBytes)
        // A row that is longer than a strip.
        let wide = try Bitmap.noise(PixelSize(width: 100_000, height: 3), format: .rgb8, seed: 5)
        #expect(try EncodedImage(TIFFEncoder().encode(wide)).frame(as: .rgb8).packedBytes == wide.packedBytes)
    }

    @Test(arguments: [true, false]) func `A TIFF keeps 16 bits`(opaque: Bool) throws {
        let size = PixelSize(width: 37, height: 11)
        let noise = try Bitmap.noise(size, format: .rgba16Straight, seed: 6)
        let source = try Bitmap(size: size, format: .rgba16Straight) { pixels in
            noise.withUnsafeBytes { bytes in
                for y in 0..<size.height {
                    for x in 0..<size.width {
                        var pixel = bytes.loadUnaligned(
                            fromByteOffset: y * noise.bytesPerRow + 8 * x, as: SIMD4<UInt16>.self)
                        // Decoders make invisible pixels black.
                        pixel.w = opaque ? 65_535 : max(1, pixel.w)
                        pixels.row(y).storeBytes(of: pixel, toByteOffset: 8 * x, as: SIMD4<UInt16>.self)
                    }
                }
            }
        }
        let file = try EncodedImage(TIFFEncoder().encode(source))
        #expect(file.properties.bitDepth == 16 && file.properties.hasAlpha == !opaque)
        #expect(try file.frame(as: .rgba16Straight).packedBytes == source.packedBytes)
    }

    @Test func `A TIFF embeds a profile`() throws {
        let profile = try #require(ColorProfile(icc: DecoderSamples.swappedProfile))
        let source = try Bitmap(size: PixelSize(width: 5, height: 3), format: .rgb8, colorProfile: profile) { _ in }
        #expect(try EncodedImage(TIFFEncoder().encode(source)).properties.colorProfile?.icc == profile.icc)
    }
    #endif

    @Test func `Wide images are rounded where eight bits are stored`() throws {
        let wide = try Bitmap.noise(PixelSize(width: 9, height: 4), format: .rgba16Straight, seed: 3)
        let narrow = try wide.converted(to: .rgba8Straight)
        #expect(try BMPEncoder().encode(wide) == BMPEncoder().encode(narrow))
        #expect(try ICOEncoder().encode(wide) == ICOEncoder().encode(narrow))
        let light = try wide.converted(to: .rgbaHalfPremultiplied)
        let depths = try directory(TIFFEncoder().encode(light))[258]
        #expect(depths?.count == 4)
    }
}
