import Firn
import FirnFigures

/// Measures whether the cost of a request stays the same with 100 to 1 000 000 outstanding requests.
struct GrowthBenchmark: Sendable {
    let rounds: Int
    private static let counts = [100, 1000, 10_000, 100_000, 1_000_000]

    func run() async throws -> [Figure] {
        let requests = RequestWorld.requests(1_000_100)
        var figures: [Figure] = []
        figures += try await row("miss") { try await RequestWorld.miss(Array(requests.prefix($0))) }
        // The image is loaded once for any number of requests. A hundred cost less than that load.
        figures += try await row("duplicate", from: 1000) { try await RequestWorld.duplicate($0) }
        figures += await row("startAndCancel") {
            RequestWorld.startAndCancel(Array(requests.suffix($0 + 100)), waiting: $0)
        }
        return figures
    }

    /// Returns one cost at every count, compared with the cost at a thousand: a hundred requests end before the second
    /// thread is awake.
    ///
    /// - Parameter least: the lowest count. Default: 100.
    private func row(
        _ name: String, from least: Int = 100, _ measure: (Int) async throws -> Double
    ) async rethrows -> [Figure] {
        let counts = GrowthBenchmark.counts.filter { $0 >= least }
        var values: [Double] = []
        for count in counts {
            // A hundred requests take less than a clock tick of the scheduler, so they need many rounds.
            let rounds = max(3, min(200, 20_000 / count))
            values.append(try await Stopwatch.median(of: rounds) { try await measure(count) })
        }
        let atThousand = zip(counts, values).first { $0.0 == 1000 }?.1
        return zip(counts, values).map { count, value in
            Figure(
                name: "request.growth.\(name).\(count)", value: value, unit: "µs", peer: "with 1000 outstanding",
                peerValue: atThousand)
        }
    }
}
