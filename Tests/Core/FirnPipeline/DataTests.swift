import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct DataTests {
    @Test func `Bytes arrive unchanged and undecoded, with the source's response`() async throws {
        let fixture = PipelineFixture(memory: true)
        let url = "https://example.org/a"
        fixture.loader.respond(to: url, with: Data([1, 2, 3, 4, 5]), headers: ["ETag": "x"], chunkSize: 2)
        let (data, response) = try await fixture.pipeline.data(for: ImageRequest(url: url))
        #expect(data == Data([1, 2, 3, 4, 5]))
        #expect(response?.headers["etag"] == "x")
        #expect(fixture.decoder.decodes.isEmpty)
    }

    @Test func `Bytes and image of one address are one download`() async throws {
        let fixture = PipelineFixture(memory: true)
        let url = fixture.image("a")
        fixture.loader.hold(url)
        let image = fixture.pipeline.imageTask(with: ImageRequest(url: url))
        async let data = fixture.pipeline.data(for: ImageRequest(url: url))
        try await eventually { fixture.pipeline.statistics.coalesced > 0 }
        fixture.loader.release(url)
        #expect(try await data.0 == ScriptedDecoder.image(PipelineFixture.size))
        #expect(try await image.image.size == PipelineFixture.size)
        #expect(fixture.loader.requests.count == 1)
    }

    @Test func `Bytes come whole while the same bytes are decoded as they arrive`() async throws {
        let fixture = PipelineFixture(memory: true)
        let url = "https://example.org/a"
        let body = ScriptedDecoder.image(PipelineFixture.size) + Data(repeating: 7, count: 300_000)
        fixture.loader.respondByHand(to: url)
        let image = fixture.pipeline.imageTask(with: ImageRequest(url: url))
        async let data = fixture.pipeline.data(for: ImageRequest(url: url))
        let transfer = await fixture.loader.waitForRequest(url)
        try await eventually { fixture.pipeline.statistics.coalesced > 0 }
        transfer.send(body.prefix(100_000))
        transfer.send(body.dropFirst(100_000))
        transfer.finish()
        #expect(try await data.0 == body)
        // The decoder rejects bytes after the image; its failure does not affect requests for the bytes.
        await #expect(throws: ImageLoadingError.self) { try await image.response }
        #expect(fixture.loader.requests.count == 1)
    }

    @Test func `An image in memory does not stand in for the bytes`() async throws {
        let fixture = PipelineFixture(memory: true)
        let url = fixture.image("a")
        _ = try await fixture.pipeline.image(for: url)
        #expect(try await fixture.pipeline.data(for: ImageRequest(url: url)).0.isEmpty == false)
        #expect(fixture.loader.requests.count == 2)
    }

    @Test func `Bytes of images are stored on disk and read from there, other bytes are not stored`() async throws {
        let disk = DataCache(directory: "/cache", fileSystem: InMemoryFileSystem())
        let fixture = PipelineFixture { $0.dataCache = disk }
        let url = fixture.image("a")
        fixture.loader.respond(to: "https://example.org/text", with: Data("text".utf8))
        _ = try await fixture.pipeline.data(for: ImageRequest(url: url))
        _ = try await fixture.pipeline.data(for: ImageRequest(url: "https://example.org/text"))
        await fixture.pipeline.flush()
        #expect(disk.contains(url))
        #expect(!disk.contains("https://example.org/text"))
        _ = try await fixture.pipeline.data(for: ImageRequest(url: url))
        #expect(fixture.loader.transfers(url).count == 1)
    }

    @Test func `A file's bytes are read whole, beside a decode of the same file`() async throws {
        let files = InMemoryFileSystem()
        let bytes = ScriptedDecoder.image(PixelSize(width: 5, height: 4))
        try files.createDirectory("/images")
        try files.create("/images/a.png", [bytes])
        let disk = DataCache(directory: "/cache", fileSystem: files)
        let fixture = PipelineFixture(memory: true) {
            $0.files = files
            $0.dataCache = disk
        }
        let request = ImageRequest(path: "/images/a.png")
        fixture.decoder.hold()
        let image = fixture.pipeline.imageTask(with: request)
        #expect(try await fixture.pipeline.data(for: request).0 == bytes)
        fixture.decoder.release()
        #expect(try await image.image.size.width == 5)
        await fixture.pipeline.flush()
        #expect(fixture.pipeline.statistics.stores == 0, "local images are not copied into the data cache")
        #expect(!disk.contains(request.description))
    }

    @Test func `A closure that makes images has no bytes, and says so`() async {
        let fixture = PipelineFixture()
        let request = ImageRequest(
            id: "chart", image: { ImageContainer(image: try Bitmap(size: PipelineFixture.size) { _ in }) })
        await #expect {
            _ = try await fixture.pipeline.data(for: request)
        } throws: { error in
            (error as? ImageLoadingError)?.fault == .request && "\(error)".hasPrefix("chart: ")
        }
    }

    @Test func `Completions come on the executor asked for, once, also after a cancel`() async throws {
        let fixture = PipelineFixture()
        let calls = Counter()
        let executor = CallbackExecutor { body in
            calls.add()
            body()
        }
        let url = fixture.image("a")
        fixture.loader.hold(url)
        let result: Result<(data: Data, response: DataResponse?), ImageLoadingError> =
            await withCheckedContinuation { continuation in
                fixture.pipeline.loadData(with: ImageRequest(url: url), on: executor) {
                    continuation.resume(returning: $0)
                }.cancel()
            }
        #expect(throws: ImageLoadingError.self) { try result.get() }
        #expect(calls.count == 1)
    }

    @Test func `A data task has bytes, a response and progress, and no image`() async throws {
        let fixture = PipelineFixture()
        let url = fixture.image("a")
        let task = fixture.pipeline.dataTask(with: ImageRequest(url: url, priority: .low))
        #expect(task.request.description == url && task.priority == .low)
        var last: ImageTask.Progress?
        for await progress in task.progress { last = progress }
        let (data, response) = try await task.response
        #expect(ScriptedDecoder().recognizes(data) != nil)
        #expect(response?.url == url)
        #expect(last?.completed == data.count && task.currentProgress.completed == data.count)
        #expect(task.state == .completed && !task.isCancelled)
    }

    @Test func `A data task is cancelled, and its priority is that of the transfer`() async throws {
        let fixture = PipelineFixture()
        let url = fixture.image("a")
        fixture.loader.hold(url)
        let task = fixture.pipeline.dataTask(with: ImageRequest(url: url))
        task.priority = .veryHigh
        #expect(task.priority == .veryHigh)
        task.cancel()
        await #expect { try await task.response } throws: { ($0 as? ImageLoadingError)?.fault == .cancelled }
        #expect(task.isCancelled)
    }
}
