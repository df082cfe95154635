import FirnImage
import FoundationEssentials

/// Makes images for the tests of JPEG, and compares them.
enum JPEGImages {
    /// Returns opaque waves of brightness and color: smooth, so that JPEG preserves them well, and different
    /// everywhere.
    static func waves(width: Int, height: Int) throws -> Bitmap {
        try Bitmap(size: PixelSize(width: width, height: height), format: .rgb8) { pixels in
            for y in 0..<height {
                let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
                for x in 0..<width {
                    row[3 * x] = wave(x * 5 + y * 2)
                    row[3 * x + 1] = wave(x * 2 + y * 6 + 80)
                    row[3 * x + 2] = wave(y * 3 - x + 512)
                }
            }
        }
    }

    /// Returns an image of one color.
    static func plain(_ red: UInt8, _ green: UInt8, _ blue: UInt8, width: Int, height: Int) throws -> Bitmap {
        try Bitmap(size: PixelSize(width: width, height: height), format: .rgb8) { pixels in
            for y in 0..<height {
                let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
                for x in 0..<width {
                    row[3 * x] = red
                    row[3 * x + 1] = green
                    row[3 * x + 2] = blue
                }
            }
        }
    }

    /// Returns the mean and the largest difference of the samples.
    static func difference(_ one: [UInt8], _ other: [UInt8]) -> (mean: Double, most: Int) {
        guard one.count == other.count else { return (255, 255) }
        let differences = zip(one, other).map { abs(Int($0) - Int($1)) }
        return (Double(differences.reduce(0, +)) / Double(max(1, one.count)), differences.max() ?? 0)
    }

    /// Returns a file with segments inserted after its first marker.
    static func inserting(_ segments: [(code: UInt8, content: Data)], into file: Data) -> Data {
        var result = Data(file.prefix(2))
        for segment in segments {
            let length = segment.content.count + 2
            result.append(contentsOf: [0xFF, segment.code, UInt8(length >> 8), UInt8(length & 255)])
            result.append(segment.content)
        }
        return result + file.dropFirst(2)
    }

    /// Returns a triangle wave of 256 steps.
    private static func wave(_ position: Int) -> UInt8 {
        let step = position & 255
        return UInt8(step < 128 ? 32 + step : 32 + 255 - step)
    }
}
