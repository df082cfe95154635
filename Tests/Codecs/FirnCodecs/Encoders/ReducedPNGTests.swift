import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Tests that PNG stores an image with the smallest color type and depth that hold it.
@Suite struct ReducedPNGTests {
    /// Returns the bit depth and the color type of a PNG.
    private func head(_ file: Data) -> [UInt8] { Array(file[24..<26]) }

    private func colors(_ count: Int, alpha: UInt8 = 255) throws -> Bitmap {
        try Bitmap.painted(PixelSize(width: 64, height: 64)) { x, y in
            let color = (y * 64 + x) % count
            return SIMD4(UInt8(color), UInt8(255 - color), 7, color == 0 ? alpha : 255)
        }
    }

    @Test(arguments: [(1, 1), (2, 1), (3, 2), (4, 2), (5, 4), (16, 4), (17, 8), (256, 8)])
    func `Few colors have a palette, and indices no larger than needed`(count: Int, depth: UInt8) throws {
        let image = try colors(count)
        let file = try PNGEncoder().encode(image)
        #expect(head(file) == [depth, 3])
        #expect(try EncodedImage(file).frame(as: .rgba8Straight).packedBytes == image.packedBytes)
        #expect(try head(PNGEncoder(reducesColors: false).encode(image)) == [8, 2])
    }

    @Test func `An image with too many colors for a palette becomes RGB, or RGBA with alpha`() throws {
        let many = try Bitmap.painted(PixelSize(width: 64, height: 64)) { x, y in
            SIMD4(UInt8(x), UInt8(y), UInt8(min(x, 4)), 255)
        }
        #expect(try head(PNGEncoder().encode(many)) == [8, 2])
        let clear = try Bitmap.painted(PixelSize(width: 64, height: 64)) { x, y in
            SIMD4(UInt8(x), UInt8(y), 9, x == 3 ? 128 : 255)
        }
        #expect(try head(PNGEncoder().encode(clear)) == [8, 6])
    }

    @Test func `A palette keeps half transparent colors`() throws {
        let image = try colors(40, alpha: 100)
        let file = try EncodedImage(PNGEncoder().encode(image))
        #expect(file.properties.hasAlpha)
        #expect(try file.frame(as: .rgba8Straight).packedBytes == image.packedBytes)
    }

    @Test(arguments: [(false, UInt8(0)), (true, 4)])
    func `Gray images are stored gray`(hasAlpha: Bool, type: UInt8) throws {
        let image = try Bitmap.painted(PixelSize(width: 300, height: 20)) { x, y in
            let level = UInt8(x * 255 / 299)
            return SIMD4(level, level, level, hasAlpha ? UInt8(55 + y * 10) : 255)
        }
        let file = try PNGEncoder().encode(image)
        #expect(head(file) == [8, type])
        #expect(try EncodedImage(file).frame(as: .rgba8Straight).packedBytes == image.packedBytes)
    }

    @Test(arguments: [false, true]) func `Gray images of 16 bits keep them`(hasAlpha: Bool) throws {
        let size = PixelSize(width: 50, height: 9)
        let image = try Bitmap(size: size, format: .rgba16Straight) { pixels in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let level = UInt16(x * 1_310 + y)
                    pixels.row(y).storeBytes(
                        of: SIMD4(level, level, level, hasAlpha ? UInt16(60_000 + y) : 65_535), toByteOffset: 8 * x,
                        as: SIMD4<UInt16>.self)
                }
            }
        }
        let file = try PNGEncoder().encode(image)
        #expect(head(file) == [16, hasAlpha ? 4 : 0])
        #expect(try EncodedImage(file).frame(as: .rgba16Straight).packedBytes == image.packedBytes)
    }

    @Test func `A gray image with an RGB profile is stored as RGB`() throws {
        let image = try Bitmap(
            size: PixelSize(width: 40, height: 40), format: .rgb8, colorProfile: ColorProfile.made()
        ) { _ in }
        let file = try EncodedImage(PNGEncoder().encode(image))
        #expect(file.properties.colorProfile != nil)
        #expect(file.properties.colorSpace != "gray")
    }
}
