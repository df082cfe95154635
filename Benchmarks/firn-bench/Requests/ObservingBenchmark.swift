import Firn
import FirnFigures

/// Measures the cost of an observer that does nothing: a full miss with one, compared with one without, in turn.
struct ObservingBenchmark: Sendable {
    let count: Int
    let rounds: Int

    private struct Nobody: PipelineObserver {
        func pipeline(didObserve event: PipelineEvent) {}
    }

    func run() async throws -> Figure {
        let requests = RequestWorld.requests(count)
        var plain: [Double] = []
        var observed: [Double] = []
        for _ in 0..<rounds {
            plain.append(try await RequestWorld.miss(requests))
            observed.append(try await RequestWorld.miss(requests, observers: [Nobody()]))
        }
        let own = observed.median
        let other = plain.median
        return Figure(
            name: "request.miss.observed", value: own, unit: "µs", peer: "without an observer", peerValue: other)
    }
}
