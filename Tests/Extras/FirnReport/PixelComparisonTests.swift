import FirnImage
import FirnReport
import Testing

@Suite struct PixelComparisonTests {
    /// Returns an image of one color with another pixel in the middle.
    private func image(
        _ side: Int = 20, _ color: [UInt8] = [100, 50, 25, 255], middle: [UInt8]? = nil
    ) throws -> Bitmap {
        try Bitmap(size: PixelSize(width: side, height: side), format: .rgba8Straight) { pixels in
            for y in 0..<side {
                for x in 0..<side {
                    let isMiddle = x == side / 2 && y == side / 2
                    for (channel, value) in (isMiddle ? middle ?? color : color).enumerated() {
                        pixels.row(y).storeBytes(of: value, toByteOffset: 4 * x + channel, as: UInt8.self)
                    }
                }
            }
        }
    }

    @Test(arguments: [1, 3, 8, 20]) func `Equal images have similarity 1 and no difference`(side: Int) throws {
        let comparison = try #require(PixelComparison(image(side), image(side)))
        #expect(comparison.similarity == 1)
        #expect(comparison.greatestDifference == 0 && comparison.differentPixels == 0)
    }

    @Test(arguments: [1, 3, 8, 20]) func `A single different pixel is found at any size`(side: Int) throws {
        let comparison = try #require(PixelComparison(image(side), image(side, middle: [130, 50, 25, 255])))
        #expect(comparison.greatestDifference == 30)
        #expect(comparison.differentPixels == 1)
        #expect(comparison.similarity < 1 && comparison.similarity > 0)
    }

    @Test func `The color of transparent pixels does not count, and half of it counts half`() throws {
        let clear = try image(4, [0, 0, 0, 0])
        #expect(try PixelComparison(clear, image(4, [255, 9, 9, 0]))?.greatestDifference == 0)
        #expect(try PixelComparison(clear, image(4, [0, 0, 0, 51]))?.greatestDifference == 51)
        let half = try PixelComparison(image(4, [200, 0, 0, 51]), image(4, [100, 0, 0, 51]))
        #expect(half?.greatestDifference == 20)
    }

    @Test func `A stronger distortion is less similar`() throws {
        let weak = try #require(PixelComparison(image(), image(middle: [110, 50, 25, 255])))
        let strong = try #require(PixelComparison(image(), image(middle: [250, 250, 250, 255])))
        #expect(strong.similarity < weak.similarity)
    }

    @Test func `Images of different sizes or layouts are not compared`() throws {
        #expect(try PixelComparison(image(4), image(5)) == nil)
        let other = try Bitmap(size: PixelSize(width: 4, height: 4), format: .rgb8, isOpaque: true) { _ in }
        #expect(try PixelComparison(image(4), other) == nil)
    }
}
