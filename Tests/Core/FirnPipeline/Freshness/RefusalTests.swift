import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

/// Tests that a stale image on disk is shown before the refusal of its source ends the task.
@Suite(.timeLimit(.minutes(5))) struct RefusalTests {
    private let decoder = ScriptedDecoder()
    private let request = ImageRequest(url: FreshnessFixture.url)

    /// Returns a pipeline whose only image is stale and on disk, and whose source responds with a status from now on.
    private func stale(
        _ status: Int, memory: Bool = true, _ rules: String = "max-age=60",
        _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) async throws -> FreshnessFixture {
        let fixture = FreshnessFixture(memory: memory, decoder: decoder, change) { _, number in
            number == 0
                ? FreshnessFixture.image(10, ["Cache-Control": rules]) : FreshnessFixture.SourceResponse(status: status)
        }
        var first = request
        first.options = .disableMemoryCacheWrites
        _ = try await fixture.load(first)
        fixture.wait(61)
        return fixture
    }

    /// Starts a task that is observed before the data cache is read, and returns its events.
    private func events(_ fixture: FreshnessFixture) async throws -> [ImageTask.Event] {
        try #require(await events(fixture, count: 1).first)
    }

    /// Starts tasks that are observed before the data cache is read, and returns their events.
    private func events(_ fixture: FreshnessFixture, count: Int) async -> [[ImageTask.Event]] {
        fixture.pipeline.scheduling.suspendedStages = [.read]
        let streams = (0..<count).map { _ in fixture.pipeline.imageTask(with: request).events }
        fixture.pipeline.scheduling.suspendedStages = []
        var all: [[ImageTask.Event]] = []
        for stream in streams {
            var events: [ImageTask.Event] = []
            for await event in stream { events.append(event) }
            all.append(events)
        }
        await fixture.pipeline.flush()
        return all
    }

    private func isStale(_ event: ImageTask.Event?) -> Bool {
        if case .preview(let preview)? = event { preview.isStale && preview.image.size.width == 10 } else { false }
    }

    private func status(_ event: ImageTask.Event?) -> Int? {
        if case .finished(.failure(let error))? = event { error.statusCode } else { nil }
    }

    @Test(arguments: [401, 403], [false, true])
    func `A stale image on disk is shown before the refusal`(status: Int, memory: Bool) async throws {
        let fixture = try await stale(status, memory: memory)
        for events in await events(fixture, count: 2) {
            #expect(events.count == 2 && isStale(events.first))
            #expect(self.status(events.last) == status)
        }
        // Both tasks share one decode.
        #expect(decoder.decodes.count == 2)
        // The entry is gone, so that it is no result when the source fails. Later views find the image in memory.
        #expect(fixture.files.files.isEmpty)
        #expect(fixture.pipeline.staleImage(for: request)?.image.size.width == (memory ? 10 : nil))
        let later = try await events(fixture)
        #expect(later.count == (memory ? 2 : 1) && isStale(later.first) == memory)
        #expect(decoder.decodes.count == 2 && fixture.requests.count == 3)
    }

    @Test(arguments: [404, 410, 500, 503])
    func `Another failure waits for no decode`(status: Int) async throws {
        let fixture = try await stale(status, "max-age=60, stale-if-error=0")
        let events = try await events(fixture)
        #expect(events.count == 1 && self.status(events.last) == status)
        #expect(decoder.decodes.count == 1)
    }

    @Test func `The refusal of an unobserved task waits for no decode`() async throws {
        let fixture = try await stale(403)
        fixture.pipeline.scheduling.suspendedStages = [.read]
        let task = fixture.pipeline.imageTask(with: request)
        let ends = AsyncStream<Int?>.makeStream()
        task.onEnd {
            if case .failure(let error) = $0 { ends.continuation.yield(error.statusCode) }
            ends.continuation.finish()
        }
        fixture.pipeline.scheduling.suspendedStages = []
        for await status in ends.stream { #expect(status == 403) }
        await fixture.pipeline.flush()
        #expect(decoder.decodes.count == 1 && fixture.files.files.isEmpty)
    }

    @Test func `A stale image that must not be shown is not shown before a refusal`() async throws {
        let fixture = try await stale(403, "max-age=60, must-revalidate")
        let events = try await events(fixture)
        #expect(events.count == 1 && status(events.last) == 403)
        #expect(decoder.decodes.count == 1)
        #expect(fixture.pipeline.staleImage(for: request) == nil)
    }

    @Test func `A task that joins during the decode is shown the same image`() async throws {
        let fixture = try await stale(403)
        decoder.hold()
        let first = fixture.pipeline.imageTask(with: request).events
        await decoder.decodes.wait { $0.active == 1 }
        let second = fixture.pipeline.imageTask(with: request).events
        decoder.release()
        for stream in [first, second] {
            var events: [ImageTask.Event] = []
            for await event in stream { events.append(event) }
            #expect(events.count == 2 && isStale(events.first) && status(events.last) == 403)
        }
        #expect(fixture.requests.count == 2 && decoder.decodes.count == 2)
    }

    @Test func `A subscriber that comes after the end still receives the stale image`() async throws {
        let fixture = try await stale(403, memory: false)
        let task = fixture.pipeline.imageTask(with: request)
        for await _ in task.events {}
        var late: [ImageTask.Event] = []
        for await event in task.events { late.append(event) }
        #expect(late.count == 2 && isStale(late.first) && status(late.last) == 403)
    }

    @Test func `Cancelling the last task cancels the decode`() async throws {
        let fixture = try await stale(403)
        decoder.hold()
        let task = fixture.pipeline.imageTask(with: request)
        let events = task.events
        await decoder.decodes.wait { $0.active == 1 }
        task.cancel()
        await decoder.decodes.wait { $0.cancelled.count == 1 }
        decoder.release()
        for await event in events { #expect(!isStale(event)) }
        await fixture.pipeline.flush()
        #expect(fixture.pipeline.staleImage(for: request) == nil)
        // Nothing was refused to anyone: the entry is asked about again.
        #expect(try await isStale(self.events(fixture).first))
    }

    @Test func `An image that is removed during the decode does not come back`() async throws {
        let fixture = try await stale(403)
        decoder.hold()
        let events = fixture.pipeline.imageTask(with: request).events
        await decoder.decodes.wait { $0.active == 1 }
        fixture.pipeline.cache.removeCachedImage(for: request)
        decoder.release()
        var last: ImageTask.Event?
        for await event in events { last = event }
        #expect(status(last) == 403)
        #expect(fixture.pipeline.staleImage(for: request) == nil)
    }

    @Test func `A remembered refusal shows the stale image too, without a request`() async throws {
        let fixture = try await stale(403) { $0.remembersFailures = true }
        var other = request
        other.options = [.disableDiskCacheWrites, .disableMemoryCacheWrites]
        await #expect(throws: ImageLoadingError.self) { _ = try await fixture.load(other) }
        #expect(fixture.requests.count == 2 && !fixture.files.files.isEmpty)
        let events = try await events(fixture)
        #expect(isStale(events.first) && status(events.last) == 403)
        #expect(fixture.requests.count == 2)
    }
}
