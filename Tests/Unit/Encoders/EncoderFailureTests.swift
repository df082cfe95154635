import CFirnCodecs
import Testing

/// Failures that the Swift side rules out beforehand: the C side must still survive them, jump and all.
@Suite struct EncoderFailureTests {
    private typealias Encode = @Sendable (inout firn_picture, inout firn_encoded) -> Bool

    private static let encoders: [(name: String, encode: Encode)] = [
        (
            "jpeg",
            {
                var options = firn_jpeg_options(quality: 80, progressive: false, full_chroma: false)
                return firn_encode_jpeg(&$0, &options, &$1)
            }
        ),
        (
            "png",
            {
                var options = firn_png_options(level: 6)
                return firn_encode_png(&$0, &options, &$1)
            }
        ),
        (
            "webp",
            {
                var options = firn_webp_options(quality: 80, lossless: false)
                return firn_encode_webp(&$0, &options, &$1)
            }
        ),
    ]

    @Test("A picture without pixels fails with a message and no bytes", arguments: encoders.indices)
    func empty(index: Int) {
        let row: [UInt8] = [1, 2, 3]
        row.withUnsafeBufferPointer { pixels in
            var picture = firn_picture(
                pixels: pixels.baseAddress, stride: 3, width: 1, height: 0, layout: FIRN_SOURCE_RGB, opaque: true,
                icc: nil, icc_length: 0)
            var encoded = firn_encoded()
            #expect(!EncoderFailureTests.encoders[index].encode(&picture, &encoded))
            #expect(encoded.bytes == nil)
            #expect(encoded.length == 0)
            #expect(encoded.message.0 != 0)
        }
    }

    @Test("A JPEG cannot carry a profile of more than 255 segments")
    func longProfile() {
        let row: [UInt8] = [1, 2, 3]
        let profile = [UInt8](repeating: 7, count: 255 * 65_519 + 1)
        row.withUnsafeBufferPointer { pixels in
            profile.withUnsafeBufferPointer { icc in
                var picture = firn_picture(
                    pixels: pixels.baseAddress, stride: 3, width: 1, height: 1, layout: FIRN_SOURCE_RGB, opaque: true,
                    icc: icc.baseAddress, icc_length: icc.count)
                var encoded = firn_encoded()
                #expect(!EncoderFailureTests.encoders[0].encode(&picture, &encoded))
                #expect(encoded.bytes == nil)
            }
        }
    }
}
