import Firn
import FirnTesting
import Foundation
import Testing

// snippet.downloader
/// Writes the data at an address into a file, and reports how much has arrived.
struct Downloader: Sendable {
    var loader: any DataLoading = DataLoader()

    /// - Parameter progress: receives the bytes written so far, and the length of the
    ///   file if its source states it.
    func download(
        _ url: String, to path: String,
        progress: (_ written: Int, _ total: Int?) -> Void
    ) async throws {
        let (events, feed) = AsyncStream.makeStream(of: DataEvent.self)
        let transfer = loader.startLoading(DataRequest(url: url)) { event in
            feed.yield(event)
            if case .end = event { feed.finish() }
        }
        // Also when the Swift task is cancelled.
        feed.onTermination = { _ in transfer.cancel() }

        // The file gets its name when it is whole.
        let partial = path + ".part"
        guard FileManager.default.createFile(atPath: partial, contents: nil),
            let file = FileHandle(forWritingAtPath: partial)
        else { throw CocoaError(.fileWriteUnknown) }
        defer {
            try? file.close()
            try? FileManager.default.removeItem(atPath: partial)
        }

        var written = 0
        var total: Int?
        for await event in events {
            switch event {
            case .response(let response): total = response.expectedLength
            case .chunk(let bytes):
                transfer.pause()  // back-pressure: the source waits for the disk
                try file.write(contentsOf: bytes)
                transfer.resume()
                written += bytes.count
                progress(written, total)
            case .end(let error?):
                try Task.checkCancellation()
                throw error
            case .end(nil):
                guard rename(partial, path) == 0 else {
                    throw CocoaError(.fileWriteUnknown)
                }
                return
            }
        }
        throw CancellationError()
    }
}
// snippet.end

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
}

/// The downloader of the page "Downloading files", run.
@Suite(.timeLimit(.minutes(2)))
struct DownloaderTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    private let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path) }

    @Test func `A downloaded file has the bytes of the server, and progress ends at its length`() async throws {
        let server = try ScriptedServer()
        server.respond(to: "/a.jpg", with: .body(bytes))
        let path = folder.appendingPathComponent("a.jpg").path
        var steps: [Int] = []
        var lengths: Set<Int?> = []
        try await Downloader().download(server.url("/a.jpg"), to: path) { written, total in
            steps.append(written)
            lengths.insert(total)
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
        #expect(steps == steps.sorted() && steps.last == bytes.count)
        #expect(lengths == [bytes.count])
        #expect(try names() == ["a.jpg"])
        try FileManager.default.removeItem(at: folder)
    }

    @Test func `A failed download leaves no file`() async throws {
        let server = try ScriptedServer()
        server.respond(to: "/cut.jpg", with: .steps([.bytes(bytes), .cut], framing: .statedLength(2 * bytes.count)))
        let path = folder.appendingPathComponent("cut.jpg").path
        await #expect(throws: DataLoadingError.self) {
            try await Downloader().download(server.url("/cut.jpg"), to: path) { _, _ in }
        }
        #expect(try names().isEmpty)
        try FileManager.default.removeItem(at: folder)
    }

    @Test func `A cancelled download cancels its transfer and leaves no file`() async throws {
        let loader = ScriptedLoader()
        loader.respondByHand(to: "https://example.org/a")
        let path = folder.appendingPathComponent("a").path
        let task = Task { try await Downloader(loader: loader).download("https://example.org/a", to: path) { _, _ in } }
        let transfer = await loader.waitForRequest("https://example.org/a")
        transfer.respond()
        transfer.send(bytes)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(transfer.isCancelled)
        #expect(try names().isEmpty)
        try FileManager.default.removeItem(at: folder)
    }
}
