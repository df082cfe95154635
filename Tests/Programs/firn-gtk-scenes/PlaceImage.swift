#if GTK
import FirnImage
import FoundationEssentials

/// Images of any size whose pixels encode their place: squares of ``cell`` pixels, each in one of 512 colors. Only the
/// region that is asked for is made.
struct PlaceImage: ImageDecoding {
    static let format = ImageFormat(rawValue: "place")
    static let cell = 128

    /// Returns the file of an image: its size.
    static func data(_ size: PixelSize) -> Data { Data("firn-place \(size)\n".utf8) }

    /// Returns the color at a place of the image. Neighbors differ.
    static func color(_ x: Int, _ y: Int) -> SIMD3<UInt8> {
        NumberedImage.color((x / cell &* 37 &+ y / cell &* 101) & 511)
    }

    func recognizes(_ head: Data) -> ImageFormat? {
        head.starts(with: Data("firn-place ".utf8)) ? PlaceImage.format : nil
    }

    func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession { Session() }

    private final class Session: ImageDecodingSession {
        private var text = ""

        func append(_ data: Data) { text += String(decoding: data, as: UTF8.self) }
        func finish() {}
        var decodesRegions: Bool { true }
        func workingBytes(for options: DecodingOptions) -> Int { 0 }

        private func size() throws(ImageError) -> PixelSize {
            let sides = text.dropLast().split(separator: " ").last?.split(separator: "x").compactMap { Int($0) } ?? []
            guard sides.count == 2 else { throw ImageError(.data, at: .decoding, "a damaged image of places") }
            return PixelSize(width: sides[0], height: sides[1])
        }

        func properties() throws(ImageError) -> ImageProperties? {
            if !text.hasSuffix("\n") { return nil }
            return ImageProperties(format: PlaceImage.format, size: try size())
        }

        func decode(_ options: DecodingOptions) throws(ImageError) -> Bitmap {
            let whole = try size()
            let region = options.region ?? .pixels(x: 0, y: 0, width: whole.width, height: whole.height)
            guard let area = region.pixels(in: whole) else { throw ImageError(.request, at: .decoding, "no pixel") }
            let target = options.targetSize?.resolved(for: area.size) ?? area.size
            do {
                let image = try Bitmap(size: target, isOpaque: true) { pixels in
                    for y in 0..<target.height {
                        let row = pixels.row(y)
                        for x in 0..<target.width {
                            let color = PlaceImage.color(
                                area.x + (2 * x + 1) * area.size.width / (2 * target.width),
                                area.y + (2 * y + 1) * area.size.height / (2 * target.height))
                            let pixel =
                                UInt32(color.z) | UInt32(color.y) << 8 | UInt32(color.x) << 16 | 0xFF00_0000
                            row.storeBytes(of: pixel, toByteOffset: 4 * x, as: UInt32.self)
                        }
                    }
                }
                return try image.converted(to: options.pixelFormat)
            } catch {
                throw ImageError(.limit, at: .decoding, "\(error)")
            }
        }
    }
}
#endif
