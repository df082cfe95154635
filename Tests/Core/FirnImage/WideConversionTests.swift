import FirnImage
import Testing

/// Tests layouts of more than 8 bits a component, and their conversions.
@Suite struct WideConversionTests {
    private let wide = [PixelFormat.rgba16Straight, .rgbaHalfPremultiplied]

    private func image(_ format: PixelFormat, _ words: [[UInt16]]) throws -> Bitmap {
        try Bitmap(size: PixelSize(width: words.count, height: 1), format: format) { pixels in
            for (x, pixel) in words.enumerated() {
                for (channel, word) in pixel.enumerated() {
                    pixels.row(0).storeBytes(of: word, toByteOffset: 8 * x + 2 * channel, as: UInt16.self)
                }
            }
        }
    }

    /// Returns straight pixels with alpha in steps and a variety of colors.
    private func straight() throws -> Bitmap {
        try Bitmap(size: PixelSize(width: 64, height: 52), format: .rgba8Straight) { pixels in
            for y in 0..<52 {
                for x in 0..<64 {
                    let pixel = [UInt8(x * 4), UInt8(255 - x * 4), UInt8(x * y % 256), UInt8(y * 5)]
                    for channel in 0..<4 {
                        pixels.row(y).storeBytes(of: pixel[channel], toByteOffset: 4 * x + channel, as: UInt8.self)
                    }
                }
            }
        }
    }

    @Test func `a pixel has as many bytes as its components`() {
        #expect(PixelFormat.allCases.map(\.bytesPerPixel) == [4, 4, 3, 8, 8])
        #expect(PixelFormat.allCases.filter(\.isWide) == wide)
        #expect(PixelFormat.allCases.filter { !$0.hasAlpha } == [.rgb8])
    }

    @Test func `images of 8 bits survive a conversion to wide formats`() throws {
        let straight = try straight()
        let screen = try straight.converted(to: .bgra8Premultiplied)
        for format in wide {
            #expect(try screen.converted(to: format).converted(to: .bgra8Premultiplied).pixels == screen.pixels)
        }
        let words = try straight.converted(to: .rgba16Straight)
        #expect(try words.converted(to: .rgba8Straight).pixels == straight.pixels)
        let opaque = try Bitmap.noise(PixelSize(width: 256, height: 20), format: .rgb8, seed: 3)
        for format in wide {
            let there = try opaque.converted(to: format)
            #expect(there.isOpaque)
            #expect(try there.converted(to: .rgb8).pixels == opaque.pixels)
        }
    }

    @Test func `words become bytes by rounding`() throws {
        let source = try image(
            .rgba16Straight, (0...65_535 / 16).map { [UInt16($0 * 16), 128, 129, 65_535] })
        for (x, pixel) in try source.converted(to: .rgba8Straight).pixels.enumerated() {
            let expected = (Double(x * 16) / 257).rounded()
            guard pixel == [UInt8(expected), 0, 1, 255] else {
                Issue.record("\(x * 16) became \(pixel)")
                return
            }
        }
    }

    @Test func `light is linear and 1 for white, half floats are multiplied by alpha`() throws {
        let source = try image(
            .rgba16Straight,
            [[65_535, 0, 48_192, 65_535], [65_535, 65_535, 65_535, 32_768], [65_535, 30_000, 1, 0]])
        let light = try source.converted(to: .rgbaHalfPremultiplied).numbers
        // 48192 / 65535 is the sRGB encoding of 0.5.
        for (found, expected) in zip(light, [1, 0, 0.5, 1, 0.5, 0.5, 0.5, 0.5, 0, 0, 0, 0]) {
            #expect(abs(found - expected) < 0.0005, "\(light)")
        }
    }

    @Test func `half floats beyond 0 to 1 are clamped, and NaN becomes black or white`() throws {
        func half(_ number: Double) -> UInt16 { Float16(number).bitPattern }
        let source = try image(
            .rgbaHalfPremultiplied,
            [
                [half(3), half(-0.5), half(0.5), half(1)],
                [0x7E00, 0x7C00, 0xFC00, half(1)],
                [half(2), half(0.25), half(0), half(0.5)],
                [half(1), half(1), half(1), 0x7E00],
            ])
        let result = try source.converted(to: .rgba16Straight).words
        #expect(result[0] == 65_535 && result[1] == 0 && abs(Int(result[2]) - 48_192) <= 1 && result[3] == 65_535)
        #expect(Array(result[4..<8]) == [65_535, 65_535, 0, 65_535])
        #expect(result[8] == 65_535 && abs(Int(result[9]) - 48_192) <= 16 && result[10] == 0)
        #expect(result[11] == 32_768)
    }

    @Test func `all halves convert to their numbers and back`() throws {
        for bits in UInt16(0)..<0x7C00 {
            let number = HalfFloats.numbers(SIMD4(bits, bits | 0x8000, 0, 0))
            let expected = Float(Float16(bitPattern: bits))
            guard number.x == expected, number.y == -expected else {
                Issue.record("\(bits) became \(number)")
                return
            }
            // Half way to the next value, ties round to the even one.
            let next = bits == 0x7BFF ? expected : Float(Float16(bitPattern: bits + 1))
            let between = [expected, (expected + next) / 2, ((expected + next) / 2).nextUp, -next]
            let halves = HalfFloats.halves(SIMD4(between[0], between[1], between[2], between[3]))
            for channel in 0..<4 {
                guard halves[channel] == Float16(between[channel]).bitPattern else {
                    Issue.record("\(between[channel]) became \(halves[channel])")
                    return
                }
            }
        }
        #expect(HalfFloats.halves(SIMD4(1e9, -.infinity, .nan, 65_519)) == SIMD4(0x7BFF, 0xFBFF, 0, 0x7BFF))
    }

    @Test func `a transparent pixel refuses a layout without alpha`() throws {
        let source = try image(.rgba16Straight, [[1, 2, 3, 65_535], [1, 2, 3, 65_534]])
        #expect(throws: ImageError.notOpaque(.rgb8)) { try source.converted(to: .rgb8) }
    }

    @Test(arguments: [PixelFormat.rgba16Straight, .rgbaHalfPremultiplied], ImageOrientation.allCases)
    func `wide pixels are rotated as a whole`(format: PixelFormat, orientation: ImageOrientation) throws {
        let narrow = try Bitmap.noise(PixelSize(width: 37, height: 11), format: .rgb8, seed: 5)
        let turned = try narrow.converted(to: format).oriented(orientation)
        #expect(try turned.converted(to: .rgb8).pixels == narrow.oriented(orientation).pixels)
    }
}
