import FirnImage
import FirnProcessing
import FirnSystem
import Testing

/// Compares matrices, blend modes and backgrounds with plain arithmetic.
@Suite struct ColorProcessorTests {
    private static let sizes = [(1, 1), (3, 2), (7, 5), (37, 3)].map { PixelSize(width: $0.0, height: $0.1) }
    /// Layouts of encoded colors.
    private static let encoded: [PixelFormat] = [.bgra8Premultiplied, .rgba8Straight, .rgb8, .rgba16Straight]

    private static let rows: [[Double]] = [[0.5, -0.25, 0.9, 0.1], [-1.5, 2, 0.25, -0.05], [0.3, 0.3, 0.3, 0]]

    private func matrix(_ rows: [[Double]]) -> ImageProcessors.ColorMatrix {
        let vectors = rows.map { SIMD4($0[0], $0[1], $0[2], $0[3]) }
        return ImageProcessors.ColorMatrix(red: vectors[0], green: vectors[1], blue: vectors[2])
    }

    /// Applies a matrix to a premultiplied pixel; the offset is also multiplied by alpha.
    private func changed(_ pixel: SIMD4<Double>, _ rows: [[Double]], cuts: Bool = true) -> SIMD4<Double> {
        var result = pixel
        for channel in 0..<3 {
            let row = rows[channel]
            let sum = pixel.x * row[0] + pixel.y * row[1] + pixel.z * row[2] + pixel.w * row[3]
            result[channel] = cuts ? min(max(sum, 0), pixel.w) : sum
        }
        return result
    }

    @Test(arguments: encoded, sizes)
    func `A matrix changes each color, and no alpha`(format: PixelFormat, size: PixelSize) throws {
        let source = try Bitmap.test(size, format)
        for scale in [1.0, 20] {
            let rows = Self.rows.map { $0.map { $0 * scale } }
            let result = try matrix(rows).apply(source)
            let expected = PlainImage(source).map { changed($0, rows) }
            let difference = try #require(PlainImage(result).difference(expected))
            // Half a level of rounding, and the rounding of straight layouts, weighted by alpha.
            #expect(difference < 0.75)
            #expect(result.isValid && result.format == format)
        }
    }

