import FirnImage
import Testing

@Suite struct ConversionTests {
    /// Returns an image with colors along the columns and alpha along the rows: every pair of bytes once.
    private func everyPair(_ format: PixelFormat, where keep: (Int, Int) -> Bool = { _, _ in true }) throws -> Bitmap {
        try Bitmap(size: PixelSize(width: 256, height: 256), format: format) { pixels in
            for alpha in 0..<256 {
                let row = pixels.row(alpha)
                for color in 0..<256 where keep(color, alpha) {
                    // Three different colors in each pixel, so that an exchanged channel is detected.
                    let third = UInt8(color / 3)
                    let inner = UInt8(color / 2)
                    row.storeBytes(of: UInt8(color), toByteOffset: 4 * color, as: UInt8.self)
                    row.storeBytes(of: inner, toByteOffset: 4 * color + 1, as: UInt8.self)
                    row.storeBytes(of: third, toByteOffset: 4 * color + 2, as: UInt8.self)
                    row.storeBytes(of: UInt8(alpha), toByteOffset: 4 * color + 3, as: UInt8.self)
                }
            }
        }
    }

    /// Expects that a conversion exchanges red and blue, and turns every color with its alpha into `rounded`.
    private func check(
        _ source: Bitmap, as format: PixelFormat, at place: SourceLocation = #_sourceLocation,
        _ rounded: (_ color: UInt8, _ alpha: UInt8) -> UInt8
    ) throws {
        for (from, to) in zip(source.pixels, try source.converted(to: format).pixels) {
            let expected = [rounded(from[2], from[3]), rounded(from[1], from[3]), rounded(from[0], from[3]), from[3]]
            guard to == expected else {
                Issue.record("\(from) became \(to), not \(expected)", sourceLocation: place)
                return
            }
        }
    }

    @Test func `Multiplying rounds to nearest for every color and alpha`() throws {
        try check(everyPair(.rgba8Straight), as: .bgra8Premultiplied) { color, alpha in
            UInt8((Double(color) * Double(alpha) / 255).rounded())
        }
    }

    @Test func `Dividing rounds to nearest for every color up to its alpha, and gives black where alpha is 0`() throws {
        try check(everyPair(.bgra8Premultiplied) { $0 <= $1 }, as: .rgba8Straight) { color, alpha in
            alpha == 0 ? 0 : UInt8((Double(color) * 255 / Double(alpha)).rounded())
        }
    }

    @Test func `A color above its alpha is taken as full and never wraps`() throws {
        let source = try everyPair(.bgra8Premultiplied) { $0 > $1 && $1 > 0 }
        for (from, to) in zip(source.pixels, try source.converted(to: .rgba8Straight).pixels)
        where from[3] > 0 {
            guard to[2] == 255 else {
                Issue.record("\(from) became \(to)")
                return
            }
        }
    }

    @Test func `There and back stays within 128 / alpha + 1/2 levels, and is exact for opaque pixels`() throws {
        let source = try everyPair(.rgba8Straight)
        let back = try source.converted(to: .bgra8Premultiplied).converted(to: .rgba8Straight)
        for (from, to) in zip(source.pixels, back.pixels) where from[3] > 0 {
            let bound = from[3] == 255 ? 0 : 128 / Double(from[3]) + 0.5
            for channel in 0..<3 where abs(Double(from[channel]) - Double(to[channel])) > bound {
                Issue.record("\(from) came back as \(to)")
                return
            }
        }
    }

    @Test func `Premultiplied pixels survive a round trip through straight ones exactly`() throws {
        let source = try everyPair(.bgra8Premultiplied) { $0 <= $1 }
        let back = try source.converted(to: .rgba8Straight).converted(to: .bgra8Premultiplied)
        #expect(back.pixels == source.pixels)
    }

    @Test(arguments: [3, 4, 17])
    func `Opaque images keep their colors through all layouts`(width: Int) throws {
        let source = try Bitmap.noise(PixelSize(width: width, height: 5), format: .rgb8, seed: 11)
        for format in [PixelFormat.bgra8Premultiplied, .rgba8Straight] {
            let wide = try source.converted(to: format)
            #expect(wide.isOpaque)
            #expect(wide.pixels.allSatisfy { $0[3] == 255 })
            #expect(try wide.converted(to: .rgb8).pixels == source.pixels)
            let other: PixelFormat = format == .rgba8Straight ? .bgra8Premultiplied : .rgba8Straight
            #expect(try wide.converted(to: other).converted(to: .rgb8).pixels == source.pixels)
        }
    }

    @Test(arguments: [PixelFormat.bgra8Premultiplied, .rgba8Straight])
    func `A transparent pixel refuses a layout without alpha`(format: PixelFormat) throws {
        let source = try Bitmap(size: PixelSize(width: 2, height: 1), format: format) { pixels in
            pixels.row(0).storeBytes(of: 0xFF00_0000, as: UInt32.self)
            pixels.row(0).storeBytes(of: 0xFE00_0000, toByteOffset: 4, as: UInt32.self)
        }
        #expect(throws: ImageError.notOpaque(.rgb8)) { try source.converted(to: .rgb8) }
    }

    @Test func `Pixels that are all opaque become RGB even where the flag does not say so`() throws {
        let source = try Bitmap(size: PixelSize(width: 1, height: 1)) { pixels in
            pixels.row(0).storeBytes(of: UInt32(littleEndian: 0xFF01_0203), as: UInt32.self)
        }
        #expect(!source.isOpaque)
        #expect(try source.converted(to: .rgb8).pixels == [[1, 2, 3]])
    }

    @Test func `The opaque flag and the color profile are kept`() throws {
        let profile = try #require(ColorProfile.made())
        let source = try Bitmap(size: PixelSize(width: 1, height: 1), colorProfile: profile) { _ in }
        let converted = try source.converted(to: .rgba8Straight)
        #expect(!converted.isOpaque)
        #expect(converted.colorProfile == profile)
    }
}
