import Firn
import FirnFigures
import FoundationEssentials

/// How long a request waits that has nothing to do with the 1 000 pictures that come from the data cache just now.
///
/// Nuke's design reads the data cache on the actor of all pipelines: there it waits 62 ms.
struct BusyPipelineBenchmark: Sendable {
    let rounds: Int
    private static let count = 1000

    func run() async throws -> [Figure] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "firn-bench-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let cache = DataCache(directory: folder.path)
        let requests = RequestWorld.requests(BusyPipelineBenchmark.count)
        for request in requests {
            try cache.store(DataCacheEntry(data: Data(repeating: 7, count: 64 << 10)), for: request.description)
        }
        var (own, hit, other): ([Double], [Double], [Double]) = ([], [], [])
        for _ in 0..<rounds * 3 {
            let waits = try await round(cache, requests)
            own.append(waits.own)
            hit.append(waits.hit)
            other.append(waits.other)
        }
        return [
            figure("ownPipeline", own), figure("memoryHit", hit), figure("otherPipeline", other),
        ]
    }

    private func figure(_ name: String, _ waits: [Double]) -> Figure {
        let wait = waits.sorted()[waits.count / 2]
        return Figure(
            name: "request.behind.\(name)", value: wait, unit: "ms", peer: "Nuke's design", peerValue: 62)
    }

    /// Waits, in milliseconds, of bytes at hand and a memory hit on the busy pipeline, and of a picture on another.
    private func round(
        _ cache: DataCache, _ requests: [ImageRequest]
    ) async throws -> (own: Double, hit: Double, other: Double) {
        let other = try RequestWorld.pipeline()
        _ = try await other.image(for: "https://example.org/first")
        var configuration = try RequestWorld.pipeline(memory: true).configuration
        configuration.dataCache = cache
        let pipeline = ImagePipeline(configuration: configuration)
        let kept = ImageRequest(id: "kept", data: Data([1, 2, 3, 4]))
        _ = try await pipeline.image(for: kept)
        let tasks = requests.map { pipeline.imageTask(with: $0) }
        let own = try await wait {
            _ = try await pipeline.image(for: ImageRequest(id: "own", data: Data([1, 2, 3, 4]), priority: .veryHigh))
        }
        let hit = try await wait { _ = try await pipeline.image(for: kept) }
        let there = try await wait { _ = try await other.image(for: "https://example.org/second") }
        guard case .running = tasks[tasks.count - 1].state else { throw TooFast() }
        for task in tasks { _ = try await task.response }
        return (own, hit, there)
    }

    private func wait(_ body: () async throws -> Void) async rethrows -> Double {
        let start = Stopwatch.wallNow
        try await body()
        return (Stopwatch.wallNow - start) * 1000
    }

    /// The thousand were there before the measurement was over.
    private struct TooFast: Error {}
}
