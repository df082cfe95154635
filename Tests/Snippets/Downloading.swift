import Firn
import FirnTesting
import FoundationEssentials
import Testing

/// The code of the page "Downloading files".
enum DownloadSnippets {
    static func load(_ pipeline: ImagePipeline) -> DataTask {
        // snippet.load-data
        let request = ImageRequest(url: "https://example.org/photo.jpg")
        let task = pipeline.loadData(with: request) { progress in
            print("\(progress.completed) of \(progress.total ?? 0) bytes")
        } completion: { result in
            switch result {
            case .success((let data, _)): print("\(data.count) bytes")
            case .failure(let error): print(error.message)
            }
        }
        // snippet.end
        return task
    }

    static func task(_ request: ImageRequest, _ pipeline: ImagePipeline) async throws -> Data {
        // snippet.data-task
        let task = pipeline.dataTask(with: request)
        for await progress in task.progress { print(progress.completed, "bytes") }
        let (data, response) = try await task.response
        print(data.count, response?.headers["Content-Type"] ?? "of an unknown type")
        // snippet.end
        return data
    }

    static func download(_ request: ImageRequest, to file: URL, _ pipeline: ImagePipeline) async throws {
        // snippet.download
        try await pipeline.download(request, to: file) { progress in
            print("\(progress.completed) of \(progress.total ?? 0) bytes")
        }
        // snippet.end
    }
}

@Suite(.timeLimit(.minutes(2)))
struct DownloadingTests {
    @Test func `the downloaded file has the bytes of the request`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "firn-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
        let loader = ScriptedLoader()
        loader.respond(to: "https://example.org/a", with: bytes)
        let pipeline = ImagePipeline(configuration: .init(dataLoader: loader, decoders: []))
        try await DownloadSnippets.download(ImageRequest(url: "https://example.org/a"), to: file, pipeline)
        #expect(try Data(contentsOf: file) == bytes)
    }
}
