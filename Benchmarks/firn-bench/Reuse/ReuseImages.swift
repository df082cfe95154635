import Firn
import FoundationEssentials

/// Small photographs, as files, whose colors encode their numbers.
enum ReuseImages {
    /// The number of different images; item n shows number n modulo this.
    static let count = 27
    private static let size = PixelSize(width: 480, height: 360)

    /// Returns the files of all numbers.
    static func files() throws -> [Data] {
        try (0..<count).map { try JPEGEncoder(quality: 0.85).encode(image($0)) }
    }

    /// Draws an image with one base-3 digit in each color, and with grain, so that the file has a photograph's size.
    private static func image(_ number: Int) throws -> Bitmap {
        let levels = [number % 3, number / 3 % 3, number / 9 % 3].map { 60 + $0 * 60 }
        return try Bitmap(size: size, format: .rgb8) { pixels in
            var state = UInt32(number + 1)
            for y in 0..<size.height {
                let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
                for x in 0..<size.width {
                    state = state &* 1_664_525 &+ 1_013_904_223
                    let grain = Int(state >> 27) - 16
                    for channel in 0..<3 { row[3 * x + channel] = UInt8(levels[channel] + grain) }
                }
            }
        }
    }

    /// Returns the number that an image's mean color encodes.
    static func number(of image: Bitmap) -> Int? {
        guard image.format == .rgb8, image.size.width > 8, image.size.height > 8 else { return nil }
        var sums = [0, 0, 0]
        image.withUnsafeBytes { bytes in
            for y in 0..<8 {
                for x in 0..<8 {
                    for channel in 0..<3 { sums[channel] += Int(bytes[y * image.bytesPerRow + 3 * x + channel]) }
                }
            }
        }
        let digits = sums.map { min(2, max(0, ($0 / 64 - 30) / 60)) }
        return digits[0] + digits[1] * 3 + digits[2] * 9
    }
}
