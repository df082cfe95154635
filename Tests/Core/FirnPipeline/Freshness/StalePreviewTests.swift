import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import Testing

/// Tests that a separate stage prepares stale cached images for display.
@Suite(.timeLimit(.minutes(5))) struct StalePreviewTests {
    private let decoder = ScriptedDecoder()

    /// Returns a pipeline that is revalidating a cached image, whose source has not responded yet.
    private func asking(
        _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) async throws -> (FreshnessFixture, ImageTask) {
        let fixture = FreshnessFixture(memory: false, decoder: decoder, change) { _, number in
            FreshnessFixture.image(10 + number, ["Cache-Control": "max-age=60, stale-while-revalidate=600"])
        }
        _ = try await fixture.load()
        fixture.wait(61)
        fixture.source.hold()
        let task = fixture.pipeline.imageTask(with: FreshnessFixture.url)
        try await eventually { fixture.requests.count >= 2 }
        return (fixture, task)
    }

    @Test func `A flush does not wait for a stale preview, though its decode takes long`() async throws {
        let (fixture, task) = try await asking()
        decoder.hold()
        let previews = task.previews
        await decoder.decodes.wait { $0.active == 1 }
        await fixture.pipeline.flush()
        decoder.release()
        for await preview in previews {
            #expect(preview.isStale && preview.image.size.width == 10)
            break
        }
        fixture.source.release()
        #expect(try await task.image.size.width == 11)
    }

    @Test func `A stale preview is shown while storing is suspended`() async throws {
        let (fixture, task) = try await asking { $0.scheduling.suspendedStages = [] }
        fixture.pipeline.scheduling.suspendedStages = [.store]
        var previews = task.previews.makeAsyncIterator()
        #expect(await previews.next()?.image.size.width == 10)
        fixture.source.release()
        #expect(try await task.image.size.width == 11)
        fixture.pipeline.scheduling.suspendedStages = []
    }

    @Test func `Suspending previews stops the stale preview, and no load`() async throws {
        let (fixture, task) = try await asking()
        fixture.pipeline.scheduling.suspendedStages = [.preview]
        let previews = task.previews
        #expect(await fixture.pipeline.snapshot().queues.first { $0.stage == .preview }?.queued == 1)
        fixture.source.release()
        #expect(try await task.image.size.width == 11)
        for await _ in previews { Issue.record("a preview") }
        await fixture.pipeline.flush()
        fixture.pipeline.scheduling.suspendedStages = []
        #expect(decoder.decodes.count == 2)
    }

    @Test func `Its decode is cancelled once the source has responded`() async throws {
        let (fixture, task) = try await asking { $0.scheduling.computingLimit = 2 }
        decoder.hold()
        let previews = task.previews
        await decoder.decodes.wait { $0.active == 1 }
        fixture.source.release()
        await decoder.decodes.wait { $0.cancelled.count == 1 }
        decoder.release()
        #expect(try await task.image.size.width == 11)
        for await _ in previews { Issue.record("a preview") }
    }

    @Test func `Early subscribers receive it from the same stage`() async throws {
        let (fixture, first) = try await asking()
        first.cancel()
        fixture.source.release()
        await fixture.pipeline.flush()
        fixture.source.hold()
        fixture.pipeline.scheduling.suspendedStages = [.read]
        let task = fixture.pipeline.imageTask(with: FreshnessFixture.url)
        let previews = task.previews
        fixture.pipeline.scheduling.suspendedStages = [.preview]
        try await eventually { fixture.requests.count >= 3 }
        try await eventually {
            await fixture.pipeline.snapshot().queues.first(where: { $0.stage == .preview })?.queued == 1
        }
        fixture.pipeline.scheduling.suspendedStages = []
        for await preview in previews {
            #expect(preview.isStale)
            break
        }
        fixture.source.release()
        _ = try await task.image
    }
}
