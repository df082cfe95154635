import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Tests encoding images of more than 8 bits a component.
@Suite struct WideEncoderTests {
    private func noise(opaque: Bool) throws -> Bitmap {
        let size = PixelSize(width: 19, height: 7)
        let noise = try Bitmap.noise(size, format: .rgba16Straight, seed: 8)
        guard opaque else { return noise }
        return try Bitmap(size: size, format: .rgba16Straight) { pixels in
            noise.withUnsafeBytes { bytes in
                for y in 0..<size.height {
                    let row = UnsafeRawBufferPointer(
                        rebasing: bytes[y * noise.bytesPerRow..<(y + 1) * noise.bytesPerRow])
                    UnsafeMutableRawBufferPointer(start: pixels.row(y), count: row.count).copyMemory(from: row)
                    for x in 0..<size.width {
                        pixels.row(y).storeBytes(of: 65_535, toByteOffset: 8 * x + 6, as: UInt16.self)
                    }
                }
            }
        }
    }

    @Test(arguments: [true, false])
    func `PNG keeps 16 bits, and alpha only if some pixel is transparent`(opaque: Bool) throws {
        let file = try PNGEncoder(compressionLevel: 0).encode(noise(opaque: opaque))
        let header = [UInt8](file[24..<26])
        #expect(header == [16, opaque ? 2 : 6])
        let properties = try #require(try session(file).properties())
        #expect(properties.bitDepth == 16)
        #expect(properties.hasAlpha == !opaque)
        // The first stored row after the filter byte: high bytes first.
        var options = DecodingOptions()
        options.pixelFormat = .rgba8Straight
        options.appliesColorProfile = false
        let decoded = try session(file).decode(options).packedBytes
        let high = try noise(opaque: opaque).packedBytes.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        #expect(decoded.count == high.count)
        #expect(zip(decoded, high).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
    }

    @Test func `formats of 8 bits take wide images, rounded`() throws {
        let image = try noise(opaque: true)
        let narrow = try image.converted(to: .rgba8Straight)
        #expect(try WebPEncoder(lossless: true).encode(image) == WebPEncoder(lossless: true).encode(narrow))
        #expect(try JPEGEncoder().encode(image) == JPEGEncoder().encode(narrow))
        let light = try image.converted(to: .rgbaHalfPremultiplied)
        #expect(try [UInt8](PNGEncoder().encode(light)[24..<26]) == [16, 2])
    }
}
