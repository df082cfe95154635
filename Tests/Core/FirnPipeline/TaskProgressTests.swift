import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

/// Tests the progress of a task's bytes, while they arrive and afterwards.
@Suite(.timeLimit(.minutes(5))) struct TaskProgressTests {
    private let whole = ImageTask.Progress(completed: 16, total: 16)
    private let url = "https://example.org/a"

    /// Starts a task whose bytes a test sends by hand; returns it and its transfer.
    private func start(_ fixture: PipelineFixture) async -> (ImageTask, ScriptedTransfer) {
        let (task, transfer) = await fixture.start(url)
        transfer.respond(DataResponse(url: url, status: 200, expectedLength: 16))
        return (task, transfer)
    }

    private var body: Data { ScriptedDecoder.image(PipelineFixture.size) }

    @Test func `At the end, progress has all bytes, even without a subscriber`() async throws {
        let fixture = PipelineFixture()
        let task = fixture.pipeline.imageTask(with: fixture.image("a"))
        _ = try await task.image
        #expect(task.currentProgress == whole)
    }

    @Test func `Progress stays complete during the decode`() async throws {
        let fixture = PipelineFixture()
        fixture.decoder.hold()
        let (task, transfer) = await start(fixture)
        transfer.send(body.prefix(6))
        #expect(task.currentProgress == ImageTask.Progress(completed: 6, total: 16))
        transfer.send(body[6...])
        transfer.finish()
        await fixture.decoder.decodes.wait { $0.active == 1 }
        #expect(task.currentProgress == whole)
        fixture.decoder.release()
        _ = try await task.image
        #expect(task.currentProgress == whole)
    }

    @Test func `Processors do not change the progress`() async throws {
        let fixture = PipelineFixture()
        let gray = CountingProcessor(identifier: "gray", counter: Counter())
        let task = fixture.pipeline.imageTask(with: ImageRequest(url: fixture.image("a"), processors: [gray]))
        _ = try await task.image
        #expect(task.currentProgress == whole)
    }

    @Test func `After a failure progress keeps the received bytes`() async {
        let fixture = PipelineFixture()
        let (task, transfer) = await start(fixture)
        transfer.send(body.prefix(6))
        transfer.fail(DataLoadingError(.connection, "gone"))
        _ = try? await task.image
        #expect(task.currentProgress == ImageTask.Progress(completed: 6, total: 16))
    }

    @Test func `After a failed decode progress is complete`() async {
        let fixture = PipelineFixture(decoder: ScriptedDecoder(failingWith: ImageError(.data, at: .decoding, "bad")))
        let task = fixture.pipeline.imageTask(with: fixture.image("a"))
        _ = try? await task.image
        #expect(task.currentProgress == whole)
    }

    @Test func `After a cancellation progress keeps its last value`() async {
        let fixture = PipelineFixture()
        let (task, transfer) = await start(fixture)
        transfer.send(body.prefix(6))
        #expect(task.currentProgress.completed == 6)
        task.cancel()
        #expect(task.currentProgress == ImageTask.Progress(completed: 6, total: 16))
    }

    @Test func `Reading the progress consumes no event of a subscriber`() async throws {
        let fixture = PipelineFixture()
        let (task, transfer) = await start(fixture)
        transfer.send(body.prefix(6))
        #expect(task.currentProgress.completed == 6)
        let progress = task.progress
        #expect(task.currentProgress.completed == 6)
        transfer.send(body[6...])
        transfer.finish()
        var seen: [Int] = []
        for await value in progress { seen.append(value.completed) }
        #expect(seen == [6, 16])
    }

    @Test func `An image that needed only its first bytes reports how many`() async throws {
        let fixture = ArrivalFixture()
        let task = fixture.task()
        let transfer = await fixture.responded(400_000)
        transfer.send(
            ScriptedProgressiveDecoder.image(ArrivalFixture.size, bytes: 400_000, needed: 90_000).prefix(100_000))
        _ = try await task.image
        #expect(task.currentProgress == ImageTask.Progress(completed: 100_000, total: 400_000))
    }

    @Test func `Progress is complete for an image from disk, and empty for one from memory`() async throws {
        let cache = DataCache(directory: "/cache", fileSystem: InMemoryFileSystem())
        let fixture = PipelineFixture(memory: true) { $0.dataCache = cache }
        try cache.store(DataCacheEntry(data: body), for: url)
        let fromDisk = fixture.pipeline.imageTask(with: url)
        _ = try await fromDisk.image
        #expect(fromDisk.currentProgress == whole)
        let fromMemory = fixture.pipeline.imageTask(with: url)
        #expect(fromMemory.currentProgress == ImageTask.Progress(completed: 0, total: nil))
    }

    @Test func `A subscriber that comes late gets the last progress first, also after the end`() async throws {
        let fixture = PipelineFixture()
        let (task, transfer) = await start(fixture)
        transfer.send(body.prefix(6))
        // Order: nothing more arrives before the subscriber has its first value.
        for await value in task.progress {
            #expect(value == ImageTask.Progress(completed: 6, total: 16))
            break
        }
        transfer.send(body[6...])
        transfer.finish()
        _ = try await task.image
        var seen: [ImageTask.Progress] = []
        for await value in task.progress { seen.append(value) }
        #expect(seen == [whole])
        var words: [String] = []
        for await event in task.events { words.append(TaskFixture.word(event)) }
        #expect(words == ["p16", "image"])
    }
}
