import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

/// Tests tasks whose pipeline is invalidated.
@Suite(.timeLimit(.minutes(5))) struct InvalidationTests {
    @Test func `Tasks under way end as cancelled, each once, wherever they are`() async throws {
        let fixture = PipelineFixture { $0.scheduling.transferLimit = 1 }
        let ends = Counter()
        func start(_ request: ImageRequest) -> ImageTask {
            fixture.pipeline.loadImage(with: request, on: .immediate) { result in
                if case .failure(let error) = result, error.fault == .cancelled { ends.add() }
            }
        }
        fixture.decoder.hold()
        let decoding = start(ImageRequest(id: "bytes", data: ScriptedDecoder.image(PipelineFixture.size)))
        await fixture.decoder.decodes.wait { $0.active == 1 }
        fixture.loader.hold("https://example.org/a")
        let loading = ["a", "a", "b"].map { start(ImageRequest(url: fixture.image($0))) }
        _ = await fixture.loader.waitForRequest("https://example.org/a")
        let paused = start(ImageRequest(url: fixture.image("c")))
        paused.isPaused = true

        fixture.pipeline.invalidate()
        let tasks = [decoding, paused] + loading
        #expect(tasks.allSatisfy { $0.state == .cancelled })
        #expect(ends.count == tasks.count)
        for task in tasks {
            await #expect { try await task.image } throws: { ($0 as? ImageLoadingError)?.fault == .cancelled }
        }
        await fixture.loader.requests.wait { $0.cancelled.map(\.url) == ["https://example.org/a"] }
        await fixture.decoder.decodes.wait { $0.cancelled.count == 1 }
        fixture.decoder.release()
        #expect(ends.count == tasks.count)
        #expect(fixture.loader.requests.count == 1)
        #expect(await fixture.pipeline.snapshot().tasks == 0)
    }

    @Test func `A task that has ended stays as it ended`() async throws {
        let fixture = PipelineFixture()
        let task = fixture.pipeline.imageTask(with: fixture.image("a"))
        _ = try await task.image
        fixture.pipeline.invalidate()
        #expect(task.state == .completed)
        #expect(try await task.image.size == PipelineFixture.size)
    }

    @Test func `Later requests fail at once and say why`() async {
        let fixture = PipelineFixture()
        fixture.pipeline.invalidate()
        fixture.pipeline.invalidate()
        let task = fixture.pipeline.imageTask(with: fixture.image("a"))
        #expect(task.state == .completed)
        await #expect {
            try await task.image
        } throws: { error in
            let error = error as? ImageLoadingError
            return error?.fault == .pipeline && error?.message.contains("was invalidated") == true
        }
    }

    @Test func `Images loaded before the invalidation are still stored`() async throws {
        let cache = DataCache(directory: "/cache", fileSystem: InMemoryFileSystem())
        let fixture = PipelineFixture { $0.dataCache = cache }
        fixture.pipeline.scheduling.suspendedStages = [.store]
        let url = fixture.image("a")
        _ = try await fixture.pipeline.image(for: url)
        fixture.pipeline.invalidate()
        fixture.pipeline.scheduling.suspendedStages = []
        await fixture.pipeline.flush()
        #expect(cache.contains(url))
    }
}
