import Firn
import FirnFigures

/// Measures time and output of the encoders, on photographs of 1600 pixels.
struct EncoderBenchmark {
    let photographs: [String]
    let rounds: Int
    private static let side = 1600
    /// The number of photographs: enough to see a difference, and few enough for a short run.
    private static let most = 3

    func run() -> [Figure] {
        let images = photographs.prefix(EncoderBenchmark.most).compactMap {
            EncoderImages.photograph($0, side: EncoderBenchmark.side)
        }
        guard let first = images.first else { return [] }
        return CommandPeers(rounds: rounds).figures(images) + BareEncoders(rounds: rounds).figures(first)
            + EncoderSettings().figures(images) + StoredFormats(rounds: rounds).figures(images)
    }
}
