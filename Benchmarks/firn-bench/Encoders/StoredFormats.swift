import Firn
import FirnFigures
import FirnReport
import FoundationEssentials

/// Measures the cost of storing a processed image in each format without visible loss.
struct StoredFormats {
    let rounds: Int

    private static let stores: [(name: String, encoder: any ImageEncoding)] = [
        ("jpeg-92", JPEGEncoder(quality: 0.92, chroma: .full)), ("jpeg-95", JPEGEncoder(quality: 0.95, chroma: .full)),
        ("webp-lossless-0", WebPEncoder(lossless: true, effort: 0)),
        ("webp-lossless-1", WebPEncoder(lossless: true, effort: 1)), ("png-1", PNGEncoder(compressionLevel: 1)),
    ]

    func figures(_ images: [Bitmap]) -> [Figure] {
        let pixels = Double(images.reduce(0) { $0 + $1.size.area })
        return Self.stores.flatMap { name, encoder -> [Figure] in
            var (bytes, encoding, decoding, likeness) = (0, 0.0, 0.0, 0.0)
            for image in images {
                let start = Stopwatch.cpuNow
                guard let file = try? encoder.encode(image) else { return [] }
                encoding += Stopwatch.cpuNow - start
                decoding += Stopwatch.median(of: rounds) {
                    let start = Stopwatch.cpuNow
                    _ = EncoderImages.decode(file, format: .bgra8Premultiplied)
                    return Stopwatch.cpuNow - start
                }
                bytes += file.count
                likeness += EncoderImages.decode(file).map { StructuralSimilarity.of($0, image) } ?? 0
            }
            let ssim = NumberText.rounded(likeness / Double(images.count))
            return [
                Figure(
                    name: "encoders.processed.\(name).bytes", value: Double(bytes) / pixels, unit: "B/px",
                    peer: "as pixels", peerValue: 4, note: "SSIM \(ssim)"),
                Figure(
                    name: "encoders.processed.\(name).time", value: (encoding + decoding) / pixels * 1000,
                    unit: "ns/px",
                    note: "writing \(NumberText.short(encoding / pixels * 1000)), "
                        + "reading \(NumberText.short(decoding / pixels * 1000))"),
            ]
        }
    }
}
