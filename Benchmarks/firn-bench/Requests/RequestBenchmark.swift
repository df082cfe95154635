import Firn
import FirnFigures
import FoundationEssentials

/// Measures the cost of a request when loading and decoding cost nothing, compared with peers that run in the same
/// rounds.
///
/// The peers are a dictionary look-up under a lock, a hand-over to a thread and back, and a loader built as one actor;
/// see ``LockedDictionary``, ``HandOverThread``, ``ActorLoader``.
struct RequestBenchmark: Sendable {
    let count: Int
    let rounds: Int
    let wants: @Sendable (String) -> Bool

    /// One measurement.
    private struct Measure: Sendable {
        let name: String
        var unit = "µs"
        let peer: Peer
        let run: @Sendable (RequestBenchmark) async throws -> Turns
    }

    private enum Peer: String {
        case dictionary = "a dictionary under one lock"
        case handOver = "a hand-over to a thread and back"
        case actor = "a loader built as one actor"
    }

    private static let measures: [Measure] = [
        Measure(name: "lookup", peer: .dictionary) { try await $0.lookup() },
        Measure(name: "memoryHit", peer: .actor) { try await $0.memoryHit() },
        Measure(name: "miss", peer: .actor) { try await $0.miss() },
        Measure(name: "duplicate", peer: .actor) { try await $0.duplicate() },
        Measure(name: "startAndCancel", peer: .actor) { try await $0.startAndCancel() },
        Measure(name: "missOneAtATime", peer: .handOver) {
            try await $0.oneAtATime { Stopwatch.cpuNow }
        },
        Measure(name: "latencyOneAtATime", peer: .handOver) {
            try await $0.oneAtATime { Stopwatch.wallNow * 1e6 }
        },
        Measure(name: "prefetchAddresses", unit: "ms", peer: .actor) { try await $0.prefetchAddresses() },
        Measure(name: "memoryOutstanding", unit: "B", peer: .actor) { try await $0.memoryOutstanding() },
        Measure(name: "prefetch10000", unit: "ms", peer: .actor) { try await $0.prefetch() },
    ]

    func run() async throws -> [Figure] {
        var figures: [Figure] = []
        for measure in RequestBenchmark.measures where wants("request.\(measure.name)") {
            let turns = try await measure.run(self)
            figures.append(
                turns.figure("request.\(measure.name)", unit: measure.unit, peer: measure.peer.rawValue))
        }
        if wants("request.miss.observed") {
            figures.append(try await ObservingBenchmark(count: count, rounds: rounds).run())
        }
        if wants("request.behind") { figures += try await BusyPipelineBenchmark(rounds: rounds).run() }
        if wants("threads") { figures += try LookupThreadsBenchmark(rounds: rounds).run() }
        if wants("request.growth") { figures += try await GrowthBenchmark(rounds: rounds).run() }
        return figures
    }

    // MARK: Memory cache hits

    /// Looks up 1 000 images in turn in the memory cache.
    private func lookup() async throws -> Turns {
        let pipeline = try RequestWorld.pipeline(memory: true)
        let requests = RequestWorld.requests(1000)
        for request in requests { _ = try await pipeline.image(for: request) }
        let keys = requests.map { ImageCacheKey($0.description) }
        let plain = LockedDictionary(keys, ImageContainer(image: try RequestWorld.image()))
        let lookups = count * 50
        return await Turns.take(rounds) {
            Stopwatch.cpu {
                for round in 0..<lookups { _ = pipeline.cachedImage(for: requests[round % 1000]) }
            } / Double(lookups)
        } peer: {
            Stopwatch.cpu { for round in 0..<lookups { plain.look(keys[round % 1000]) } } / Double(lookups)
        }
    }

