import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@Suite struct WebPDecoderTests {
    @Test func `lossless pixels are exact`() throws {
        var expected: [UInt8] = []
        for i: UInt8 in 0..<15 { expected += [i * 16, 255 - i * 16, 7, i * 18] }
        #expect(try packed(session(DecoderSamples.losslessWebP).decode(straight())) == expected)
    }

    @Test func `a target is met exactly`() throws {
        var options = DecodingOptions()
        options.targetSize = TargetSize(10)
        let bitmap = try session(DecoderSamples.lossyWebP).decode(options)
        #expect(bitmap.size == PixelSize(width: 10, height: 5))
        #expect(bitmap.isOpaque)
    }

    @Test func `a file cut short is an error`() throws {
        for length in 12..<DecoderSamples.lossyWebP.count - 1 {
            let error = decodingError { _ = try session(DecoderSamples.lossyWebP.prefix(length)).decode(straight()) }
            #expect(error?.fault == .data, "\(length)")
        }
    }
}
