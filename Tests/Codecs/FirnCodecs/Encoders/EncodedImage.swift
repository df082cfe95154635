import FirnImage
import FoundationEssentials
import Testing

/// An encoded file, opened with our decoders.
struct EncodedImage {
    let properties: ImageProperties
    private let session: any ImageDecodingSession

    init(_ file: Data) throws {
        session = try openSession(file)
        try session.append(file)
        session.finish()
        properties = try #require(try session.properties())
    }

    func frame(_ index: Int = 0, as format: PixelFormat) throws -> Bitmap {
        var options = DecodingOptions()
        options.frame = index
        options.pixelFormat = format
        return try session.decode(options)
    }
}

extension Bitmap {
    /// Returns an image whose pixels are `color`'s results: red, green, blue, alpha, straight.
    static func painted(
        _ size: PixelSize, _ format: PixelFormat = .rgba8Straight, _ color: (Int, Int) -> SIMD4<UInt8>
    ) throws -> Bitmap {
        var pixels: [SIMD4<UInt8>] = []
        for y in 0..<size.height { for x in 0..<size.width { pixels.append(color(x, y)) } }
        return try Bitmap(size: size, format: .rgba8Straight) { target in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    target.row(y).storeBytes(
                        of: pixels[y * size.width + x], toByteOffset: 4 * x, as: SIMD4<UInt8>.self)
                }
            }
        }.converted(to: format)
    }

    /// Returns the mean difference of all bytes from those of another image of the same layout.
    func meanDifference(from other: Bitmap) -> Double {
        let (own, theirs) = (packedBytes, other.packedBytes)
        guard own.count == theirs.count else { return .infinity }
        return zip(own, theirs).reduce(0) { $0 + abs(Double($1.0) - Double($1.1)) } / Double(own.count)
    }
}
