import Firn
import FirnFigures
import FoundationEssentials

/// Measures how long an unrelated request waits while 1 000 images come from the data cache.
///
/// The peer reads its data cache on its actor, and serves the same requests; see ``ActorLoader``.
struct BusyPipelineBenchmark: Sendable {
    let rounds: Int
    private static let count = 1000

    /// Waits in milliseconds: of a request that needs no disk, of a memory hit, and of an image of another pipeline.
    private struct Waits {
        let own: Double
        let hit: Double
        var other = 0.0
    }

    func run() async throws -> [Figure] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "firn-bench-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let cache = DataCache(directory: folder.path)
        let requests = RequestWorld.requests(BusyPipelineBenchmark.count)
        let urls = PeerWorld.urls(BusyPipelineBenchmark.count)
        let files = PlainFiles(folder: folder.appending(path: "plain").path)
        try FileManager.default.createDirectory(atPath: files.folder, withIntermediateDirectories: true)
        let body = Data(repeating: 7, count: 64 << 10)
        for request in requests { try cache.store(DataCacheEntry(data: body), for: request.description) }
        for url in urls { try body.write(to: URL(filePath: "\(files.folder)/\(url.split(separator: "/").last ?? "")")) }
        var (own, peer): ([Waits], [Waits]) = ([], [])
        for _ in 0..<rounds * 3 {
            own.append(try await round(cache, requests))
            peer.append(try await peerRound(files.folder, urls))
        }
        return [
            figure("ownPipeline", own.map(\.own), peer.map(\.own)),
            figure("memoryHit", own.map(\.hit), peer.map(\.hit)),
            // This figure has no peer: another loader of the same design would be another actor.
            Figure(
                name: "request.behind.otherPipeline", value: own.map(\.other).median, unit: "ms"),
        ]
    }

    private func figure(_ name: String, _ own: [Double], _ peer: [Double]) -> Figure {
        Turns(own: own, peer: peer).figure(
            "request.behind.\(name)", unit: "ms", peer: "a loader built as one actor")
    }

    private func round(_ cache: DataCache, _ requests: [ImageRequest]) async throws -> Waits {
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
        return Waits(own: own, hit: hit, other: there)
    }

    private func peerRound(_ folder: String, _ urls: [String]) async throws -> Waits {
        let loader = try PeerWorld.loader(keepsImages: true, folder: folder)
        _ = try await loader.image(for: "https://example.org/kept")
        let tasks = urls.map { loader.task(for: $0) }
        // High priority, as the pipeline's request has: an actor runs urgent work first.
        let own = try await wait {
            _ = try await Task(priority: .high) { try await loader.image(for: "https://example.org/own") }.value
        }
        let hit = try await wait {
            _ = try await Task(priority: .high) { try await loader.image(for: "https://example.org/kept") }.value
        }
        for task in tasks { _ = try await task.value }
        return Waits(own: own, hit: hit)
    }

    private func wait(_ body: () async throws -> Void) async rethrows -> Double {
        let start = Stopwatch.wallNow
        try await body()
        return (Stopwatch.wallNow - start) * 1000
    }

    /// The thousand images arrived before the measurement was over.
    private struct TooFast: Error {}
}
