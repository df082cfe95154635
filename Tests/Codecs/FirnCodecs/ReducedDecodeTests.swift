import FirnImage
import FoundationEssentials
import Testing

@testable import FirnCodecs

/// Tests decodes at a reduced size from sources that cannot scale.
@Suite struct ReducedDecodeTests {
    private let size = PixelSize(width: 90, height: 130)

    /// Returns an image of slopes; alpha, if there is any, changes from row to row.
    private func image(alpha: Bool = false, space: String = "rgb") -> GivenImage {
        var properties = ImageProperties(format: .png, size: size)
        properties.hasAlpha = alpha
        properties.colorSpace = space
        return GivenImage(properties) { [size] layout in
            (0..<size.height).flatMap { y in
                (0..<size.width).flatMap { x -> [UInt8] in
                    let rgba = [UInt8(x * 2), UInt8(y), UInt8((x + y) % 64), alpha ? UInt8(y * 255 / 129) : 255]
                    switch layout {
                    case .bgra8: return [rgba[2], rgba[1], rgba[0], rgba[3]]
                    case .rgb8: return Array(rgba.prefix(3))
                    default: return rgba
                    }
                }
            }
        }
    }

    private func options(_ width: Int, _ height: Int) -> DecodingOptions {
        var options = DecodingOptions()
        options.targetSize = TargetSize(width: width, height: height)
        return options
    }

    /// Returns the mean of a block of the stored image's channels, multiplied by alpha.
    private func mean(_ columns: Range<Int>, _ rows: Range<Int>, alpha: Bool) -> [Double] {
        var sums = [0.0, 0, 0, 0]
        for y in rows {
            for x in columns {
                let a = alpha ? Double(y * 255 / 129) : 255
                for (channel, value) in [(x + y) % 64, y, x * 2].enumerated() {
                    sums[channel] += Double(value) * a / 255
                }
                sums[3] += a
            }
        }
        return sums.map { $0 / Double(columns.count * rows.count) }
    }

    @Test(arguments: [false, true], [false, true])
    func `pixels are averages, whether rows come in order or in passes`(alpha: Bool, isWhole: Bool) throws {
        let image = image(alpha: alpha)
        image.isWhole = isWhole
        let bitmap = try image.decode(options(9, 13))
        #expect(bitmap.size == PixelSize(width: 18, height: 26))
        #expect(bitmap.isOpaque == !alpha)
        for (index, pixel) in bitmap.pixels.enumerated() {
            let (x, y) = (index % 18, index / 18)
            let expected = mean(x * 5..<x * 5 + 5, y * 5..<y * 5 + 5, alpha: alpha)
            for (found, exact) in zip(pixel, expected) {
                guard abs(Double(found) - exact) <= 1.01 else {
                    Issue.record("\(pixel) at \(x), \(y) instead of \(expected)")
                    return
                }
            }
        }
    }

    @Test func `a subsampling level divides the size, rounded up`() throws {
        for (level, expected) in [(2, PixelSize(width: 45, height: 65)), (4, PixelSize(width: 23, height: 33))] {
            var options = DecodingOptions()
            options.subsamplingLevel = level
            #expect(try image().decode(options).size == expected)
        }
    }

    @Test func `the target size is that of the displayed image`() throws {
        let turned = image()
        turned.properties?.orientation = .right
        let bitmap = try turned.decode(options(13, 9))
        #expect(bitmap.size == PixelSize(width: 26, height: 18))
        #expect(try bitmap.pixels == image().decode(options(9, 13)).oriented(.right).pixels)
    }

    @Test func `nothing is averaged where less than four times the size is stored`() throws {
        #expect(try image().decode(options(24, 35)).size == size)
    }

    @Test func `inks are averaged before they become colors`() throws {
        let inks = image(space: "cmyk")
        inks.properties?.colorProfile = ColorProfile(icc: DecoderSamples.inkProfile)
        let small = try inks.decode(options(9, 13))
        #expect(inks.requested?.layout == .cmyk8)
        #expect(small.size == PixelSize(width: 18, height: 26))
        let full = try inks.decode(DecodingOptions())
        // The profile maps magenta, which changes from row to row, to gray.
        let row = full.pixels[62 * 90]
        #expect(zip(small.pixels[12 * 18], row).allSatisfy { abs(Int($0) - Int($1)) <= 3 })
    }

    @Test func `an estimate counts kept memory, not stored bytes`() throws {
        let large = image()
        large.properties?.size = PixelSize(width: 10_000, height: 10_000)
        large.frames[0].size = PixelSize(width: 10_000, height: 10_000)
        let session = FormatSession(large, limits: ImageLimits())
        session.finish()
        let streamed = session.workingBytes(for: options(256, 256))
        #expect(streamed > 527 * 527 * 4 && streamed < 8 << 20)
        #expect(session.workingBytes(for: DecodingOptions()) == 10_000 * 10_000 * 4)
        large.properties?.isProgressive = true
        #expect(session.workingBytes(for: options(256, 256)) > 10_000 * 10_000 * 4)
    }

    @Test func `passes of an image that may not be held are refused, rows in order are not`() throws {
        var limits = ImageLimits()
        limits.maximumResultBytes = 20_000
        for isWhole in [true, false] {
            let image = image()
            image.isWhole = isWhole
            let session = FormatSession(image, limits: limits)
            session.finish()
            if isWhole {
                #expect(decodingError { _ = try session.decode(options(9, 13)) }?.fault == .limit)
            } else {
                #expect(try session.decode(options(9, 13)).size == PixelSize(width: 18, height: 26))
            }
        }
    }
}
