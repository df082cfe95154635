import FirnImage
import FirnProcessing
import Testing

/// Tests resizing in layouts of more than 8 bits a component.
@Suite struct WideResizeTests {
    private let from = PixelSize(width: 33, height: 27)

    @Test(arguments: ResizeFilter.allCases, [PixelSize(width: 9, height: 8), PixelSize(width: 50, height: 61)])
    func `words are resized as bytes are, and more exactly`(filter: ResizeFilter, to: PixelSize) throws {
        let source = try Bitmap.noise(from, format: .rgba8Straight, seed: 4)
        let exact = referenceResize(source, to: to, filter: filter)
        let result = try source.converted(to: .rgba16Straight).resized(to: to, filter: filter).words
        for pixel in stride(from: 0, to: result.count, by: 4) {
            let alpha = exact[pixel + 3]
            guard alpha > 20, alpha < 255 else { continue }
            #expect(abs(Double(result[pixel + 3]) / 257 - alpha) < 0.01)
            for channel in 0..<3 {
                let color = min(max(exact[pixel + channel] / alpha * 255, 0), 255)
                #expect(abs(Double(result[pixel + channel]) / 257 - color) < 0.05)
            }
        }
    }

    @Test func `half floats keep values above white, and alpha stays between 0 and 1`() throws {
        let source = try Bitmap(size: PixelSize(width: 24, height: 4), format: .rgbaHalfPremultiplied) { pixels in
            for y in 0..<4 {
                for x in 12..<24 {
                    for channel in 0..<4 {
                        pixels.row(y).storeBytes(
                            of: Float16(channel == 3 ? 1 : 6).bitPattern, toByteOffset: 8 * x + 2 * channel,
                            as: UInt16.self)
                    }
                }
            }
        }
        for width in [8, 60] {
            let result = try source.resized(to: PixelSize(width: width, height: 4)).words
            let numbers = result.map { Double(Float16(bitPattern: $0)) }
            #expect(abs(numbers[(width - 1) * 4] - 6) < 0.02)
            #expect(numbers[0] == 0)
            for alpha in stride(from: 3, to: numbers.count, by: 4) {
                #expect(numbers[alpha] >= 0 && numbers[alpha] <= 1)
            }
        }
    }

    @Test func `flat images do not change`() throws {
        for format in [PixelFormat.rgba16Straight, .rgbaHalfPremultiplied] {
            let source = try Bitmap(size: from, format: .rgb8) { pixels in
                for y in 0..<from.height {
                    for x in 0..<from.width * 3 {
                        pixels.row(y).storeBytes(of: UInt8(60 + x % 3 * 70), toByteOffset: x, as: UInt8.self)
                    }
                }
            }.converted(to: format)
            let pixel = Array(source.words.prefix(3))
            let result = try source.resized(to: PixelSize(width: 12, height: 40)).words
            for index in stride(from: 0, to: result.count, by: 4) {
                for channel in 0..<3 { #expect(abs(Int(result[index + channel]) - Int(pixel[channel])) <= 1) }
            }
        }
    }
}
