import FirnImage
import Testing

/// Reading single pixels, and images of one color.
@Suite struct PixelAccessTests {
    @Test(arguments: PixelFormat.allCases)
    func `A pixel has its color in every layout`(format: PixelFormat) throws {
        let orange = SRGBColor(red: 255, green: 128, blue: 3)
        let glass = SRGBColor(red: 200, green: 100, blue: 0, alpha: format.hasAlpha ? 51 : 255)
        let image = try Bitmap(size: PixelSize(width: 3, height: 2), format: .rgba8Straight) { pixels in
            for (x, color) in [orange, glass].enumerated() {
                let bytes = SIMD4(color.red, color.green, color.blue, color.alpha)
                pixels.row(0).storeBytes(of: bytes, toByteOffset: 4 * x, as: SIMD4<UInt8>.self)
                pixels.row(1).storeBytes(of: bytes, toByteOffset: 4 * (2 - x), as: SIMD4<UInt8>.self)
            }
            if !format.hasAlpha {
                let black = SIMD4<UInt8>(0, 0, 0, 255)
                pixels.row(0).storeBytes(of: black, toByteOffset: 8, as: SIMD4<UInt8>.self)
                pixels.row(1).storeBytes(of: black, toByteOffset: 0, as: SIMD4<UInt8>.self)
            }
        }.converted(to: format)
        #expect(image[0, 0] == orange && image[2, 1] == orange)
        // Multiplying by alpha rounds.
        let color = image[1, 1]
        #expect(color.alpha == glass.alpha && abs(Int(color.red) - 200) <= 2 && abs(Int(color.green) - 100) <= 2)
        #expect(image[2, 0] == (format.hasAlpha ? .clear : .black))
        for (x, y) in [(-1, 0), (0, -1), (3, 0), (0, 2), (.max, .max), (.min, 0)] { #expect(image[x, y] == .clear) }
    }

    @Test func `An image of one color has it in every pixel`() throws {
        let red = try Bitmap(width: 5, height: 3, color: .red)
        #expect(red.size == PixelSize(width: 5, height: 3) && !red.hasAlpha)
        #expect((0..<3).allSatisfy { y in (0..<5).allSatisfy { red[$0, y] == .red } })
        let glass = try Bitmap(width: 1, height: 1, color: SRGBColor(red: 255, green: 0, blue: 0, alpha: 128))
        #expect(glass.hasAlpha && glass[0, 0] == SRGBColor(red: 255, green: 0, blue: 0, alpha: 128))
        #expect(throws: ImageError.self) { try Bitmap(width: 0, height: 3, color: .white) }
        #expect(throws: ImageError.self) { try Bitmap(width: .max, height: .max, color: .white) }
    }
}
