import FirnData
import FirnImage
import FirnPipeline
import FirnSync
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite("Renderings", .timeLimit(.minutes(5)))
struct RenderingTests {
    private struct Refused: Error {}

    /// A rendering whose result is the size of the image.
    private func sizing(_ identifier: String, _ runs: Counter, width: Int = 10) -> ImageRendering {
        ImageRendering(identifier) { _ in
            RenderingPlan(
                region: nil, targetSize: TargetSize(width: width, height: width), pixelFormat: .bgra8Premultiplied,
                options: [], processors: []
            ) { image, _ in
                runs.add()
                return image.image.size
            }
        }
    }

    @Test func `equal renderings are one run, and others of the source share its transfer alone`() async throws {
        let (fixture, runs) = (PipelineFixture(), Counter())
        let url = fixture.image("a")
        fixture.loader.hold(url)
        let request = ImageRequest(url: url)
        let tasks = (0..<8).map { fixture.pipeline.task(for: request, rendering: sizing("\($0 % 2)", runs)) }
        let image = fixture.pipeline.imageTask(with: request)
        _ = await fixture.loader.waitForRequest(url)
        fixture.loader.release(url)
        for task in tasks {
            #expect(try await task.response.rendered as? PixelSize == PixelSize(width: 10, height: 8))
        }
        #expect(try await image.image.size == PipelineFixture.size)
        #expect(runs.count == 2 && fixture.loader.transfers(url).count == 1)
    }

    @Test func `a file system that stops responding holds its own reads, and no decode waits for it`() async throws {
        let (files, runs) = (InMemoryFileSystem(), Counter())
        let gate = ThreadSemaphore()
        let paths = (0..<6).map { "/stalled/\($0)" }
        for path in paths + ["/other/0"] { files[path] = ScriptedDecoder.image(PipelineFixture.size) }
        files.willOpen = { if $0.hasPrefix("/stalled") { gate.wait() } }
        let fixture = PipelineFixture {
            $0.files = files
            $0.readsWholeFiles = true
            $0.scheduling.sharesTransfersByHost = true
            ($0.scheduling.readingLimit, $0.scheduling.readingLimitPerFileSystem) = (4, 2)
        }
        let pipeline = fixture.pipeline
        func task(_ path: String, _ device: UInt64) -> ImageTask {
            pipeline.task(
                for: ImageRequest(path: path).reading(fromFileSystem: device), rendering: sizing("a", runs))
        }
        let stalled = paths.map { task($0, 1) }
        let other = task("/other/0", 2)
        #expect(try await other.response.rendered as? PixelSize == PixelSize(width: 10, height: 8))
        #expect(pipeline.computingTasks == 0)
        for _ in paths { gate.post() }
        for task in stalled { _ = try await task.response }
        #expect(runs.count == 7)
    }

    @Test func `the plan follows from the header while bytes arrive, or from all of them where it asks for more`()
        async throws
    {
        let length = 400_000
        for needsWhole in [false, true] {
            let fixture = ArrivalFixture()
            let (plans, seen) = AsyncStream<Bool>.makeStream()
            let rendering = ImageRendering("a") { source in
                seen.yield(source.isWhole)
                guard source.isWhole || !needsWhole else { return nil }
                let size = source.properties.size
                return RenderingPlan { _ in size }
            }
            let task = fixture.pipeline.task(for: ImageRequest(url: ArrivalFixture.url), rendering: rendering)
            let data = ScriptedProgressiveDecoder.image(ArrivalFixture.size, bytes: length)
            let transfer = await fixture.responded(length)
            transfer.send(data.prefix(100_000))
            var iterator = plans.makeAsyncIterator()
            #expect(await iterator.next() == false)
            if needsWhole {
                transfer.send(data[100_000...])
                transfer.finish()
            }
            #expect(try await task.response.rendered as? PixelSize == ArrivalFixture.size)
            if needsWhole { while await iterator.next() == false {} }
            #expect(fixture.pipeline.statistics.decodes == 1 && fixture.decoder.decodes.isEmpty)
        }
    }

    @Test func `a stored result ends the task before its source is asked`() async throws {
        let fixture = PipelineFixture { $0.dataCache = ScriptedDataCache() }
        let url = fixture.image("a")
        let rendering = ImageRendering("a", stored: { 7 }) { _ in throw Refused() }
        let response = try await fixture.pipeline.task(for: ImageRequest(url: url), rendering: rendering).response
        #expect(response.rendered as? Int == 7 && fixture.loader.transfers(url).count == 0)
    }

    @Test func `the error of a plan or of an encoder is passed on, and the stored bytes are not blamed`() async throws {
        let fixture = PipelineFixture { $0.dataCache = ScriptedDataCache() }
        let url = fixture.image("a")
        let request = ImageRequest(url: url)
        _ = try await fixture.pipeline.image(for: request)
        await fixture.pipeline.flush()
        let failing = [
            ImageRendering("plan") { _ in throw Refused() },
            ImageRendering("encoder") { _ in RenderingPlan { _ in throw Refused() } },
        ]
        for rendering in failing {
            let error = await #expect(throws: ImageLoadingError.self) {
                try await fixture.pipeline.task(for: request, rendering: rendering).response
            }
            #expect(error?.underlying is Refused && error?.stage == .processing)
        }
        let runs = Counter()
        _ = try await fixture.pipeline.task(for: request, rendering: sizing("a", runs)).response
        #expect(fixture.loader.transfers(url).count == 1 && runs.count == 1)
    }

    @Test func `cancelling the last task of a rendering sets the flag of its encoder`() async throws {
        let fixture = PipelineFixture()
        let url = fixture.image("a")
        let (begun, begins) = AsyncStream<Void>.makeStream()
        let (stopped, stops) = AsyncStream<Void>.makeStream()
        let rendering = ImageRendering("a") { _ in
            RenderingPlan { cancellation in
                begins.yield()
                while !cancellation.isCancelled {}
                stops.yield()
                throw CancellationError()
            }
        }
        let tasks = (0..<2).map { _ in fixture.pipeline.task(for: ImageRequest(url: url), rendering: rendering) }
        for await _ in begun { break }
        tasks[0].cancel()
        #expect(tasks[1].state == .running)
        tasks[1].cancel()
        for await _ in stopped { break }
        await #expect(throws: ImageLoadingError.cancelled) { try await tasks[1].response }
    }
}
