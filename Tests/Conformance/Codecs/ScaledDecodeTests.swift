import FirnCodecs
import FirnImage
import FirnProcessing
import FoundationEssentials
import Testing

/// Compares decodes at smaller sizes with the reduced whole decode.
@Suite(.enabled(if: Corpus.found != nil, Comment(rawValue: Corpus.absence)))
struct ScaledDecodeTests {
    /// Only every eighth of the larger images is decoded, and none above 25 megapixels, because a debug build decodes a
    /// few megapixels a second: about half a minute in all.
    private static let pixels = 200_000

    private static let formats = Corpus.found?.formats ?? []

    @Test(arguments: formats)
    func `an image that decodes whole decodes at a smaller size, and looks the same`(format: String) throws {
        for (index, image) in try #require(Corpus.found).sound(format).enumerated() {
            let area = (Int(image["width"]) ?? 0) * (Int(image["height"]) ?? 0)
            if area > ScaledDecodeTests.pixels, index % 8 != 0 || area > 25_000_000 { continue }
            guard let session = try? ImageJudge.session(image.path),
                let whole = try? session.decode(ScaledDecodeTests.options(nil))
            else { continue }
            let half = PixelSize(width: (whole.size.width + 1) / 2, height: (whole.size.height + 1) / 2)
            for target in [PixelSize(width: 64, height: 64), half] {
                do {
                    let options = ScaledDecodeTests.options(target)
                    let scaled = try ImageJudge.session(image.path).decode(options)
                    let difference = try ScaledDecodeTests.difference(whole, scaled)
                    if difference > 6, ScaledDecodeTests.reason(format, image.name) == nil {
                        Issue.record("\(image.name) at \(target): \(difference) levels from the whole decode")
                    }
                } catch {
                    Issue.record("\(image.name) at \(target): \(error)")
                }
            }
        }
    }

    private static func options(_ target: PixelSize?) -> DecodingOptions {
        var options = DecodingOptions()
        options.targetSize = target.map { TargetSize($0) }
        return options
    }

    /// Returns the mean difference of both images at 8x8 pixels, or fewer if the smaller one is small.
    private static func difference(_ one: Bitmap, _ other: Bitmap) throws -> Double {
        let size = PixelSize(
            width: min(8, max(1, other.size.width / 4)), height: min(8, max(1, other.size.height / 4)))
        let first = try bytes(one.resized(to: size))
        let second = try bytes(other.resized(to: size))
        let sum = zip(first, second).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        return Double(sum) / Double(max(1, first.count))
    }

    private static func bytes(_ bitmap: Bitmap) -> [UInt8] {
        let row = bitmap.size.width * bitmap.format.bytesPerPixel
        return bitmap.withUnsafeBytes { bytes in
            (0..<bitmap.size.height).flatMap { Array(bytes[$0 * bitmap.bytesPerRow..<$0 * bitmap.bytesPerRow + row]) }
        }
    }

    /// Returns the reason why a file may look different at another size; `nil` if there is none.
    private static func reason(_ format: String, _ name: String) -> String? {
        if format == "ico" { return "the fitting icon is a drawing of its own" }
        return reasons.first { name.hasSuffix($0.key) }?.value
    }

    private static let reasons = [
        "mozilla/jpg-size-3x3.jpg": "libjpeg's eighths mix in what fills the block",
        "mozilla/jpg-size-5x5.jpg": "libjpeg's eighths mix in what fills the block",
        "data/checkerboard.gamma1dot0.png": "black and white pixels are averaged before their gamma is converted",
        "structure/svg/negative-size.svg": "without a valid size the canvas is that of browsers, 300 x 150",
    ]
}
