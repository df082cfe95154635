import Firn
import FirnFigures

/// Whether a request costs the same however many others are outstanding: from 100 to 1 000 000.
struct GrowthBenchmark: Sendable {
    let rounds: Int
    private static let counts = [100, 1000, 10_000, 100_000, 1_000_000]

    func run() async throws -> [Figure] {
        let requests = RequestWorld.requests(1_000_100)
        var figures: [Figure] = []
        figures += try await row("miss") { try await RequestWorld.miss(Array(requests.prefix($0))) }
        figures += try await row("duplicate") { count in
            // The image is loaded once, however many wait for it: that is taken off, or it would be most of what a hundred cost.
            let one = try await RequestWorld.duplicate(1)
            return max(0, (try await RequestWorld.duplicate(count) * Double(count) - one) / Double(count - 1))
        }
        figures += await row("startAndCancel") {
            RequestWorld.startAndCancel(Array(requests.suffix($0 + 100)), waiting: $0)
        }
        return figures
    }

    /// One cost at every count, against that at a thousand: a hundred are over before the second thread is awake.
    private func row(_ name: String, _ measure: (Int) async throws -> Double) async rethrows -> [Figure] {
        var values: [Double] = []
        for count in GrowthBenchmark.counts {
            // A hundred requests take less than a clock tick of the scheduler: many rounds.
            let rounds = max(3, min(200, 20_000 / count))
            values.append(try await Stopwatch.median(of: rounds) { try await measure(count) })
        }
        return zip(GrowthBenchmark.counts, values).map { count, value in
            Figure(
                name: "request.growth.\(name).\(count)", value: value, unit: "µs", peer: "with 1000 outstanding",
                peerValue: values[1])
        }
    }
}
