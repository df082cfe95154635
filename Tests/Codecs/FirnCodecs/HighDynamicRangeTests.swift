import FirnImage
import Foundation
import Testing

@testable import FirnCodecs

/// Tests HDR images: tone-mapped for 8 bits, preserved in half floats.
///
/// The references are computed here from the standards' formulas (SMPTE ST 2084, ITU-R BT.2100-2, ITU-R BT.2390-10
/// §5.4).
@Suite struct HighDynamicRangeTests {
    private func value(_ luminance: Double) -> Double {
        let power = pow(luminance / 10_000, 2610.0 / 16_384)
        return pow((3424.0 / 4096 + 2413.0 / 128 * power) / (1 + 2392.0 / 128 * power), 2523.0 / 32)
    }

    private func luminance(_ value: Double) -> Double {
        let root = pow(value, 32 / 2523.0)
        return 10_000 * pow(max(root - 3424.0 / 4096, 0) / (2413.0 / 128 - 2392.0 / 128 * root), 16_384 / 2610.0)
    }

    /// Returns the luminance after tone mapping from a peak of 1000 cd/m² to a screen of 203 cd/m².
    private func toned(_ nits: Double) -> Double {
        let (peak, target) = (value(1000), value(203) / value(1000))
        let stored = min(value(nits) / peak, 1)
        let knee = 1.5 * target - 0.5
        guard stored >= knee else { return nits }
        let t = (stored - knee) / (1 - knee)
        let bent =
            (2 * t * t * t - 3 * t * t + 1) * knee + (t * t * t - 2 * t * t + t) * (1 - knee)
            + (3 * t * t - 2 * t * t * t) * target
        return luminance(bent * peak)
    }

    /// Decodes pixels of PQ (16) or HLG (18) values with BT.2020's primaries.
    private func decode(
        _ pixels: [[Double]], transfer: Int = 16, as format: PixelFormat, deep: Bool = true, converts: Bool = true
    ) throws -> Bitmap {
        var properties = ImageProperties(format: .avif, size: PixelSize(width: pixels.count, height: 1))
        properties.bitDepth = deep ? 10 : 8
        var description = ColorDescription()
        description.primariesCode = 9
        description.transferCode = transfer
        properties.colorDescription = description
        let image = GivenImage(properties) { layout in
            let all: [Double] = pixels.flatMap { (pixel: [Double]) -> [Double] in pixel + [1] }
            if layout == .rgba16 { return inMemory(all.map { UInt16(($0 * 65_535).rounded()) }) }
            return all.map { UInt8(($0 * 255).rounded()) }
        }
        var options = DecodingOptions()
        options.pixelFormat = format
        options.appliesColorProfile = converts
        return try image.decode(options)
    }

    private func grays(_ nits: [Double]) -> [[Double]] { nits.map { [value($0), value($0), value($0)] } }

    @Test func `grays follow the method, stay gray and keep their order`() throws {
        let nits = (0...240).map { pow(10, Double($0) / 60 - 0.5) } + [203, 1000, 10_000]
        for format in [PixelFormat.bgra8Premultiplied, .rgba8Straight, .rgb8] {
            var darkest = 0
            for (luminance, pixel) in zip(nits, try decode(grays(nits), as: format).pixels) {
                let expected = LinearLight.encode(min(toned(luminance) / 203, 1)) * 255
                #expect(pixel[0] == pixel[1] && pixel[1] == pixel[2])
                #expect(abs(Double(pixel[0]) - expected) <= 0.6, "\(luminance) became \(pixel)")
                if luminance <= 3200, luminance != 203, luminance != 1000 {
                    #expect(Int(pixel[0]) >= darkest)
                    darkest = Int(pixel[0])
                }
            }
        }
    }

    @Test func `a page's white stays near white, the brightest is white, and the dark is as it was`() throws {
        let pixels = try decode(grays([203, 1000, 4000, 50]), as: .rgb8).pixels.map { $0[0] }
        try #require(pixels.count == 4)
        #expect(pixels[0] > 220 && pixels[0] < 235)
        #expect(pixels[1] == 255 && pixels[2] == 255)
        #expect(abs(Double(pixels[3]) - LinearLight.encode(50.0 / 203) * 255) <= 0.6)
    }

