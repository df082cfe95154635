import FirnFigures
import FoundationEssentials

/// Measures a pan of 20 seconds through a file of a gigapixel in a real window, compared with the same movement of one
/// texture. `firn-gtk-scenes pan` does it, each time in a process of its own.
struct PanBenchmark {
    let file: String
    let rounds: Int
    private static let seconds = 20

    private struct Run: Decodable {
        let gapP99Ms: Double
        let openedMs: Double
        let sharpMs: Double
        let peakMiB: Double

        /// - Returns: `nil` if the program or Xvfb is missing, or if the run failed.
        init?(_ file: String) {
            let words = ["pan", file, "1", "\(PanBenchmark.seconds)"]
            guard let output = GalleryRun.output(words, of: "firn-gtk-scenes"),
                let run = try? JSONDecoder().decode(Run.self, from: output)
            else { return nil }
            self = run
        }
    }

    func run() -> [Figure] {
        var runs: [(mine: Run, plain: Run)] = []
        for _ in 0..<rounds {
            guard let plain = Run("-"), let mine = Run(file) else {
                print("regions: the pan is left out; it needs firn-gtk-scenes beside the bench, and Xvfb")
                return []
            }
            runs.append((mine, plain))
        }
        func median(_ value: ((mine: Run, plain: Run)) -> Double) -> Double { runs.map(value).median }
        return [
            Figure(
                name: "regions.pan.gap", value: median(\.mine.gapP99Ms), unit: "ms", peer: "one texture",
                peerValue: median(\.plain.gapP99Ms), ratio: median { $0.mine.gapP99Ms / $0.plain.gapP99Ms }),
            Figure(name: "regions.pan.opened", value: median(\.mine.openedMs), unit: "ms"),
            Figure(name: "regions.pan.sharp", value: median(\.mine.sharpMs), unit: "ms"),
            Figure(name: "regions.pan.peakMemory", value: median(\.mine.peakMiB), unit: "MiB"),
        ]
    }
}
