import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnSync
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ImagePrefetcherTests {
    private func requests(_ fixture: PipelineFixture, _ names: some Sequence<String>) -> [ImageRequest] {
        names.map { ImageRequest(url: fixture.image($0)) }
    }

    private func prefetcher(
        _ fixture: PipelineFixture, _ destination: ImagePrefetcher.Destination = .memoryCache, limit: Int = 2
    ) -> ImagePrefetcher {
        ImagePrefetcher(
            pipeline: fixture.pipeline, destination: destination, maxConcurrentRequestCount: limit, on: .immediate)
    }

    /// Waits until all items of a prefetcher have ended.
    private func waitForAll(_ prefetcher: ImagePrefetcher, _ start: () -> Void) async {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        prefetcher.allDidComplete = { continuation.finish() }
        start()
        for await _ in stream {}
    }

    @Test func `Prefetched images are in the memory cache`() async {
        let fixture = PipelineFixture(memory: true)
        let prefetcher = prefetcher(fixture)
        let requests = requests(fixture, (0..<20).map { "\($0)" })
        await waitForAll(prefetcher) { prefetcher.startPrefetching(with: requests) }
        #expect(requests.allSatisfy { fixture.pipeline.cachedImage(for: $0) != nil })
        #expect(fixture.loader.requests.record.peak <= 2)
    }

    @Test func `Items start in the order they were asked for, at most as many as allowed`() async {
        let fixture = PipelineFixture(memory: true)
        let prefetcher = prefetcher(fixture, limit: 1)
        let requests = requests(fixture, ["a", "b", "c"])
        await waitForAll(prefetcher) { prefetcher.startPrefetching(with: requests) }
        #expect(fixture.loader.requests.calls.map { String($0.url.suffix(1)) } == ["a", "b", "c"])
        #expect(fixture.loader.requests.record.peak == 1)
    }

    @Test func `Data in the data cache is not loaded again`() async throws {
        let files = InMemoryFileSystem()
        let fixture = PipelineFixture { $0.dataCache = DataCache(directory: "/cache", fileSystem: files) }
        let prefetcher = prefetcher(fixture, .diskCache)
        let requests = requests(fixture, ["a"])
        await waitForAll(prefetcher) { prefetcher.startPrefetching(with: requests) }
        await fixture.pipeline.flush()
        await waitForAll(prefetcher) { prefetcher.startPrefetching(with: requests) }
        #expect(fixture.loader.requests.count == 1)
        #expect(fixture.decoder.decodes.count == 1)
    }

    @Test func `Items already in the cache are done at once, however many`() async {
        let fixture = PipelineFixture(memory: true)
        let prefetcher = prefetcher(fixture)
        let requests = requests(fixture, (0..<300).map { "\($0)" })
        await waitForAll(prefetcher) { prefetcher.startPrefetching(with: requests) }
        let loads = fixture.loader.requests.count
        await waitForAll(prefetcher) { prefetcher.startPrefetching(with: requests) }
        #expect(fixture.loader.requests.count == loads)
    }

    @Test func `Thousands of items that fail at once end without a deep stack`() async {
        let fixture = PipelineFixture()
        fixture.pipeline.invalidate()
        let prefetcher = prefetcher(fixture)
        let failures = Counter()
        prefetcher.itemDidComplete = { if $1?.fault == .pipeline { failures.add() } }
        let requests = (0..<10_000).map { ImageRequest(url: "https://example.org/\($0)") }
        await waitForAll(prefetcher) { prefetcher.startPrefetching(with: requests) }
        #expect(failures.count == 10_000)
    }

    @Test func `Equal requests are one item`() async {
        let fixture = PipelineFixture()
        let prefetcher = prefetcher(fixture)
        let completions = Counter()
        prefetcher.itemDidComplete = { _, _ in completions.add() }
        let request = ImageRequest(url: fixture.image("a"))
        await waitForAll(prefetcher) {
            prefetcher.isPaused = true
            prefetcher.startPrefetching(with: [request, request])
            prefetcher.startPrefetching(with: [request])
            prefetcher.isPaused = false
        }
        #expect(completions.count == 1)
        #expect(fixture.loader.requests.count == 1)
    }

    @Test func `Stopped items are cancelled and get no completion`() async {
        let fixture = PipelineFixture()
        let prefetcher = prefetcher(fixture, limit: 1)
        let completed = Locked<[String]>([])
        prefetcher.itemDidComplete = { request, _ in
            completed.withLock { $0.append(String(request.description.suffix(1))) }
        }
        let requests = requests(fixture, ["a", "b", "c"])
        fixture.loader.hold("https://example.org/a")
        await waitForAll(prefetcher) {
            prefetcher.startPrefetching(with: requests)
            prefetcher.stopPrefetching(with: Array(requests.prefix(2)))
        }
        #expect(completed.withLock { $0 } == ["c"])
        #expect(fixture.loader.transfers("https://example.org/b").count == 0)
    }

    @Test func `Stopping everything cancels running work and starts nothing`() async {
        let fixture = PipelineFixture()
        let prefetcher = prefetcher(fixture, limit: 1)
        let requests = requests(fixture, ["a", "b"])
        fixture.loader.hold("https://example.org/a")
        prefetcher.startPrefetching(with: requests)
        _ = await fixture.loader.waitForRequest("https://example.org/a")
        prefetcher.stopPrefetching()
        await fixture.loader.requests.wait { $0.cancelled.map(\.url) == ["https://example.org/a"] }
        #expect(fixture.loader.transfers("https://example.org/b").count == 0)
    }

    @Test func `A released prefetcher stops its items`() async {
        let fixture = PipelineFixture()
        var prefetcher: ImagePrefetcher? = prefetcher(fixture)
        fixture.loader.hold("https://example.org/a")
        prefetcher?.startPrefetching(with: requests(fixture, ["a"]))
        _ = await fixture.loader.waitForRequest("https://example.org/a")
        prefetcher = nil
        await fixture.loader.requests.wait { $0.cancelled.map(\.url) == ["https://example.org/a"] }
    }

    @Test func `A view joins its image's prefetch and raises it (F21)`() async throws {
        let fixture = PipelineFixture(memory: true) { $0.scheduling.transferLimit = 1 }
        let prefetcher = prefetcher(fixture, limit: 10)
        fixture.loader.hold("https://example.org/a")
        let requests = requests(fixture, ["a", "b", "c"])
        prefetcher.startPrefetching(with: requests)
        _ = await fixture.loader.waitForRequest("https://example.org/a")
        let visible = fixture.pipeline.imageTask(with: ImageRequest(url: requests[2].description, priority: .veryHigh))
        fixture.loader.release("https://example.org/a")
        _ = try await visible.response
        prefetcher.stopPrefetching()
        #expect(fixture.loader.transfers("https://example.org/c").count == 1)
        let order = fixture.loader.requests.calls.map { String($0.url.suffix(1)) }
        #expect(order.firstIndex(of: "c") ?? 9 < order.firstIndex(of: "b") ?? 9)
    }

    @Test func `Stopping an item that a view has joined leaves the work to the view`() async throws {
        let fixture = PipelineFixture()
        let prefetcher = prefetcher(fixture)
        let request = ImageRequest(url: fixture.image("a"))
        fixture.loader.hold(request.description)
        prefetcher.startPrefetching(with: [request])
        _ = await fixture.loader.waitForRequest(request.description)
        let visible = fixture.pipeline.imageTask(with: request)
        prefetcher.stopPrefetching()
        fixture.loader.release(request.description)
        #expect(try await visible.image.size == PipelineFixture.size)
        #expect(fixture.loader.requests.record.cancelled.isEmpty)
        #expect(fixture.loader.requests.count == 1)
    }

    @Test func `A change of priority applies to running and later requests`() async {
        let desk = TaskDesk()
        let fixture = PipelineFixture(delegate: desk)
        let prefetcher = prefetcher(fixture, limit: 1)
        fixture.loader.hold("https://example.org/a")
        await waitForAll(prefetcher) {
            prefetcher.startPrefetching(with: requests(fixture, ["a", "b"]))
            #expect(desk.tasks.withLock { $0.map(\.priority) } == [.low])
            prefetcher.priority = .high
            fixture.loader.release("https://example.org/a")
        }
        #expect(desk.tasks.withLock { $0.map(\.priority) } == [.high, .high])
    }

    @Test func `Every item's end is in the stream, failures with their cause`() async {
        let fixture = PipelineFixture()
        let prefetcher = prefetcher(fixture)
        let stream = prefetcher.completions
        prefetcher.startPrefetching(with: requests(fixture, ["a"]) + [ImageRequest(url: "https://example.org/none")])
        var ends: [String: Int?] = [:]
        for await completion in stream {
            ends[completion.request.description] = completion.error?.statusCode
            if ends.count == 2 { break }
        }
        #expect(ends == ["https://example.org/a": nil, "https://example.org/none": 404])
    }
}

/// Records every task of a pipeline.
final class TaskDesk: ImagePipeline.Delegate {
    let tasks = Locked<[ImageTask]>([])
    func imageTaskCreated(_ task: ImageTask, pipeline: ImagePipeline) { tasks.withLock { $0.append(task) } }
}