    @Test func `colors keep their hue where sRGB has it, and are cut where it does not`() throws {
        let pixels = try decode(
            [[value(400), value(100), value(100)], [0, value(203), 0], [value(2000), 0, 0]], as: .rgba8Straight
        ).pixels
        try #require(pixels.count == 3)
        // All components are scaled like the largest one, and then multiplied by BT.2087's matrix.
        let factor = toned(400) / 400
        let matrix = [[1.6605, -0.5876, -0.0728], [-0.1246, 1.1329, -0.0083], [-0.0182, -0.1006, 1.1187]]
        for (found, row) in zip(pixels[0], matrix) {
            let light = factor * (400 * row[0] + 100 * row[1] + 100 * row[2]) / 203
            #expect(abs(Double(found) - LinearLight.encode(min(light, 1)) * 255) <= 1)
        }
        #expect(pixels[1][0] == 0 && pixels[1][1] > 200)
        #expect(pixels[2].prefix(3).elementsEqual([255, 0, 0]))
    }

    @Test func `half floats have the light itself, with 1 for a page's white`() throws {
        let light = try decode(grays([203, 1000, 20.3]), as: .rgbaHalfPremultiplied).numbers
        for (pixel, expected) in [1, 1000.0 / 203, 0.1].enumerated() {
            for channel in 0..<3 { #expect(abs(light[4 * pixel + channel] / expected - 1) < 0.003, "\(light)") }
        }
        // BT.2087: green of BT.2020 is outside sRGB's gamut.
        let green = try decode([[0, value(203), 0]], as: .rgbaHalfPremultiplied).numbers
        for (found, expected) in zip(green, [-0.5876, 1.1329, -0.1006, 1]) { #expect(abs(found - expected) < 0.003) }
    }

    @Test func `hybrid log-gamma is shown as on a screen of 1000 candela`() throws {
        let stored = [[0.75, 0.75, 0.75], [1, 1, 1], [0.25, 0.25, 0.25], [0, 0, 0]]
        let light = try decode(stored, transfer: 18, as: .rgbaHalfPremultiplied).numbers
        let dark = 1000 * pow(0.25 * 0.25 / 3, 1.2) / 203
        for (pixel, expected) in [1.0, 1000.0 / 203, dark, 0].enumerated() {
            #expect(abs(light[4 * pixel] - expected) <= max(0.006 * expected, 0.0001), "\(light)")
        }
        let tones = try decode(stored, transfer: 18, as: .rgb8).pixels
        try #require(tones.count == 4)
        #expect(abs(Double(tones[0][0]) - LinearLight.encode(toned(203) / 203) * 255) <= 1)
        #expect(tones[1] == [255, 255, 255] && tones[3] == [0, 0, 0])
    }

    @Test func `images of 8 and of 16 bits are tone-mapped alike`() throws {
        let nits = [5, 60, 203, 700.0]
        let words = try decode(grays(nits), as: .rgba16Straight).words
        let bytes = try decode(grays(nits), as: .rgba8Straight, deep: false).pixels
        try #require(words.count == 16 && bytes.count == 4)
        for (pixel, luminance) in nits.enumerated() {
            let expected = LinearLight.encode(toned(luminance) / 203)
            #expect(abs(Double(words[4 * pixel]) / 65_535 - expected) < 0.0005)
            #expect(abs(Double(bytes[pixel][0]) / 255 - expected) < 0.02)
            #expect(words[4 * pixel + 3] == 65_535 && bytes[pixel][3] == 255)
        }
    }

    @Test func `values are not converted if the options say so`() throws {
        let pixels = try decode([[0.2, 0.4, 0.6]], as: .rgba8Straight, converts: false).pixels
        #expect(pixels == [[51, 102, 153, 255]])
    }
}