    /// Calls `await pipeline.image(for:)` for 1 000 images in turn.
    private func memoryHit() async throws -> Turns {
        let pipeline = try RequestWorld.pipeline(memory: true)
        let requests = RequestWorld.requests(1000)
        for request in requests { _ = try await pipeline.image(for: request) }
        let loader = try PeerWorld.loader(keepsImages: true)
        let urls = PeerWorld.urls(1000)
        for url in urls { _ = try await loader.image(for: url) }
        let hits = count * 20
        return try await Turns.take(rounds) {
            try await Stopwatch.cpu {
                for round in 0..<hits { _ = try await pipeline.image(for: requests[round % 1000]) }
            } / Double(hits)
        } peer: {
            try await Stopwatch.cpu {
                for round in 0..<hits { _ = try await loader.task(for: urls[round % 1000]).value }
            } / Double(hits)
        }
    }

    // MARK: Misses

    /// Requests all images at once, each from another address.
    private func miss() async throws -> Turns {
        let (requests, urls) = (RequestWorld.requests(count), PeerWorld.urls(count))
        return try await Turns.take(rounds) {
            try await RequestWorld.miss(requests)
        } peer: {
            try await PeerWorld.miss(urls)
        }
    }

    /// Requests one image that is still loading, all at once.
    private func duplicate() async throws -> Turns {
        try await Turns.take(rounds) {
            try await RequestWorld.duplicate(count)
        } peer: {
            try await PeerWorld.duplicate(count)
        }
    }

    private func startAndCancel() async throws -> Turns {
        let (requests, urls) = (RequestWorld.requests(count), PeerWorld.urls(count))
        return try await Turns.take(rounds) {
            RequestWorld.startAndCancel(requests)
        } peer: {
            try await PeerWorld.startAndCancel(urls, isEach: true) / Double(count)
        }
    }

    /// Awaits each request before the next: measures the hops between threads.
    private func oneAtATime(_ now: () -> Double) async throws -> Turns {
        let pipeline = try RequestWorld.pipeline()
        let requests = RequestWorld.requests(count / 4)
        let thread = HandOverThread()
        // More and shorter rounds than elsewhere, because the time in which a thread wakes changes from moment to
        // moment.
        let part = requests.count / 5
        return try await Turns.take(rounds * 5) {
            let start = now()
            for request in requests.prefix(part) { _ = try await pipeline.image(for: request) }
            return (now() - start) / Double(part)
        } peer: {
            let start = now()
            for _ in 0..<part { await thread() }
            return (now() - start) / Double(part)
        }
    }

    /// Passes 10 000 addresses to a prefetcher and removes them, in one call each; includes making 20 000 requests.
    private func prefetchAddresses() async throws -> Turns {
        let urls = (0..<10_000).compactMap { URL(string: "https://example.org/photographs/\($0).jpg") }
        return try await prefetch(peer: urls.map(\.absoluteString)) { prefetcher in
            prefetcher.startPrefetching(with: urls)
            prefetcher.stopPrefetching(with: urls)
        }
    }

    /// Measures the CPU time of starting and stopping to prefetch 10 000 images, in milliseconds.
    private func prefetch() async throws -> Turns {
        let requests = RequestWorld.requests(10_000)
        return try await prefetch(peer: PeerWorld.urls(10_000)) { prefetcher in
            prefetcher.startPrefetching(with: requests)
            prefetcher.stopPrefetching(with: requests)
        }
    }

    /// Measures the CPU time of `startAndStop`, in milliseconds.
    private func prefetch(peer urls: [String], _ startAndStop: (ImagePrefetcher) -> Void) async throws -> Turns {
        try await Turns.take(rounds) {
            let prefetcher = ImagePrefetcher(pipeline: RequestWorld.neverPipeline())
            return Stopwatch.cpu { startAndStop(prefetcher) } / 1000
        } peer: {
            try await PeerWorld.startAndCancel(urls, isEach: false) / 1000
        }
    }

    /// Measures the memory of 100 000 waiting tasks, without their requests.
    private func memoryOutstanding() async throws -> Turns {
        let (requests, urls) = (RequestWorld.requests(100_000), PeerWorld.urls(100_000))
        return try await Turns.take(3) {
            RequestWorld.memoryOutstanding(requests)
        } peer: {
            try await PeerWorld.memoryOutstanding(urls)
        }
    }
}
