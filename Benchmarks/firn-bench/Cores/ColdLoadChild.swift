import Firn
import FirnSystem
import FoundationEssentials

/// A process that loads images of 100 KiB which arrive in four chunks, by a pipeline whose caches are empty, one after the
/// other. Prints how often a load takes the lock of the job table, its stores included.
enum ColdLoadChild {
    private static let count = 200

    static func run() async throws {
        guard let server = ServerProcess() else { return complain("the server did not start") }
        let folder = "/dev/shm/firn-bench-cold-\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let pipeline = ImagePipeline { $0.dataCache = DataCache(directory: folder) }
        let urls = (0...count).map { "http://127.0.0.1:\(server.port)/quarters/\($0)" }
        _ = try await pipeline.image(for: ImageRequest(url: urls[count]))
        await pipeline.flush()
        let before = pipeline.tableSections
        for url in urls.dropLast() {
            _ = try await pipeline.image(for: ImageRequest(url: url))
            await pipeline.flush()
        }
        print(Double(pipeline.tableSections - before) / Double(count))
        withExtendedLifetime(server) {}
    }
}
