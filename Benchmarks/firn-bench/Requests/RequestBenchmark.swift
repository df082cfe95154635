import Firn
import FirnFigures
import FoundationEssentials

/// What a request costs when loading and decoding cost nothing.
///
/// The peer's figures (Nuke's design: an actor, a task and several hops per request) were measured on a machine of this
/// kind, 2 cores; they are constants here, since the original does not run on Linux.
struct RequestBenchmark: Sendable {
    let count: Int
    let rounds: Int
    let wants: @Sendable (String) -> Bool

    /// One thing that is measured.
    private struct Measure: Sendable {
        let name: String
        let unit: String
        /// The figure of Nuke's design.
        let peer: Double
        let run: @Sendable (RequestBenchmark) async throws -> Double
    }

    private static let measures: [Measure] = [
        Measure(name: "lookup", unit: "µs", peer: 0.23) { try await $0.lookup() },
        Measure(name: "memoryHit", unit: "µs", peer: 18) { try await $0.memoryHit() },
        Measure(name: "miss", unit: "µs", peer: 30) { try await $0.miss() },
        Measure(name: "duplicate", unit: "µs", peer: 4) { try await $0.duplicate() },
        Measure(name: "startAndCancel", unit: "µs", peer: 15) { $0.startAndCancel() },
        Measure(name: "missOneAtATime", unit: "µs", peer: 36) {
            try await $0.oneAtATime { Stopwatch.cpuNow }
        },
        Measure(name: "latencyOneAtATime", unit: "µs", peer: 36) {
            try await $0.oneAtATime { Stopwatch.wallNow * 1e6 }
        },
        Measure(name: "prefetchAddresses", unit: "ms", peer: 28) { $0.prefetcher() },
        Measure(name: "memoryOutstanding", unit: "B", peer: 4229) { $0.memoryOutstanding() },
        Measure(name: "prefetch10000", unit: "ms", peer: 28) { $0.prefetch() },
    ]

    func run() async throws -> [Figure] {
        var figures: [Figure] = []
        for measure in RequestBenchmark.measures where wants("request.\(measure.name)") {
            let value = try await measure.run(self)
            figures.append(
                Figure(
                    name: "request.\(measure.name)", value: value, unit: measure.unit, peer: "Nuke's design",
                    peerValue: measure.peer))
        }
        if wants("request.miss.observed") {
            figures.append(try await ObservingBenchmark(count: count, rounds: rounds).run())
        }
        if wants("request.behind") { figures += try await BusyPipelineBenchmark(rounds: rounds).run() }
        if wants("threads") { figures += try LookupThreadsBenchmark(rounds: rounds).run() }
        if wants("request.growth") { figures += try await GrowthBenchmark(rounds: rounds).run() }
        return figures
    }

    // MARK: Answered by the memory cache

    /// A picture of the memory cache, 1 000 in turn.
    private func lookup() async throws -> Double {
        let pipeline = try RequestWorld.pipeline(memory: true)
        let requests = RequestWorld.requests(1000)
        for request in requests { _ = try await pipeline.image(for: request) }
        return Stopwatch.median(of: rounds) {
            Stopwatch.cpu {
                for round in 0..<count * 50 { _ = pipeline.cachedImage(for: requests[round % 1000]) }
            } / Double(count * 50)
        }
    }

    /// `await pipeline.image(for:)`, 1 000 pictures in turn.
    private func memoryHit() async throws -> Double {
        let pipeline = try RequestWorld.pipeline(memory: true)
        let requests = RequestWorld.requests(1000)
        for request in requests { _ = try await pipeline.image(for: request) }
        return try await Stopwatch.median(of: rounds) {
            try await Stopwatch.cpu {
                for round in 0..<count * 20 { _ = try await pipeline.image(for: requests[round % 1000]) }
            } / Double(count * 20)
        }
    }

    // MARK: Worked for

    /// All at once, every address another.
    private func miss() async throws -> Double {
        let requests = RequestWorld.requests(count)
        return try await Stopwatch.median(of: rounds) { try await RequestWorld.miss(requests) }
    }

    /// All for one picture that is still loading.
    private func duplicate() async throws -> Double {
        try await Stopwatch.median(of: rounds) { try await RequestWorld.duplicate(count) }
    }

    private func startAndCancel() -> Double {
        let requests = RequestWorld.requests(count)
        return Stopwatch.median(of: rounds) { RequestWorld.startAndCancel(requests) }
    }

    /// Each waited for before the next is asked for: what the hops between threads cost.
    private func oneAtATime(_ now: () -> Double) async throws -> Double {
        let pipeline = try RequestWorld.pipeline()
        let requests = RequestWorld.requests(count / 4)
        return try await Stopwatch.median(of: rounds) {
            let start = now()
            for request in requests { _ = try await pipeline.image(for: request) }
            return (now() - start) / Double(requests.count)
        }
    }

    /// 10 000 addresses handed to a prefetcher and taken back, in one call each: with the making of 20 000 requests.
    private func prefetcher() -> Double {
        let urls = (0..<10_000).compactMap { URL(string: "https://example.org/photographs/\($0).jpg") }
        return Stopwatch.median(of: rounds) {
            let prefetcher = ImagePrefetcher(pipeline: RequestWorld.neverPipeline())
            return Stopwatch.cpu {
                prefetcher.startPrefetching(with: urls)
                prefetcher.stopPrefetching(with: urls)
            } / 1000
        }
    }

    /// CPU time of starting and stopping to prefetch 10 000 pictures, in milliseconds.
    private func prefetch() -> Double {
        let requests = RequestWorld.requests(10_000)
        return Stopwatch.median(of: rounds) {
            let prefetcher = ImagePrefetcher(pipeline: RequestWorld.neverPipeline())
            return Stopwatch.cpu {
                prefetcher.startPrefetching(with: requests)
                prefetcher.stopPrefetching(with: requests)
            } / 1000
        }
    }

    /// What 100 000 tasks hold that wait, their requests not counted.
    private func memoryOutstanding() -> Double {
        let requests = RequestWorld.requests(100_000)
        return Stopwatch.median(of: 3) {
            let pipeline = RequestWorld.neverPipeline()
            let before = HeapUse.bytes
            let tasks = requests.map { pipeline.imageTask(with: $0) }
            let after = HeapUse.bytes
            for task in tasks { task.cancel() }
            return Double(after - before) / Double(requests.count)
        }
    }
}
