import Firn
import FirnBinding
import FirnFigures
import FoundationEssentials

/// Compares the three policies for the requests of cells that scroll away, with one scroll on a mobile network.
@MainActor
struct ReuseBenchmark {
    /// A list with one image on the screen, as a timeline, or a grid of 42.
    private struct Shape {
        let name: String
        let columns: Int
        let rows: Int
        var far: Double { (500.0 / Double(columns)).rounded(.up) }
    }

    private let files: [Data]

    init?() {
        guard let files = try? ReuseImages.files() else { return nil }
        self.files = files
    }

    func run() async -> [Figure] {
        let bytes = files.reduce(0) { $0 + $1.count } / files.count
        print("reuse: images of \(bytes >> 10) KiB, \(PhoneLine.latency) s and 8 Mbit/s")
        var figures: [Figure] = []
        for shape in [Shape(name: "list", columns: 1, rows: 1), Shape(name: "grid", columns: 6, rows: 7)] {
            let alone = await aloneSeconds(shape)
            for policy in ImageReusePolicy.allCases {
                let outcome = await scroll(shape, policy)
                describe(shape, policy, outcome)
                figures += ReuseBenchmark.figures("reuse.\(shape.name).\(policy)", outcome, alone: alone)
            }
        }
        return figures
    }

    private func scroll(_ shape: Shape, _ policy: ImageReusePolicy) async -> ReuseScroll.Outcome {
        let line = PhoneLine { [files] in ReuseBenchmark.file($0, files) }
        let list = makeList(shape, policy, line)
        var outcome = await ReuseScroll(list, rowsOnScreen: shape.rows).run(far: shape.far, back: shape.far / 2)
        outcome.bytes = line.bytes
        return outcome
    }

    /// Returns the seconds to the last image of a screen, with nothing else on the line.
    private func aloneSeconds(_ shape: Shape) async -> Double {
        let line = PhoneLine { [files] in ReuseBenchmark.file($0, files) }
        let list = makeList(shape, .cancel, line, count: shape.columns * shape.rows)
        let start = Stopwatch.wallNow
        list.scroll(to: 0)
        while !list.visible.allSatisfy({ list.hasImage($0) }), Stopwatch.wallNow - start < 20 {
            try? await Task.sleep(for: .milliseconds(4))
        }
        return Stopwatch.wallNow - start
    }

    private func makeList(_ shape: Shape, _ policy: ImageReusePolicy, _ line: PhoneLine, count: Int = 10_000)
        -> ReuseList
    {
        var configuration = ImagePipeline.Configuration(dataLoader: line, decoders: [FormatDecoder.jpeg])
        configuration.imageCache = ImageCache()
        var options = ImageLoadingOptions()
        options.pixelFormat = .rgb8
        options.isProgressiveRenderingEnabled = false
        let context = BindingContext(
            pipeline: ImagePipeline(configuration: configuration), options: options, policy: policy)
        return ReuseList(context: context, count: count, columns: shape.columns, rowsOnScreen: shape.rows)
    }

    private nonisolated static func file(_ url: String, _ files: [Data]) -> Data? {
        url.split(separator: "/").last.flatMap { Int($0) }.map { files[$0 % files.count] }
    }

    private static func figures(_ name: String, _ outcome: ReuseScroll.Outcome, alone: Double) -> [Figure] {
        let last = outcome.stopped.max() ?? .infinity
        return [
            Figure(
                name: "\(name).stopped", value: last * 1000, unit: "ms", peer: "alone", peerValue: alone * 1000),
            Figure(name: "\(name).wrong", value: Double(outcome.wrong), unit: "images"),
        ]
    }

    private func describe(_ shape: Shape, _ policy: ImageReusePolicy, _ outcome: ReuseScroll.Outcome) {
        func times(_ seconds: [Double]) -> String {
            let sorted = seconds.sorted()
            guard let last = sorted.last else { return "none" }
            return "\(Int(sorted[sorted.count / 2] * 1000)) / \(Int(last * 1000)) ms"
        }
        print(
            "reuse.\(shape.name) \(policy): stopped at \(times(outcome.stopped)), passed \(times(outcome.passed)) "
                + "(\(outcome.passed.count) of \(outcome.passedItems)), returned to \(times(outcome.returned)), "
                + "\(outcome.bytes >> 10) KiB, \(outcome.wrong) wrong")
    }
}
