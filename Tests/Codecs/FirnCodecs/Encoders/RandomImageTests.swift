import FirnCodecs
import FirnImage
import Testing

/// Encodes and decodes images of all kinds and sizes with every lossless encoder.
@Suite struct RandomImageTests {
    static let encoders: [any ImageEncoding] = {
        var encoders: [any ImageEncoding] = [
            PNGEncoder(), PNGEncoder(compressionLevel: 1, reducesColors: false), WebPEncoder(lossless: true),
            WebPEncoder(lossless: true, effort: 0), BMPEncoder(), ICOEncoder(),
        ]
        #if TIFF
        encoders += [TIFFEncoder(), TIFFEncoder(compressionLevel: 0)]
        #endif
        #if AVIF
        encoders.append(AVIFEncoder(lossless: true, speed: 10))
        #endif
        #if JPEGXL
        encoders += [JXLEncoder(lossless: true, effort: 1), JXLEncoder(lossless: true, effort: 3)]
        #endif
        return encoders
    }()

    @Test(arguments: encoders.indices) func `Lossless encoding restores the pixels`(index: Int) throws {
        let encoder = RandomImageTests.encoders[index]
        var random = RepeatableNumbers(seed: 77 + UInt64(index))
        for round in 0..<60 {
            let size = PixelSize(width: 1 + Int(random.next() % 40), height: 1 + Int(random.next() % 40))
            let source = try RandomImageTests.image(size, kind: round % 6, &random)
            let file = try EncodedImage(encoder.encode(source))
            #expect(file.properties.size == size)
            let seen = try file.frame(as: .bgra8Premultiplied)
            #expect(
                try seen.packedBytes == source.converted(to: .bgra8Premultiplied).packedBytes,
                "\(encoder) round \(round), \(size), \(source.format)")
        }
    }

    /// Returns noise, few colors, gray, gray with alpha, few colors with alpha, or one color, in a random layout.
    static func image(
        _ size: PixelSize, kind: Int, _ random: inout RepeatableNumbers
    ) throws -> Bitmap {
        let colors = (0..<(kind == 5 ? 1 : 2 + Int(random.next() % 300))).map { _ in word(&random) }
        let layouts: [PixelFormat] =
            kind == 3 || kind == 4 ? [.rgba8Straight, .bgra8Premultiplied] : PixelFormat.narrow
        let layout = layouts[Int(random.next() % UInt64(layouts.count))]
        var pixels: [SIMD4<UInt8>] = []
        for _ in 0..<size.area {
            var color = kind == 0 ? word(&random) : colors[Int(random.next() % UInt64(colors.count))]
            if kind == 2 || kind == 3 { color = SIMD4(color.x, color.x, color.x, color.w) }
            if kind != 3, kind != 4 { color.w = 255 }
            pixels.append(color)
        }
        return try Bitmap.painted(size, layout) { x, y in pixels[y * size.width + x] }
    }

    private static func word(_ random: inout RepeatableNumbers) -> SIMD4<UInt8> {
        let word = random.next()
        return SIMD4(
            UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8),
            UInt8(truncatingIfNeeded: word >> 16), UInt8(truncatingIfNeeded: word >> 24))
    }
}

extension PixelFormat {
    fileprivate static var narrow: [PixelFormat] { [.rgba8Straight, .bgra8Premultiplied, .rgb8] }
}
