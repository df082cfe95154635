import CFirnCodecs
import Testing

/// Tests failures that the Swift side excludes: the C side must still survive them, including its long jumps.
@Suite struct EncoderFailureTests {
    private typealias Encode = @Sendable (inout firn_image, inout firn_encoded) -> Bool

    private static let encoders: [(name: String, encode: Encode)] = [
        (
            "jpeg",
            {
                var options = firn_jpeg_options()
                options.quality = 80
                return firn_encode_jpeg(&$0, &options, &$1)
            }
        ),
        (
            "png",
            {
                var options = firn_png_options(level: 6, reduces: true, keeps_alpha: false)
                return firn_encode_png(&$0, &options, &$1)
            }
        ),
        (
            "webp",
            {
                var options = firn_webp_options(quality: 80, lossless: false, effort: 4)
                return firn_encode_webp(&$0, &options, &$1)
            }
        ),
        ("tiff", { firn_encode_tiff(&$0, 6, &$1) }), ("bmp", { firn_encode_bmp(&$0, &$1) }),
    ]

    @Test(arguments: encoders.indices)
    func `An image without pixels fails with a message and no bytes`(index: Int) {
        let row: [UInt8] = [1, 2, 3]
        row.withUnsafeBufferPointer { pixels in
            var image = EncoderFailureTests.image(pixels.baseAddress, height: 0)
            var encoded = firn_encoded()
            #expect(!EncoderFailureTests.encoders[index].encode(&image, &encoded))
            #expect(encoded.bytes == nil)
            #expect(encoded.length == 0)
            #expect(encoded.message.0 != 0)
        }
    }

    @Test func `A JPEG cannot carry a profile of more than 255 segments`() {
        let row: [UInt8] = [1, 2, 3]
        let profile = [UInt8](repeating: 7, count: 255 * 65_519 + 1)
        row.withUnsafeBufferPointer { pixels in
            profile.withUnsafeBufferPointer { icc in
                var image = EncoderFailureTests.image(pixels.baseAddress, height: 1)
                image.icc = icc.baseAddress
                image.icc_length = icc.count
                var encoded = firn_encoded()
                #expect(!EncoderFailureTests.encoders[0].encode(&image, &encoded))
                #expect(encoded.bytes == nil)
            }
        }
    }

    private static func image(_ pixels: UnsafePointer<UInt8>?, height: UInt32, stride: Int = 3) -> firn_image {
        var image = firn_image()
        image.pixels = pixels
        image.stride = stride
        image.width = 1
        image.height = height
        image.layout = FIRN_SOURCE_RGB
        image.opaque = true
        return image
    }

    @Test(arguments: encoders.indices)
    func `Cancelling ends an encode in the middle`(index: Int) {
        // A counter that requests a stop at the third call.
        let counter = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        counter.initialize(to: 0)
        defer { counter.deallocate() }
        let rows = [UInt8](repeating: 9, count: 3 * 1_000)
        rows.withUnsafeBufferPointer { pixels in
            var image = EncoderFailureTests.image(pixels.baseAddress, height: 1_000)
            image.watch = firn_encode_watch(
                is_cancelled: { context in
                    guard let asked = UnsafeMutableRawPointer(mutating: context)?.assumingMemoryBound(to: Int.self)
                    else { return false }
                    asked.pointee += 1
                    return asked.pointee >= 3
                },
                context: UnsafeRawPointer(counter))
            var encoded = firn_encoded()
            #expect(!EncoderFailureTests.encoders[index].encode(&image, &encoded))
            #expect(encoded.fault == FIRN_ENCODE_CANCELLED)
            #expect(encoded.bytes == nil)
            #expect(counter.pointee >= 3)
        }
    }
}
