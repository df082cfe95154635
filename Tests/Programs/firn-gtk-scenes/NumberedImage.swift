#if GTK
import FirnImage
import FoundationEssentials

/// Images that encode their number in colors: low digits in the left half and high digits in the right half, each half
/// one color of 512.
struct NumberedImage: ImageDecoding {
    static let format = ImageFormat(rawValue: "numbered")

    /// Returns the file of an image: its number and size.
    static func data(_ number: Int, _ size: PixelSize) -> Data { Data("firn-numbered \(number) \(size)\n".utf8) }

    /// Returns the number that two colors encode; `nil` if they encode none.
    static func number(left: SIMD4<UInt8>, right: SIMD4<UInt8>) -> Int? {
        guard let low = half(left), let high = half(right) else { return nil }
        return low + high * 512
    }

    /// The levels of a digit are 16, 48, …, 240; resampling may change them a little.
    private static func half(_ color: SIMD4<UInt8>) -> Int? {
        var number = 0
        for (place, level) in [color.x, color.y, color.z].enumerated() {
            let digit = Int(level) / 32
            guard abs(Int(level) - (digit * 32 + 16)) <= 4 else { return nil }
            number += digit << (place * 3)
        }
        return color.w == 255 ? number : nil
    }

    static func color(_ half: Int) -> SIMD3<UInt8> {
        SIMD3(UInt8(half & 7) * 32 + 16, UInt8(half >> 3 & 7) * 32 + 16, UInt8(half >> 6 & 7) * 32 + 16)
    }

    func recognizes(_ head: Data) -> ImageFormat? {
        head.starts(with: Data("firn-numbered ".utf8)) ? NumberedImage.format : nil
    }

    func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession { Session() }

    private final class Session: ImageDecodingSession {
        private var text = ""

        func append(_ data: Data) { text += String(decoding: data, as: UTF8.self) }
        func finish() {}

        private func parts() throws(ImageError) -> (number: Int, size: PixelSize) {
            let words = text.dropLast().split(separator: " ")
            let sides = words.last?.split(separator: "x").compactMap { Int($0) } ?? []
            guard text.hasSuffix("\n"), words.count == 3, sides.count == 2, let number = Int(words[1]) else {
                throw ImageError(.data, at: .decoding, "a damaged numbered image")
            }
            return (number, PixelSize(width: sides[0], height: sides[1]))
        }

        func properties() throws(ImageError) -> ImageProperties? {
            if !text.hasSuffix("\n") { return nil }
            return ImageProperties(format: NumberedImage.format, size: try parts().size)
        }

        func workingBytes(for options: DecodingOptions) -> Int { 0 }

        func decode(_ options: DecodingOptions) throws(ImageError) -> Bitmap {
            let (number, size) = try parts()
            let target = options.targetSize?.resolved(for: size) ?? size
            let (low, high) = (NumberedImage.color(number % 512), NumberedImage.color(number / 512))
            let isRGB = options.pixelFormat == .rgb8
            let step = options.pixelFormat.bytesPerPixel
            do {
                return try Bitmap(size: target, format: options.pixelFormat, isOpaque: true) { pixels in
                    for y in 0..<target.height {
                        let row = pixels.row(y)
                        for x in 0..<target.width {
                            let color = x < target.width / 2 ? low : high
                            row.storeBytes(of: isRGB ? color.x : color.z, toByteOffset: x * step, as: UInt8.self)
                            row.storeBytes(of: color.y, toByteOffset: x * step + 1, as: UInt8.self)
                            row.storeBytes(of: isRGB ? color.z : color.x, toByteOffset: x * step + 2, as: UInt8.self)
                            if step == 4 { row.storeBytes(of: 255, toByteOffset: x * step + 3, as: UInt8.self) }
                        }
                    }
                }
            } catch {
                throw ImageError(.limit, at: .decoding, "\(error)")
            }
        }
    }
}
#endif
