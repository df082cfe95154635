import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnProcessing
import FirnSync
import FirnSystem
import FirnTesting
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(5))) struct CoalescingTests {
    @Test func `Equal requests at one time are one download and one decode`() async throws {
        let fixture = PipelineFixture()
        let url = fixture.image("a")
        fixture.loader.hold(url)
        let tasks = (0..<100).map { _ in fixture.pipeline.imageTask(with: ImageRequest(url: url)) }
        _ = await fixture.loader.waitForRequest(url)
        fixture.loader.release(url)
        for task in tasks { _ = try await task.response }
        #expect(fixture.loader.transfers(url).count == 1)
        #expect(fixture.decoder.decodes.count == 1)
        #expect(fixture.pipeline.statistics.coalesced == 99)
    }

    @Test func `Without coalescing each request has a download and a decode of its own`() async throws {
        let fixture = PipelineFixture { $0.isTaskCoalescingEnabled = false }
        let url = fixture.image("a")
        fixture.loader.hold(url)
        let tasks = (0..<4).map { _ in fixture.pipeline.imageTask(with: ImageRequest(url: url)) }
        _ = await fixture.loader.waitForRequest(url, number: 4)
        fixture.loader.release(url)
        for task in tasks { _ = try await task.response }
        #expect(fixture.loader.transfers(url).count == 4)
        #expect(fixture.decoder.decodes.count == 4)
        #expect(fixture.pipeline.statistics.coalesced == 0)
    }

    @Test func `Without coalescing the memory cache serves all the same`() async throws {
        let fixture = PipelineFixture(memory: true) { $0.isTaskCoalescingEnabled = false }
        let url = fixture.image("a")
        _ = try await fixture.pipeline.image(for: url)
        _ = try await fixture.pipeline.image(for: url)
        #expect(fixture.loader.transfers(url).count == 1)
    }

    @Test func `Two sizes of one address are one download and two decodes`() async throws {
        let fixture = PipelineFixture()
        let url = fixture.image("a")
        fixture.loader.hold(url)
        let tasks = [10, 20, 10].map { side in
            fixture.pipeline.imageTask(
                with: ImageRequest(url: url, targetSize: TargetSize(side)))
        }
        _ = await fixture.loader.waitForRequest(url)
        fixture.loader.release(url)
        var widths: [Int] = []
        for task in tasks { widths.append(try await task.image.size.width) }
        #expect(widths == [10, 20, 10])
        #expect(fixture.loader.transfers(url).count == 1)
        #expect(fixture.decoder.decodes.count == 2)
    }

    /// The sizes are requested before the response arrives, and half of them while the transfer runs.
    @Test(arguments: [nil, "no-store"] as [String?])
    func `Many sizes at once are one download, without caches and with no-store`(control: String?) async throws {
        let files = ScriptedDataCache()
        let fixture = PipelineFixture {
            guard control != nil else { return }
            $0.dataCache = files
            $0.httpCachePolicy = .images
        }
        let url = "https://example.org/many"
        fixture.loader.respondByHand(to: url)
        let sides = Array(4..<20)
        func start(_ sides: some Sequence<Int>) -> [ImageTask] {
            sides.map { fixture.pipeline.imageTask(with: ImageRequest(url: url, targetSize: TargetSize($0))) }
        }
        let early = start(sides.prefix(8))
        let transfer = await fixture.loader.waitForRequest(url)
        let late = start(sides.dropFirst(8))
        var headers = HTTPHeaderFields()
        headers["Cache-Control"] = control
        let body = ScriptedDecoder.image(PipelineFixture.size)
        transfer.respond(DataResponse(url: url, status: 200, headers: headers, expectedLength: body.count))
        transfer.send(body)
        transfer.finish()
        var widths: [Int] = []
        for task in early + late { widths.append(try await task.image.size.width) }
        #expect(widths == sides)
        #expect(fixture.loader.transfers(url).count == 1)
        #expect(fixture.pipeline.statistics.transfers == 1)
        await fixture.pipeline.flush()
        #expect(files.entries.isEmpty)
    }

    /// Nothing stores the bytes: the response forbids it, and the policy stores only processed images.
    @Test func `A size whose look-up ends after another's load uses its bytes`() async throws {
        let files = SlowDataCache()
        let fixture = PipelineFixture {
            $0.dataCache = files
            $0.dataCachePolicy = .storeEncodedImages
            $0.imageEncoder = ScriptedEncoder(format: .png)
        }
        let url = fixture.image("a")
        func start(_ side: Int) -> ImageTask {
            fixture.pipeline.imageTask(with: ImageRequest(url: url, targetSize: TargetSize(side)))
        }
        let slow = start(10)
        try await eventually { files.reads.withLock { $0 } == 1 }
        #expect(try await start(20).image.size.width == 20)
        files.gate.open()
        #expect(try await slow.image.size.width == 10)
        #expect(fixture.loader.transfers(url).count == 1)
        #expect(fixture.pipeline.statistics.transfers == 1)
    }

    @Test func `A processor that two chains begin with runs once`() async throws {
        let fixture = PipelineFixture()
        let url = fixture.image("a")
        fixture.loader.hold(url)
        let (first, second) = (Counter(), Counter())
        let resize = CountingProcessor(identifier: "resize", counter: first)
        let blur = CountingProcessor(identifier: "blur", counter: second)
        let long = fixture.pipeline.imageTask(with: ImageRequest(url: url, processors: [resize, blur]))
        let short = fixture.pipeline.imageTask(with: ImageRequest(url: url, processors: [resize]))
        _ = await fixture.loader.waitForRequest(url)
        fixture.loader.release(url)
        _ = try await long.response
        _ = try await short.response
        #expect(first.count == 1)
        #expect(second.count == 1)
        #expect(fixture.decoder.decodes.count == 1)
    }

    @Test func `A task that is added during the decode joins it`() async throws {
        let fixture = PipelineFixture()
        let url = fixture.image("a")
        fixture.decoder.hold()
        let first = fixture.pipeline.imageTask(with: ImageRequest(url: url))
        await fixture.decoder.decodes.wait { $0.active == 1 }
        let late = fixture.pipeline.imageTask(with: ImageRequest(url: url))
        let other = fixture.pipeline.imageTask(
            with: ImageRequest(url: url, targetSize: TargetSize(8)))
        fixture.decoder.release()
        _ = try await first.response
        _ = try await late.response
        #expect(try await other.image.size.width == 8)
        #expect(fixture.loader.transfers(url).count == 1)
        #expect(fixture.decoder.decodes.count == 2)
    }

    @Test func `A failure reaches all waiting tasks, and the next request starts again`() async throws {
        let fixture = PipelineFixture()
        let url = "https://example.org/a"
        fixture.loader.respondByHand(to: url)
        let tasks = (0..<3).map { _ in fixture.pipeline.imageTask(with: ImageRequest(url: url)) }
        await fixture.loader.waitForRequest(url).finish()
        for task in tasks { await #expect(throws: ImageLoadingError.self) { try await task.response } }
        fixture.loader.respond(to: url, with: ScriptedDecoder.image(PipelineFixture.size))
        _ = try await fixture.pipeline.image(for: url)
        #expect(fixture.loader.transfers(url).count == 2)
    }

    @Test func `A request that may not load does not join one that loads`() async throws {
        let fixture = PipelineFixture()
        let url = fixture.image("a")
        fixture.loader.hold(url)
        let loading = fixture.pipeline.imageTask(with: ImageRequest(url: url))
        _ = await fixture.loader.waitForRequest(url)
        await #expect(throws: ImageLoadingError.self) {
            try await fixture.pipeline.image(for: ImageRequest(url: url, options: .returnCacheDataDontLoad))
        }
        fixture.loader.release(url)
        _ = try await loading.response
    }
}

/// A data cache without entries, whose first read waits for a gate.
private final class SlowDataCache: DataCaching {
    let gate = Gate()
    /// The number of reads.
    let reads = Locked(0)

    func entry(for key: String) -> DataCacheEntry? {
        let isFirst = reads.withLock { count in
            count += 1
            return count == 1
        }
        while isFirst, !gate.isOpen {
            // Sleeps: no event tells this thread that the gate is open.
            usleep(1_000)
        }
        return nil
    }

    func contains(_ key: String) -> Bool { false }
    func store(_ entry: DataCacheEntry, for key: String) {}
    func remove(_ key: String) {}
    func removeAll() {}
    func removeEntries(where isUnwanted: (String) -> Bool) {}
}
