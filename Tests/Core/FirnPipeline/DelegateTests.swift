import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnSync
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct DelegateTests {
    /// A delegate that runs closures and records its calls.
    private final class Desk: ImagePipeline.Delegate {
        struct Orders: Sendable {
            var loader: (any DataLoading)?
            var decoder: (@Sendable (ImageDecodingContext) -> (any ImageDecoding)?)?
            var key: (@Sendable (ImageRequest) -> String?)?
            var memory: (@Sendable (ImageRequest) -> (any ImageCaching)?)?
            var sent: (@Sendable (DataRequest) async throws -> DataRequest)?
            var kept: (@Sendable (Data) async -> Data?)?
            var created: (@Sendable (ImageTask) -> Void)?
        }

        let orders: Orders
        let notes = Locked<[String]>([])

        init(_ change: (inout Orders) -> Void) {
            var orders = Orders()
            change(&orders)
            self.orders = orders
        }

        func note(_ text: String) { notes.withLock { $0.append(text) } }

        func dataLoader(for request: ImageRequest, pipeline: ImagePipeline) -> any DataLoading {
            orders.loader ?? pipeline.configuration.dataLoader
        }

        func imageDecoder(for context: ImageDecodingContext, pipeline: ImagePipeline) -> (any ImageDecoding)? {
            orders.decoder.map { $0(context) } ?? pipeline.configuration.decoders.first
        }

        func cacheKey(for request: ImageRequest, pipeline: ImagePipeline) -> String? { orders.key?(request) }

        func imageCache(for request: ImageRequest, pipeline: ImagePipeline) -> (any ImageCaching)? {
            orders.memory.map { $0(request) } ?? pipeline.configuration.imageCache
        }

        func willLoadData(
            for request: ImageRequest, dataRequest: DataRequest, pipeline: ImagePipeline
        ) async throws -> DataRequest { try await orders.sent?(dataRequest) ?? dataRequest }

        func willCache(data: Data, for request: ImageRequest, pipeline: ImagePipeline) async -> Data? {
            if let kept = orders.kept { await kept(data) } else { data }
        }

        func imageTaskCreated(_ task: ImageTask, pipeline: ImagePipeline) {
            note("created")
            orders.created?(task)
        }
        func imageTaskDidStart(_ task: ImageTask, pipeline: ImagePipeline) { note("started") }
        func imageTask(_ task: ImageTask, didReceiveEvent event: ImageTask.Event, pipeline: ImagePipeline) {
            switch event {
            case .progress(let progress): note("progress \(progress.completed)")
            case .preview: note("preview")
            case .finished(.success(let response)): note("image \(response.image.size.width)")
            case .finished(.failure(let error)): note("failure \(error.fault)")
            }
        }
    }

    private func fixture(
        memory: Bool = false, _ configure: (inout ImagePipeline.Configuration) -> Void = { _ in },
        _ order: (inout Desk.Orders) -> Void
    ) -> (PipelineFixture, Desk) {
        let desk = Desk(order)
        return (PipelineFixture(memory: memory, delegate: desk, configure), desk)
    }

    @Test func `The delegate receives a task's events in order, its end last and once`() async throws {
        let (fixture, desk) = fixture(memory: true) { _ in }
        let url = fixture.image("a")
        fixture.loader.respondByHand(to: url)
        let task = fixture.pipeline.imageTask(with: ImageRequest(url: url))
        let transfer = await fixture.loader.waitForRequest(url)
        let image = ScriptedDecoder.image(PixelSize(width: 7, height: 5))
        transfer.send(image.prefix(5))
        transfer.send(image.dropFirst(5))
        transfer.finish()
        _ = try await task.response
        let notes = desk.notes.withLock { $0 }
        #expect(notes == ["created", "started", "progress 5", "progress \(image.count)", "image 7"])

        let hit = fixture.pipeline.imageTask(with: ImageRequest(url: url))
        #expect(hit.state == .completed)
        #expect(desk.notes.withLock { $0.suffix(2) } == ["created", "image 7"])
    }

    @Test func `The delegate receives the end of a cancelled task`() async {
        let (fixture, desk) = fixture { _ in }
        let url = fixture.image("a")
        fixture.loader.hold(url)
        fixture.pipeline.imageTask(with: ImageRequest(url: url)).cancel()
        #expect(desk.notes.withLock { $0.last } == "failure cancelled")
    }

    @Test func `A delegate may cancel or raise a task before it starts`() async throws {
        let (fixture, _) = fixture { orders in
            orders.created = { task in
                if task.request.description.hasSuffix("cancelled") { task.cancel() } else { task.priority = .veryHigh }
            }
        }
        let urls = [fixture.image("cancelled"), fixture.image("raised")]
        for url in urls { fixture.loader.hold(url) }
        let cancelled = fixture.pipeline.imageTask(with: ImageRequest(url: urls[0]))
        await #expect(throws: ImageLoadingError.self) { _ = try await cancelled.image }
        let raised = fixture.pipeline.imageTask(with: ImageRequest(url: urls[1]))
        _ = await fixture.loader.waitForRequest(urls[1])
        #expect(fixture.loader.requests.calls.map(\.url) == [urls[1]])
        // Before the request, or just after it.
        if fixture.loader.requests.calls.first?.priority != .veryHigh {
            await fixture.loader.priorities.wait { $0.calls == [.veryHigh] }
        }
        raised.cancel()
    }

    @Test func `A request is sent as the delegate prepared it`() async throws {
        let (fixture, _) = fixture { orders in
            orders.sent = { request in
                await Task.yield()
                var request = request
                request.headers["Authorization"] = "signed"
                return request
            }
        }
        _ = try await fixture.pipeline.image(for: fixture.image("a"))
        #expect(fixture.loader.requests.calls.map { $0.headers["authorization"] } == ["signed"])
    }

    @Test func `A request that the delegate refuses fails with its reason, and nothing is sent`() async {
        struct NoToken: Error, CustomStringConvertible { var description: String { "no token" } }
        let (fixture, _) = fixture { $0.sent = { _ in throw NoToken() } }
        let url = fixture.image("a")
        await #expect {
            _ = try await fixture.pipeline.image(for: url)
        } throws: { error in
            (error as? ImageLoadingError)?.fault == .request && "\(error)".contains("no token")
                && "\(error)".contains(url)
        }
        #expect(fixture.loader.requests.isEmpty)
    }

    @Test func `Cancelling while a request is prepared sends nothing (F9)`() async {
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let (began, begin) = AsyncStream<Void>.makeStream()
        let (fixture, _) = fixture { orders in
            orders.sent = { request in
                begin.finish()
                for await _ in gate {}
                return request
            }
        }
        let url = fixture.image("a")
        let task = fixture.pipeline.imageTask(with: ImageRequest(url: url))
        for await _ in began {}
        task.cancel()
        opener.finish()
        // The slot is free again, so another request runs.
        _ = try? await fixture.pipeline.image(for: fixture.image("b"))
        #expect(fixture.loader.transfers(url).count == 0)
    }

    @Test func `Loader and decoder may be chosen for a request`() async throws {
        let other = ScriptedLoader()
        let (fixture, _) = fixture { orders in
            orders.loader = other
            orders.decoder = { context in context.data.starts(with: Data("FIRN".utf8)) ? nil : nil }
        }
        other.respond(to: "https://example.org/a", with: ScriptedDecoder.image(PipelineFixture.size))
        await #expect(throws: ImageLoadingError.self) {
            try await fixture.pipeline.image(for: "https://example.org/a")
        }
        #expect(other.transfers("https://example.org/a").count == 1)
        #expect(fixture.loader.requests.isEmpty)
        #expect(fixture.decoder.decodes.isEmpty)
    }

    @Test func `A key of the delegate's joins what differs in the address only`() async throws {
        let (fixture, _) = fixture(memory: true) { orders in
            orders.key = { $0.description.split(separator: "?").first.map(String.init) }
        }
        _ = try await fixture.pipeline.image(for: fixture.image("a?token=1"))
        #expect(fixture.pipeline.cachedImage(for: ImageRequest(url: "https://example.org/a?token=2")) != nil)
        let small = ImageRequest(
            url: "https://example.org/a?token=2", targetSize: TargetSize(width: 4, height: 3))
        #expect(fixture.pipeline.cachedImage(for: small)?.size != PipelineFixture.size)
    }

    @Test func `A memory cache may be denied to a request`() async throws {
        let (fixture, _) = fixture(memory: true) { $0.memory = { _ in nil } }
        let url = fixture.image("a")
        for _ in 0..<2 { _ = try await fixture.pipeline.image(for: url) }
        #expect(fixture.loader.transfers(url).count == 2)
        #expect(fixture.pipeline.configuration.imageCache?[ImageRequest(url: url).imageCacheKey] == nil)
    }

    @Test(arguments: [true, false]) func `The delegate decides which data is stored on disk`(keeps: Bool) async throws {
        let files = InMemoryFileSystem()
        let cache = DataCache(directory: "/cache", fileSystem: files)
        let replaced = ScriptedDecoder.image(PixelSize(width: 2, height: 2))
        let (fixture, _) = fixture {
            $0.dataCache = cache
        } _: { orders in
            orders.kept = { _ in
                await Task.yield()
                return keeps ? replaced : nil
            }
        }
        let url = fixture.image("a")
        _ = try await fixture.pipeline.image(for: url)
        await fixture.pipeline.flush()
        #expect(try cache.entry(for: url)?.data == (keeps ? replaced : nil))
    }

    @Test func `Work that outlives its pipeline still has the delegate`() async throws {
        let desk = Desk { _ in }
        let loader = ScriptedLoader()
        let url = "https://example.org/a"
        loader.respondByHand(to: url)
        var task: ImageTask?
        do {
            let configuration = ImagePipeline.Configuration(dataLoader: loader, decoders: [ScriptedDecoder()])
            let pipeline = ImagePipeline(configuration: configuration, delegate: desk)
            task = pipeline.imageTask(with: ImageRequest(url: url))
        }
        let transfer = await loader.waitForRequest(url)
        transfer.send(ScriptedDecoder.image(PixelSize(width: 7, height: 5)))
        transfer.finish()
        #expect(try await task?.image.size.width == 7)
        #expect(desk.notes.withLock { $0.last } == "image 7")
    }
}
