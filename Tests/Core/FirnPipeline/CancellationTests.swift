import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(5))) struct CancellationTests {
    @Test func `Cancelling one of several leaves the work to the others (F8)`() async throws {
        let fixture = PipelineFixture()
        let url = fixture.image("a")
        fixture.loader.hold(url)
        let tasks = (0..<3).map { _ in fixture.pipeline.imageTask(with: ImageRequest(url: url)) }
        _ = await fixture.loader.waitForRequest(url)
        tasks[0].cancel()
        fixture.loader.release(url)
        #expect(tasks[0].state == .cancelled)
        _ = try await tasks[1].response
        _ = try await tasks[2].response
        #expect(fixture.loader.requests.record.cancelled.isEmpty)
    }

    @Test func `Cancelling the last one ends the transfer (F9)`() async throws {
        let fixture = PipelineFixture()
        let url = fixture.image("a")
        fixture.loader.hold(url)
        let tasks = (0..<3).map { _ in fixture.pipeline.imageTask(with: ImageRequest(url: url)) }
        _ = await fixture.loader.waitForRequest(url)
        for task in tasks { task.cancel() }
        await fixture.loader.requests.wait { $0.cancelled.map(\.url) == [url] }
        for task in tasks {
            await #expect {
                _ = try await task.response
            } throws: { error in
                (error as? ImageLoadingError)?.fault == .cancelled
            }
        }
        #expect(fixture.decoder.sessions.count == 0)
    }

    @Test func `Cancelling ends a decode under way (F9)`() async {
        let fixture = PipelineFixture()
        fixture.decoder.hold()
        let task = fixture.pipeline.imageTask(with: ImageRequest(url: fixture.image("a")))
        await fixture.decoder.decodes.wait { $0.active == 1 }
        task.cancel()
        await fixture.decoder.decodes.wait { $0.cancelled.count == 1 }
        #expect(task.state == .cancelled)
    }

    @Test func `A request just after a cancellation gets its image`() async throws {
        let fixture = PipelineFixture()
        let url = fixture.image("a")
        fixture.decoder.hold()
        let first = fixture.pipeline.imageTask(with: ImageRequest(url: url))
        await fixture.decoder.decodes.wait { $0.active == 1 }
        first.cancel()
        let second = fixture.pipeline.imageTask(with: ImageRequest(url: url))
        fixture.decoder.release()
        #expect(try await second.image.size == PipelineFixture.size)
    }

    @Test func `Cancelling the Swift task ends the wait at once`() async {
        let fixture = PipelineFixture()
        let url = fixture.image("a")
        fixture.loader.hold(url)
        let waiting = Task { try await fixture.pipeline.image(for: url) }
        _ = await fixture.loader.waitForRequest(url)
        waiting.cancel()
        await #expect {
            _ = try await waiting.value
        } throws: { error in
            (error as? ImageLoadingError)?.fault == .cancelled
        }
    }

    @Test func `A task that has ended is not changed by cancelling`() async throws {
        let fixture = PipelineFixture()
        let task = fixture.pipeline.imageTask(with: ImageRequest(url: fixture.image("a")))
        _ = try await task.response
        task.cancel()
        #expect(task.state == .completed)
        #expect(try await task.image.size == PipelineFixture.size)
    }

    @Test(arguments: 0..<8) func `Every task ends exactly once, whenever it is cancelled (F7)`(seed: Int) async {
        var random = SeededGenerator(seed: UInt64(seed))
        let fixture = PipelineFixture(memory: seed % 2 == 0)
        let urls = (0..<20).map { fixture.image("\($0)") }
        // One for each task: a task that ends twice does not hide one that never ends.
        let ends = (0..<2_000).map { _ in Counter() }
        var tasks: [ImageTask] = []
        for index in 0..<2_000 {
            let side = Int.random(in: 1...3, using: &random)
            let request = ImageRequest(
                url: urls.randomElement(using: &random) ?? "",
                targetSize: TargetSize(side))
            tasks.append(
                fixture.pipeline.loadImage(with: request, on: .immediate) { _ in ends[index].add() })
            if Int.random(in: 0..<3, using: &random) == 0 { tasks.randomElement(using: &random)?.cancel() }
        }
        for task in tasks { _ = try? await task.response }
        // `loadImage` listens first, so its completion is called before the wait above ends.
        let wrong = ends.indices.filter { ends[$0].count != 1 }
        #expect(wrong.isEmpty, "seed \(seed)")
        let cancelled = tasks.count { $0.state == .cancelled }
        #expect(cancelled > 0 && cancelled < 2_000, "seed \(seed)")
    }
}