    @Test func `Blending half floats converts the color to linear light and keeps values beyond white`() throws {
        let source = try Bitmap.test(PixelSize(width: 9, height: 6), .rgbaHalfPremultiplied)
        let rows = ImageProcessors.ColorMatrix.brightness(0.5)
        let result = PlainImage(try rows.apply(source))
        let plain = PlainImage(source)
        func encode(_ value: Double) -> Double {
            value <= 0.0031308 ? value * 12.92 : 1.055 * pow(value, 1 / 2.4) - 0.055
        }
        func decode(_ value: Double) -> Double { value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4) }
        var isBeyond = false
        for (pixel, old) in zip(result.pixels, plain.pixels) where old.w > 0 {
            for channel in 0..<3 {
                let expected = decode(encode(old[channel] / old.w) + 0.5) * old.w
                #expect(abs(pixel[channel] - expected) < 0.004 * max(1, expected))
                isBeyond = isBeyond || pixel[channel] > pixel.w
            }
        }
        #expect(isBeyond)
    }

    @Test func `The effects do what their names say`() throws {
        let source = try Bitmap.test(PixelSize(width: 40, height: 9), .rgb8)
        func result(_ processor: ImageProcessors.ColorMatrix) throws -> [SIMD4<Double>] {
            PlainImage(try processor.apply(source)).pixels
        }
        let plain = PlainImage(source).pixels
        #expect(try result(.grayscale()).allSatisfy { $0.x == $0.y && $0.y == $0.z })
        #expect(try result(.saturation(0)) == result(.grayscale()))
        #expect(try result(.saturation(1)) == plain)
        #expect(try result(.contrast(1)) == plain)
        #expect(try result(.hue(degrees: 0)) == plain)
        #expect(try result(.brightness(1)).allSatisfy { $0 == SIMD4(repeating: 1) })
        #expect(try result(.contrast(0)).allSatisfy { abs($0.x - 0.5) < 0.003 })
        #expect(zip(try result(.inverted), plain).allSatisfy { abs($0.x + $1.x - 1) < 1e-9 })
        #expect(try result(.sepia()).allSatisfy { $0.x >= $0.y && $0.y >= $0.z })
        let blue = try result(.tint(SRGBColor(red: 0, green: 0, blue: 255)))
        #expect(blue.allSatisfy { $0.x == 0 && $0.y == 0 })
        let (dark, light) = (SRGBColor(red: 0, green: 51, blue: 255), SRGBColor(red: 255, green: 51, blue: 0))
        let tones = try result(.duotone(dark: dark, light: light))
        for (tone, gray) in zip(tones, try result(.grayscale())) {
            #expect(abs(tone.x - gray.x) * 255 < 1.01 && abs(tone.x + tone.z - 1) * 255 < 1.01)
            #expect(abs(tone.y - 0.2) < 1e-9)
        }
        #expect(try result(.duotone(dark: dark, light: light, 0)) == plain)
        // A full hue rotation changes nothing; gray has no hue.
        #expect(zip(try result(.hue(degrees: 360)), plain).allSatisfy { abs($0.x - $1.x) * 255 < 1.01 })
        let gray = try ImageProcessors.ColorMatrix.grayscale().apply(source)
        let turned = PlainImage(try ImageProcessors.ColorMatrix.hue(degrees: 120).apply(gray))
        #expect(try #require(turned.difference(PlainImage(gray))) < 1.01)
    }

    @Test(arguments: PixelFormat.allCases, sizes)
    func `Flattening blends the image over the color`(format: PixelFormat, size: PixelSize) throws {
        let source = try Bitmap.test(size, format)
        let result = try ImageProcessors.Flatten(background: SRGBColor(red: 255, green: 255, blue: 255)).apply(source)
        let expected = PlainImage(source).map { $0 + (1 - $0.w) }
        #expect(try #require(PlainImage(result).difference(expected)) < 1)
        #expect(result.isOpaque && PlainImage(result).pixels.allSatisfy { $0.w == 1 })
        #expect(result.format == format)
    }

    /// Returns the result of Porter and Duff's table, and of the two other modes.
    private func mixed(_ mode: ImageProcessingOptions.BlendMode, _ s: SIMD4<Double>, _ d: SIMD4<Double>) -> SIMD4<
        Double
    > {
        switch mode {
        case .clear: SIMD4()
        case .source: s
        case .destination: d
        case .sourceOver: s + d * (1 - s.w)
        case .destinationOver: d + s * (1 - d.w)
        case .sourceIn: s * d.w
        case .destinationIn: d * s.w
        case .sourceOut: s * (1 - d.w)
        case .destinationOut: d * (1 - s.w)
        case .sourceAtop: s * d.w + d * (1 - s.w)
        case .destinationAtop: d * s.w + s * (1 - d.w)
        case .xor: s * (1 - d.w) + d * (1 - s.w)
        case .plus: pointwiseMin(s + d, SIMD4(repeating: 1))
        case .multiply: s * d + s * (1 - d.w) + d * (1 - s.w)
        case .screen: s + d - s * d
        }
    }

    @Test(arguments: ImageProcessingOptions.BlendMode.allCases, PixelFormat.allCases)
    func `Overlays are blended by their mode, and only where they lie`(
        mode: ImageProcessingOptions.BlendMode, format: PixelFormat
    ) throws {
        let source = try Bitmap.test(PixelSize(width: 13, height: 11), format)
        let overFormat: PixelFormat = format.isWide ? format : .bgra8Premultiplied
        let over = try Bitmap.test(PixelSize(width: 9, height: 14), overFormat, seed: 9)
        for opacity in [1.0, 0.4] {
            let processor = ImageProcessors.Overlay(
                over, id: "o", anchor: .topRight, margin: 2, mode: mode, opacity: opacity)
            let result = try processor.apply(source)
            let (plain, upper) = (PlainImage(source), PlainImage(over))
            let expected = PlainImage(source.size) { x, y in
                guard (2..<11).contains(x), y >= 2 else { return plain[x, y] }
                return mixed(mode, upper[x - 2, y - 2] * opacity, plain[x, y])
            }
            // Half floats may hold more than white; other layouts clip there.
            if mode == .plus, format == .rgbaHalfPremultiplied { continue }
            let difference = try #require(PlainImage(result).difference(expected))
            #expect(difference < (opacity == 1 ? 1.01 : 1.6))
            #expect(result.isValid)
            if result.isOpaque { #expect(PlainImage(result).pixels.allSatisfy { $0.w == 1 }) }
        }
    }

    @Test func `An overlay may be partly or wholly outside`() throws {
        let source = try Bitmap.test(PixelSize(width: 5, height: 4), .bgra8Premultiplied)
        let over = try Bitmap.test(PixelSize(width: 3, height: 9), .bgra8Premultiplied, seed: 4)
        for anchor in ImageProcessingOptions.Anchor.allCases {
            for margin in [-20, -1, 3, 1 << 30] {
                let result = try ImageProcessors.Overlay(over, id: "o", anchor: anchor, margin: margin).apply(source)
                #expect(result.size == source.size && result.isValid)
            }
        }
    }

    @Test func `Blending a color changes all pixels and keeps opaque images opaque if possible`() throws {
        let red = SRGBColor(red: 255, green: 0, blue: 0, alpha: 128)
        for format in PixelFormat.allCases {
            let source = try Bitmap.test(PixelSize(width: 6, height: 6), format)
            let result = try ImageProcessors.Blend(color: red).apply(source)
            let alpha = 128.0 / 255
            let expected = PlainImage(source).map { SIMD4(alpha, 0, 0, alpha) + $0 * (1 - alpha) }
            #expect(try #require(PlainImage(result).difference(expected)) < 1.01)
            #expect(result.format == format && result.isOpaque == source.isOpaque)
        }
        let opaque = try Bitmap.test(PixelSize(width: 6, height: 6), .rgb8)
        let out = try ImageProcessors.Blend(color: red, mode: .destinationOut).apply(opaque)
        #expect(!out.isOpaque && out.format == .bgra8Premultiplied)
    }
}
