import CBareCodecs
import Firn
import FirnFigures
import FoundationEssentials

/// Compares the CPU time of each encoder at its defaults with a bare call of its library at the same settings.
struct BareEncoders {
    let rounds: Int

    private static let pairs: [(format: String, encoder: any ImageEncoding, setting: Int32)] = [
        ("jpeg", JPEGEncoder(), 85), ("png", PNGEncoder(), 6), ("webp", WebPEncoder(), 80),
        ("avif", AVIFEncoder(), 8), ("jxl", JXLEncoder(), 4),
    ]

    func figures(_ image: Bitmap) -> [Figure] {
        BareEncoders.pairs.compactMap { format, encoder, setting in
            var own: [Double] = []
            var bare: [Double] = []
            // The first round is a warm-up.
            for round in 0...rounds {
                let start = Stopwatch.cpuNow
                guard let file = try? encoder.encode(image) else { return nil }
                let middle = Stopwatch.cpuNow
                guard let length = bareLength(format, image, setting) else { return nil }
                if round > 0 {
                    own.append(middle - start)
                    bare.append(Stopwatch.cpuNow - middle)
                } else if abs(file.count - length) * 100 > length {
                    print("encoders: \(format) has \(file.count) bytes, the bare library's \(length)")
                }
            }
            let (mine, theirs) = (own.median / 1000, bare.median / 1000)
            return Figure(
                name: "encoders.bare.\(format)", value: mine, unit: "ms",
                peer: "bare library", peerValue: theirs)
        }
    }

    private func bareLength(_ format: String, _ image: Bitmap, _ setting: Int32) -> Int? {
        let length = image.withUnsafeBytes { bytes in
            var pixels = bare_pixels(
                rgb: bytes.bindMemory(to: UInt8.self).baseAddress, stride: image.bytesPerRow,
                width: UInt32(clamping: image.size.width), height: UInt32(clamping: image.size.height))
            return bare_encode(format, &pixels, setting)
        }
        return length > 0 ? length : nil
    }
}
