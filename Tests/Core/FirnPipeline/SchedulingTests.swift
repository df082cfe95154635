import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(5))) struct SchedulingTests {
    private func names(_ fixture: PipelineFixture) -> [String] {
        fixture.loader.requests.calls.map { String($0.url.suffix(1)) }
    }

    private func tasks(_ fixture: PipelineFixture, _ names: [String]) -> [ImageTask] {
        names.map { fixture.pipeline.imageTask(with: ImageRequest(url: fixture.image($0))) }
    }

    @Test func `A suspended pipeline starts nothing, and everything once it resumes`() async throws {
        let fixture = PipelineFixture(memory: true)
        _ = try await fixture.pipeline.image(for: fixture.image("a"))
        fixture.pipeline.scheduling.isSuspended = true
        #expect(fixture.pipeline.scheduling.isSuspended)
        let tasks = tasks(fixture, ["b", "c"])
        // An image in memory is still found.
        #expect(try await fixture.pipeline.image(for: "https://example.org/a").size == PipelineFixture.size)
        #expect(names(fixture) == ["a"])
        fixture.pipeline.scheduling.isSuspended = false
        for task in tasks { _ = try await task.response }
        // Two workers start the two, in either order.
        #expect(names(fixture).sorted() == ["a", "b", "c"])
    }

    @Test func `A suspended stage delays only tasks that need it`() async throws {
        let fixture = PipelineFixture()
        fixture.pipeline.scheduling.suspendedStages = [.transfer]
        let remote = fixture.pipeline.imageTask(with: ImageRequest(url: fixture.image("a")))
        let bytes = ImageRequest(id: "x", data: ScriptedDecoder.image(PixelSize(width: 3, height: 2)))
        #expect(try await fixture.pipeline.image(for: bytes).size.width == 3)
        #expect(names(fixture).isEmpty)
        fixture.pipeline.scheduling.suspendedStages = []
        #expect(try await remote.image.size == PipelineFixture.size)
    }

    @Test func `A limit that is raised lets more start at once`() async throws {
        let fixture = PipelineFixture { $0.scheduling.transferLimit = 1 }
        let all = ["a", "b", "c"]
        for name in all { fixture.loader.hold("https://example.org/\(name)") }
        let tasks = tasks(fixture, all)
        _ = await fixture.loader.waitForRequest("https://example.org/a")
        #expect(names(fixture) == ["a"])
        fixture.pipeline.scheduling.transferLimit = 3
        await fixture.loader.requests.wait { $0.peak == 3 }
        for name in all { fixture.loader.release("https://example.org/\(name)") }
        for task in tasks { _ = try await task.response }
    }

    @Test func `Raising the limit starts more decoding threads`() async throws {
        let fixture = PipelineFixture { $0.scheduling.computingLimit = 1 }
        fixture.pipeline.scheduling.computingLimit = 8
        fixture.decoder.hold()
        let tasks = tasks(fixture, (0..<8).map { "\($0)" })
        await fixture.decoder.decodes.wait { $0.active == 8 }
        fixture.decoder.release()
        for task in tasks { _ = try await task.response }
    }

    @Test func `While a list scrolls, decodes leave a core free`() async throws {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let fixture = PipelineFixture { $0.scheduling.computingLimit = cores }
        fixture.decoder.hold()
        // Two lists of one pipeline; the core is free until both have stopped.
        for _ in 0..<2 { fixture.pipeline.listScrolls(true) }
        let tasks = tasks(fixture, (0..<cores + 1).map { "\($0)" })
        await fixture.decoder.decodes.wait { $0.active == max(1, cores - 1) }
        fixture.pipeline.listScrolls(false)
        // A limit that is set during the scroll applies with the core left free.
        fixture.pipeline.scheduling.computingLimit = cores + 1
        fixture.decoder.release()
        for task in tasks { _ = try await task.response }
        #expect(fixture.decoder.decodes.record.peak == max(1, cores - 1))
        fixture.decoder.hold()
        fixture.pipeline.listScrolls(false)
        let others = (0..<cores + 1).map { fixture.pipeline.imageTask(with: fixture.image("other\($0)")) }
        await fixture.decoder.decodes.wait { $0.active == cores + 1 }
        fixture.decoder.release()
        for task in others { _ = try await task.response }
    }

    @Test func `In reverse order, the newest request comes first`() async throws {
        let fixture = PipelineFixture {
            $0.scheduling.transferLimit = 1
            $0.scheduling.startsNewestFirst = true
        }
        fixture.loader.hold("https://example.org/x")
        let first = tasks(fixture, ["x"])
        _ = await fixture.loader.waitForRequest("https://example.org/x")
        let others = tasks(fixture, ["a", "b", "c"])
        fixture.loader.release("https://example.org/x")
        for task in first + others { _ = try await task.response }
        #expect(names(fixture) == ["x", "c", "b", "a"])
    }

    @Test func `One host does not take all slots`() async throws {
        let fixture = PipelineFixture { $0.scheduling.transferLimitPerHost = 2 }
        let slow = (0..<4).map { "https://slow.example/\($0)" }
        for url in slow { fixture.loader.hold(url) }
        let tasks = slow.map { fixture.pipeline.imageTask(with: ImageRequest(url: $0)) }
        _ = await fixture.loader.waitForRequest(slow[1])
        _ = try await fixture.pipeline.image(for: fixture.image("a"))
        #expect(fixture.loader.transfers(slow[2]).count == 0)
        for task in tasks { task.cancel() }
    }

    // MARK: Sharing by host

    @Test func `Time-outs leave a host one place, a response gives it another, and other hosts keep theirs`()
        async throws
    {
        let fixture = PipelineFixture {
            $0.scheduling.sharesTransfersByHost = true
            $0.scheduling.transferLimitPerHost = 4
        }
        let pipeline = fixture.pipeline
        for index in 0..<3 {
            let url = "https://slow.example/\(index)"
            fixture.loader.fail(url, with: DataLoadingError(.timeout, "no response in time"))
            await #expect(throws: ImageLoadingError.self) { try await pipeline.image(for: ImageRequest(url: url)) }
        }
        let slow = ImageRequest(url: "https://slow.example/x")
        #expect(pipeline.transferPlaces(for: slow) == 1)
        #expect(pipeline.transferPlaces(for: ImageRequest(url: "https://example.org/x")) == 4)
        #expect(pipeline.transferPlaces(for: ImageRequest(path: "/x")) == nil)
        let (task, transfer) = await fixture.start("https://slow.example/x")
        let image = ScriptedDecoder.image(PipelineFixture.size)
        transfer.respond()
        transfer.send(image.prefix(5))
        try await eventually { pipeline.transferPlaces(for: slow) == 2 }
        transfer.send(image.dropFirst(5))
        transfer.finish()
        _ = try await task.response
    }

    @Test func `Transfers stall while bodies hold too many bytes, and proceed as they end`() async throws {
        let fixture = PipelineFixture {
            $0.scheduling.sharesTransfersByHost = true
            $0.scheduling.bodyMemoryLimit = 100_000
        }
        let (pipeline, urls) = (fixture.pipeline, ["https://a.example/x", "https://b.example/x"])
        var transfers: [ScriptedTransfer] = []
        var loads: [Task<Int, any Error>] = []
        for url in urls {
            fixture.loader.respondByHand(to: url)
            loads.append(Task { try await pipeline.data(for: ImageRequest(url: url)).0.count })
            transfers.append(await fixture.loader.waitForRequest(url))
        }
        for transfer in transfers {
            transfer.respond(DataResponse(url: "", status: 200, expectedLength: 80_000))
            transfer.send(Data(count: 40_000))
        }
        try await eventually { transfers.count { $0.isPaused } == 1 }
        let order = transfers[0].isPaused ? [1, 0] : [0, 1]
        for index in order {
            try await eventually { !transfers[index].isPaused }
            transfers[index].send(Data(count: 40_000))
            transfers[index].finish()
            #expect(try await loads[index].value == 80_000)
        }
    }

    // MARK: Tasks

    @Test func `A paused task's work does not start before the task resumes`() async throws {
        let fixture = PipelineFixture { $0.scheduling.transferLimit = 1 }
        fixture.loader.hold("https://example.org/x")
        let first = tasks(fixture, ["x"])
        _ = await fixture.loader.waitForRequest("https://example.org/x")
        let others = tasks(fixture, ["a", "b"])
        others[0].isPaused = true
        #expect(others[0].isPaused)
        fixture.loader.release("https://example.org/x")
        _ = try await others[1].response
        #expect(names(fixture) == ["x", "b"])
        #expect(others[0].state == .running)
        others[0].isPaused = false
        _ = try await others[0].response
        _ = try await first[0].response
        #expect(names(fixture) == ["x", "b", "a"])
    }

    @Test func `A transfer pauses with its only task, and continues where it was`() async throws {
        let fixture = PipelineFixture()
        let url = "https://example.org/a"
        let (task, transfer) = await fixture.start(url)
        let image = ScriptedDecoder.image(PixelSize(width: 7, height: 5))
        transfer.send(image.prefix(5))
        task.isPaused = true
        await fixture.loader.pauses.wait { $0.calls.map(\.url) == [url] }
        task.isPaused = false
        await fixture.loader.resumes.wait { $0.calls.map(\.url) == [url] }
        transfer.send(image.dropFirst(5))
        transfer.finish()
        #expect(try await task.image.size.width == 7)
        #expect(fixture.loader.requests.count == 1)
    }

    @Test func `Work that another task needs goes on, and ends the paused one, too`() async throws {
        let fixture = PipelineFixture()
        let url = fixture.image("a")
        fixture.loader.hold(url)
        let paused = fixture.pipeline.imageTask(with: ImageRequest(url: url))
        let other = fixture.pipeline.imageTask(with: ImageRequest(url: url))
        _ = await fixture.loader.waitForRequest(url)
        paused.isPaused = true
        fixture.loader.release(url)
        _ = try await other.response
        _ = try await paused.response
        #expect(fixture.loader.pauses.isEmpty)
    }

    @Test func `A paused task can be cancelled`() async {
        let fixture = PipelineFixture()
        let url = fixture.image("a")
        fixture.loader.hold(url)
        let task = fixture.pipeline.imageTask(with: ImageRequest(url: url))
        _ = await fixture.loader.waitForRequest(url)
        task.isPaused = true
        task.cancel()
        #expect(task.state == .cancelled)
        await fixture.loader.requests.wait { $0.cancelled.map(\.url) == [url] }
    }

    @Test func `A paused prefetcher pauses its running transfers`() async throws {
        let fixture = PipelineFixture(memory: true)
        let url = "https://example.org/a"
        fixture.loader.respondByHand(to: url)
        let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, on: .immediate)
        let completions = prefetcher.completions
        prefetcher.startPrefetching(with: [ImageRequest(url: url)])
        let transfer = await fixture.loader.waitForRequest(url)
        prefetcher.isPaused = true
        await fixture.loader.pauses.wait { $0.calls.map(\.url) == [url] }
        prefetcher.isPaused = false
        await fixture.loader.resumes.wait { $0.calls.map(\.url) == [url] }
        transfer.send(ScriptedDecoder.image(PixelSize(width: 7, height: 5)))
        transfer.finish()
        for await completion in completions {
            #expect(completion.error == nil)
            break
        }
    }

    @Test func `What waits in a suspended pipeline ends when the pipeline is released`() async throws {
        var fixture: PipelineFixture? = PipelineFixture()
        fixture?.pipeline.scheduling.isSuspended = true
        let url = fixture?.image("a") ?? ""
        let task = fixture?.pipeline.imageTask(with: ImageRequest(url: url))
        fixture = nil
        #expect(try await task?.image.size == PipelineFixture.size)
    }
}
