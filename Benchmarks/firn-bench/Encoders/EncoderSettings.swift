import Firn
import FirnFigures
import FirnReport
import FoundationEssentials

/// Compares our default settings of AVIF and JPEG XL with the libraries' slower defaults: bytes, similarity, CPU time.
struct EncoderSettings {
    private static let pairs: [(name: String, ours: any ImageEncoding, theirs: any ImageEncoding)] = [
        ("avif.speed-8", AVIFEncoder(), AVIFEncoder(speed: 6)), ("jxl.effort-4", JXLEncoder(), JXLEncoder(effort: 7)),
    ]

    func figures(_ images: [Bitmap]) -> [Figure] {
        EncoderSettings.pairs.flatMap { name, ours, theirs -> [Figure] in
            guard let own = measure(ours, images), let other = measure(theirs, images) else { return [] }
            return [
                Figure(
                    name: "encoders.\(name).bytes", value: own.bytes / 1000, unit: "kB",
                    peer: "the library's default", peerValue: other.bytes / 1000),
                Figure(
                    name: "encoders.\(name).ssim-loss", value: own.loss * 1000, unit: "‰",
                    peer: "the library's default", peerValue: other.loss * 1000),
                Figure(
                    name: "encoders.\(name).time", value: own.time / 1000, unit: "ms",
                    peer: "the library's default", peerValue: other.time / 1000),
            ]
        }
    }

    private func measure(
        _ encoder: any ImageEncoding, _ images: [Bitmap]
    ) -> (bytes: Double, loss: Double, time: Double)? {
        var total = (bytes: 0.0, loss: 0.0, time: 0.0)
        for image in images {
            let start = Stopwatch.cpuNow
            guard let file = try? encoder.encode(image) else { return nil }
            total.time += Stopwatch.cpuNow - start
            guard let again = EncoderImages.decode(file) else { return nil }
            total.bytes += Double(file.count)
            total.loss += (1 - StructuralSimilarity.of(again, image)) / Double(images.count)
        }
        return total
    }
}
