import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@Suite struct GIFEncoderTests {
    @Test(arguments: [1, 2, 3, 255, 256]) func `As many colors as a palette has are kept exactly`(count: Int) throws {
        let image = try Bitmap.painted(PixelSize(width: 60, height: 50), .rgb8) { x, y in
            let color = (y * 60 + x) % count
            return SIMD4(UInt8(color), UInt8(color * 7 & 255), UInt8(255 - color), 255)
        }
        let file = try EncodedImage(GIFEncoder().encode(image))
        #expect(file.properties.frameCount == 1)
        #expect(try file.frame(as: .rgb8).packedBytes == image.packedBytes)
    }

    @Test(arguments: [1, 255]) func `Beside transparent pixels 255 colors are kept`(count: Int) throws {
        let image = try Bitmap.painted(PixelSize(width: 60, height: 50)) { x, y in
            let color = (y * 60 + x) % (count + 1)
            return color == count ? SIMD4(0, 0, 0, 0) : SIMD4(UInt8(color), 9, UInt8(255 - color), 255)
        }
        let file = try EncodedImage(GIFEncoder().encode(image))
        #expect(file.properties.hasAlpha)
        #expect(try file.frame(as: .rgba8Straight).packedBytes == image.packedBytes)
    }

    @Test func `Below half an alpha pixels are transparent, else opaque`() throws {
        let image = try Bitmap.painted(PixelSize(width: 4, height: 1)) { x, _ in
            SIMD4(200, 100, 50, [0, 127, 128, 255][x])
        }
        let seen = try EncodedImage(GIFEncoder().encode(image)).frame(as: .rgba8Straight)
        #expect(seen.pixels == [[0, 0, 0, 0], [0, 0, 0, 0], [200, 100, 50, 255], [200, 100, 50, 255]])
    }

    @Test(arguments: GIFEncoder.Dithering.allCases)
    func `A palette of many colors is close to them`(dithering: GIFEncoder.Dithering) throws {
        let image = try Bitmap.painted(PixelSize(width: 128, height: 96), .rgb8) { x, y in
            SIMD4(UInt8(x * 2), UInt8(y * 2), UInt8((x + y) / 2), 255)
        }
        func difference(_ colors: Int) throws -> Double {
            try EncodedImage(GIFEncoder(colors: colors, dithering: dithering).encode(image)).frame(as: .rgb8)
                .meanDifference(from: image)
        }
        let (fine, coarse) = (try difference(256), try difference(8))
        #expect(fine < 7, "\(fine)")
        #expect(coarse > fine)
        // Dithering keeps the image's mean.
        let seen = try EncodedImage(GIFEncoder(colors: 16, dithering: dithering).encode(image)).frame(as: .rgb8)
        func mean(_ bitmap: Bitmap) -> Double {
            Double(bitmap.packedBytes.reduce(0) { $0 + Int($1) }) / Double(bitmap.packedBytes.count)
        }
        #expect(abs(mean(seen) - mean(image)) < 3)
    }

    @Test func `No more colors are used than are allowed`() throws {
        let image = try Bitmap.noise(PixelSize(width: 64, height: 64), format: .rgb8, seed: 4)
        for colors in [2, 5, 64, 256] {
            let seen = try EncodedImage(GIFEncoder(colors: colors).encode(image)).frame(as: .rgb8)
            #expect(Set(seen.pixels).count <= colors)
        }
        #expect(GIFEncoder(colors: -5).colors == 2)
        #expect(GIFEncoder(colors: 9_999).colors == 256)
    }

    @Test func `Long rows of codes of every length are decoded`() throws {
        // Noise fills the table of codes many times.
        let image = try Bitmap.painted(PixelSize(width: 500, height: 300), .rgb8) { x, y in
            let hash = UInt32(truncatingIfNeeded: (x &* 73_856_093) ^ (y &* 19_349_663)) &* 2_654_435_761
            return SIMD4(UInt8(hash >> 24), 1, 2, 255)
        }
        #expect(try EncodedImage(GIFEncoder().encode(image)).frame(as: .rgb8).packedBytes == image.packedBytes)
    }
}
