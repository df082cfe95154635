import FirnCache
import FirnData
import FirnHTTP
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite("Bodies that one process began and another goes on with, over real sockets", .timeLimit(.minutes(5)))
struct PartialDiskTests {
    private let size = PixelSize(width: 40, height: 30)
    private let half = 200_000
    private let files = InMemoryFileSystem()

    private func data(_ length: Int = 400_000) -> Data { ScriptedProgressiveDecoder.image(size, bytes: length) }

    /// Returns a pipeline like that of a new process.
    private func pipeline() -> ImagePipeline {
        var configuration = ImagePipeline.Configuration(
            dataLoader: DataLoader(), decoders: [ScriptedProgressiveDecoder()])
        configuration.dataCache = DataCache(directory: "/cache", fileSystem: files)
        configuration.partialDataCache = DataCache(directory: "/cache/partial", fileSystem: files)
        return ImagePipeline(configuration: configuration)
    }

    private var segments: [String] { files.files.keys.filter { $0.hasPrefix("/cache/partial/") }.sorted() }

    /// Loads half an image and stops, as a process does that dies. Then the server has another response.
    ///
    /// - Returns: the pipeline and the task, which the caller must keep until the end.
    private func begin(_ server: ScriptedServer, tag: String = "\"v1\"", then next: ScriptedResponse) async throws
        -> (ImagePipeline, ImageTask)
    {
        server.respond(to: "/x", with: [.file(ServedFile(data(), tag: tag, gates: [half: Gate()])), next])
        let pipeline = pipeline()
        let task = pipeline.imageTask(with: server.url("/x"))
        for await progress in task.progress where progress.completed >= half { break }
        await pipeline.flush()
        return (pipeline, task)
    }

    private func ranges(_ server: ScriptedServer) -> [String?] { server.requests.calls.map { $0.headers["Range"] } }

    @Test func `The rest is loaded by a range with If-Range, the bytes are the same, and nothing stays on disk`()
        async throws
    {
        let server = try ScriptedServer()
        let (first, task) = try await begin(server, then: .file(ServedFile(data())))
        #expect(!segments.isEmpty)
        let second = pipeline()
        #expect(try await second.data(for: ImageRequest(url: server.url("/x"))).0 == data())
        await second.flush()
        let request = try #require(server.requests.calls.last)
        let range = try #require(request.headers["Range"])
        let start = try #require(Int(range.dropFirst("bytes=".count).dropLast()))
        #expect(range.hasPrefix("bytes=") && start >= 64 << 10 && start <= half)
        #expect(request.headers["If-Range"] == "\"v1\"")
        #expect(second.statistics.bytesResumed == start && second.statistics.bytesWasted == 0)
        #expect(segments.isEmpty)
        #expect(try await second.image(for: server.url("/x")).size == size)
        #expect(ranges(server).count == 2)
        task.cancel()
        _ = first
    }

    @Test func `Changed content is loaded completely, without old bytes`() async throws {
        let server = try ScriptedServer()
        let changed = data(300_000)
        let (first, task) = try await begin(server, then: .file(ServedFile(changed, tag: "\"v2\"")))
        let second = pipeline()
        #expect(try await second.data(for: ImageRequest(url: server.url("/x"))).0 == changed)
        #expect(ranges(server).last??.hasPrefix("bytes=") == true)
        await second.flush()
        #expect(segments.isEmpty)
        task.cancel()
        _ = first
    }

    @Test func `Nothing of a response without a strong validator is stored`() async throws {
        let server = try ScriptedServer()
        let (first, task) = try await begin(server, tag: "W/\"v1\"", then: .file(ServedFile(data())))
        #expect(segments.isEmpty)
        #expect(try await pipeline().data(for: ImageRequest(url: server.url("/x"))).0 == data())
        #expect(ranges(server) == [nil, nil])
        task.cancel()
        _ = first
    }

    @Test func `Incomplete and damaged parts are discarded, and the bytes before them are used`() async throws {
        for isFirst in [false, true] {
            let server = try ScriptedServer()
            let (first, task) = try await begin(server, then: .file(ServedFile(data())))
            let last = DataCache(directory: "/cache/partial", fileSystem: files)
            let records = try last.entries().sorted { $0.key < $1.key }
            try #require(records.count >= 2)
            let whole = try #require(files[records[0].path])
            // Truncates a file, or flips a bit in the middle of the first one.
            if isFirst {
                files[records[0].path]?[whole.count / 2] ^= 1
            } else {
                files[records[1].path] = files[records[1].path]?.dropLast(1)
            }
            #expect(try await pipeline().data(for: ImageRequest(url: server.url("/x"))).0 == data())
            #expect(ranges(server).last == (isFirst ? .some(nil) : "bytes=\(records[0].bodyBytes)-"))
            task.cancel()
            _ = first
            files.removeTree("/cache")
        }
    }

    @Test func `A request that must not read or write the disk finds and leaves nothing there`()
        async throws
    {
        let server = try ScriptedServer()
        let (first, task) = try await begin(server, then: .file(ServedFile(data())))
        let reload = ImageRequest(url: server.url("/x"), options: [.disableDiskCache])
        #expect(try await pipeline().data(for: reload).0 == data())
        #expect(ranges(server) == [nil, nil])
        task.cancel()
        _ = first
    }

    @Test(arguments: [false, true])
    func `Nothing of a no-store response is stored, not even while it arrives`(isCut: Bool) async throws {
        let server = try ScriptedServer()
        let headers: HTTPHeaderFields = ["ETag": "\"v1\"", "Cache-Control": "no-store"]
        let step: ScriptedResponse.Step = isCut ? .cut : .stall
        server.respond(
            to: "/x",
            with: .steps([.bytes(data().prefix(half)), step], framing: .statedLength(400_000), headers: headers))
        var configuration = pipeline().configuration
        configuration.httpCachePolicy = HTTPCachePolicy.images
        let pipeline = ImagePipeline(configuration: configuration)
        let task = pipeline.imageTask(with: server.url("/x"))
        if isCut {
            await #expect(throws: ImageLoadingError.self) { try await task.response }
        } else {
            for await progress in task.progress where progress.completed >= half { break }
        }
        await pipeline.flush()
        #expect(files.files.isEmpty)
        task.cancel()
    }
}
