import FirnCodecs
import FirnImage
import FoundationEssentials

/// AVIF and JPEG XL, as far as the encoders write their variants; empty in a build without them.
extension FeatureImages {
    static let modern: [GeneratedImage] = {
        let slopes = GeneratedPixels.slopes()
        let clear = GeneratedPixels.slopes(alpha: true)
        let gray = GeneratedPixels.gray
        let stills: [(String, any ImageEncoding, [UInt8], Double)] = [
            ("avif-quarter", AVIFEncoder(quality: 0.95, chroma: .quarter), slopes, 6),
            ("avif-alpha", AVIFEncoder(quality: 0.95), clear, 5), ("avif-gray", AVIFEncoder(quality: 0.95), gray, 3),
            ("jxl-lossy", JXLEncoder(quality: 0.95), slopes, 3),
            ("jxl-lossy-alpha", JXLEncoder(quality: 0.95), clear, 4),
            ("jxl-gray", JXLEncoder(lossless: true), gray, 0),
            ("jxl-effort-7", JXLEncoder(lossless: true, effort: 7), slopes, 0),
        ]
        var files = stills.compactMap { name, encoder, pixels, tolerance in
            (try? encoder.encode(GeneratedPixels.bitmap(pixels))).map {
                still(name, encoder.format, $0, pixels, tolerance: tolerance)
            }
        }
        let frames = [GeneratedPixels.blocks(), GeneratedPixels.plain([9, 200, 30, 255]), slopes]
        if let data = try? animation(AVIFEncoder(lossless: true), frames) {
            files.append(
                GeneratedImage("avif-sequence", .avif, data, frames, size: GeneratedPixels.size).expecting {
                    $0.durations = [40, 50, 60]
                    // libavif writes no number, and such sequences repeat.
                    $0.loopCount = 0
                })
        }
        return files
    }()

    private static func animation(_ encoder: any AnimationEncoding, _ frames: [[UInt8]]) throws -> Data {
        let session = try encoder.makeAnimation(size: GeneratedPixels.size, repetitions: .forever)
        for (index, frame) in frames.enumerated() {
            try session.append(GeneratedPixels.bitmap(frame), duration: .milliseconds(40 + 10 * index))
        }
        return try session.finish()
    }
}
