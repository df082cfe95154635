import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Compares lossy images at a smaller size with whole decodes. At an eighth and below, they are decoded without
/// libwebp's loop filter.
@Suite struct WebPScalingTests {
    private func choice(_ size: PixelSize? = nil) -> DecodingOptions {
        var options = straight()
        options.targetSize = size.map { TargetSize($0, mode: .fill) }
        return options
    }

    /// Returns the lightness of a whole decode, averaged to `size`, whose sides divide the image's.
    private func averaged(_ image: Bitmap, to size: PixelSize) -> [Double] {
        let factor = image.size.width / size.width
        let bytes = packed(image)
        return (0..<size.area).map { index in
            let (left, top) = (index % size.width * factor, index / size.width * factor)
            var sum = 0.0
            for y in top..<top + factor {
                for x in left..<left + factor { sum += lightness(bytes, (y * image.size.width + x) * 4) }
            }
            return sum / Double(factor * factor)
        }
    }

    private func lightness(_ bytes: [UInt8], _ at: Int) -> Double {
        0.299 * Double(bytes[at]) + 0.587 * Double(bytes[at + 1]) + 0.114 * Double(bytes[at + 2])
    }

    @Test(arguments: [0.1, 0.3, 0.5, 0.75, 0.9], [2, 3, 4, 8, 12])
    func `half the size and less is at least 0,99 similar to the exact image`(quality: Double, factor: Int) throws {
        for image in [
            try Bitmap.scene(PixelSize(width: 768, height: 576)), try JPEGImages.waves(width: 768, height: 576),
        ] {
            let file = try WebPEncoder(quality: quality).encode(image)
            let size = PixelSize(width: 768 / factor, height: 576 / factor)
            let whole = try session(file).decode(choice())
            let small = try session(file).decode(choice(size))
            #expect(small.size == size)
            let bytes = packed(small)
            let similarity = structuralSimilarity(
                stride(from: 0, to: bytes.count, by: 4).map { lightness(bytes, $0) }, averaged(whole, to: size),
                size: size, channels: 1)
            #expect(similarity >= 0.99, "\(similarity)")
        }
    }

    @Test func `a flat color is the same at every size`() throws {
        for color: (UInt8, UInt8, UInt8) in [(0, 0, 0), (255, 255, 255), (200, 30, 90), (17, 140, 211)] {
            let image = try Bitmap(size: PixelSize(width: 321, height: 243), format: .rgb8) { pixels in
                for y in 0..<243 {
                    for x in 0..<321 {
                        pixels.row(y).storeBytes(of: color.0, toByteOffset: 3 * x, as: UInt8.self)
                        pixels.row(y).storeBytes(of: color.1, toByteOffset: 3 * x + 1, as: UInt8.self)
                        pixels.row(y).storeBytes(of: color.2, toByteOffset: 3 * x + 2, as: UInt8.self)
                    }
                }
            }
            let file = try WebPEncoder(quality: 0.9).encode(image)
            let pixel = Array(packed(try session(file).decode(choice())).prefix(4))
            for size in [
                PixelSize(width: 160, height: 121), PixelSize(width: 100, height: 50), PixelSize(width: 1, height: 1),
            ] {
                for format in [PixelFormat.rgba8Straight, .rgb8, .bgra8Premultiplied] {
                    var options = choice(size)
                    options.pixelFormat = format
                    let small = try session(file).decode(options)
                    #expect(small.size.width <= 160)
                    let expected =
                        switch format {
                        case .rgb8: Array(pixel.prefix(3))
                        case .bgra8Premultiplied: [pixel[2], pixel[1], pixel[0], 255]
                        default: pixel
                        }
                    let bytes = packed(small)
                    #expect(bytes == Array([[UInt8]](repeating: expected, count: small.size.area).joined()))
                }
            }
        }
    }

    @Test func `the pieces in which a file arrives make no difference`() throws {
        let file = try WebPEncoder(quality: 0.8).encode(Bitmap.scene(PixelSize(width: 301, height: 207)))
        let options = choice(PixelSize(width: 97, height: 103))
        let whole = packed(try session(file).decode(options))
        for step in [1, 7, 100, 5000] {
            let open = try openSession(file)
            for at in stride(from: 0, to: file.count, by: step) {
                try open.append(file[at..<min(at + step, file.count)])
                _ = try open.advance(options)
            }
            open.finish()
            #expect(try packed(open.decode(options)) == whole)
        }
    }

    @Test func `a preview has the rows that have arrived, and a file cut short is an error`() throws {
        let file = try WebPEncoder(quality: 0.8).encode(Bitmap.scene(PixelSize(width: 400, height: 400)))
        let options = choice(PixelSize(width: 100, height: 100))
        let whole = packed(try session(file).decode(options))
        let open = try openSession(file)
        try open.append(file.prefix(file.count / 2))
        let preview = packed(try #require(try open.preview(options)))
        let rows = (0..<100).prefix { preview[$0 * 400 + 3] == 255 }.count
        #expect((20..<90).contains(rows))
        #expect(preview.prefix(rows * 400) == whole.prefix(rows * 400))
        open.finish()
        #expect(decodingError { _ = try open.decode(options) }?.fault == .data)
    }
}
