import FirnImage
import FirnProcessing
import Testing

@Suite struct PixelateTests {
    /// The pixel that stands at a place beyond the edge of a mirrored image.
    private func mirrored(_ place: Int, _ length: Int) -> Int {
        let turn = place % (2 * length)
        return turn < length ? turn : 2 * length - 1 - turn
    }

    @Test(arguments: PixelFormat.allCases, [2, 3, 5, 13, 40])
    func `Each square is the mean of its pixels, mirrored at the edges`(format: PixelFormat, side: Int) throws {
        let source = try Bitmap.test(PixelSize(width: 13, height: 7), format)
        let plain = PlainImage(source)
        let expected = PlainImage(source.size) { x, y in
            var sum = SIMD4<Double>.zero
            for row in 0..<side {
                for column in 0..<side {
                    sum += plain[mirrored(x / side * side + column, 13), mirrored(y / side * side + row, 7)]
                }
            }
            return sum / Double(side * side)
        }
        let result = try ImageProcessors.Pixelate(side: side).apply(source)
        // Straight color and alpha are both rounded, and their product is compared.
        let most = format == .rgba8Straight ? 1.01 : 0.6
        #expect(try #require(PlainImage(result).difference(expected)) < most)
        #expect(result.format == format && result.isOpaque == source.isOpaque && result.isValid)
    }

    @Test func `A side of one changes nothing, the longest makes one color`() throws {
        let source = try Bitmap.test(PixelSize(width: 9, height: 5), .rgb8)
        #expect(try ImageProcessors.Pixelate(side: 1).apply(source).packedBytes == source.packedBytes)
        let one = try ImageProcessors.Pixelate(side: ImageProcessors.Pixelate.longestSide).apply(source)
        #expect(Set(one.pixels).count == 1)
    }
}
