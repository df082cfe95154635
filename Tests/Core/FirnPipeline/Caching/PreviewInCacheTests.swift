import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

/// Tests previews that the caller stores in the memory cache.
@Suite(.timeLimit(.minutes(5))) struct PreviewInCacheTests {
    private func fixture() -> PipelineFixture {
        PipelineFixture(memory: true) {
            $0.dataCache = DataCache(directory: "/cache", fileSystem: InMemoryFileSystem())
        }
    }

    private func preview(_ width: Int) throws -> ImageContainer {
        var container = ImageContainer(image: try Bitmap(size: PixelSize(width: width, height: 2)) { _ in })
        container.isPreview = true
        return container
    }

    @Test func `A load shows a cached preview and ends with the image`() async throws {
        let fixture = fixture()
        let request = ImageRequest(url: fixture.image("a"))
        fixture.loader.hold(request.description)
        fixture.pipeline.cache.storeCachedImage(try preview(5), for: request)
        let task = fixture.pipeline.imageTask(with: request)
        var seen: [String] = []
        for await event in task.events {
            switch event {
            case .preview(let response):
                seen.append("preview \(response.image.size.width) \(response.isPreview)")
                fixture.loader.release(request.description)
            case .finished(let result): seen.append("end \(try result.get().image.size.width)")
            case .progress: break
            }
        }
        #expect(seen == ["preview 5 true", "end 40"])
        #expect(fixture.pipeline.cache[request]?.isPreview == false)
        #expect(fixture.loader.transfers(request.description).count == 1)
    }

    @Test func `A preview is not a hit`() async throws {
        let fixture = fixture()
        let request = ImageRequest(url: fixture.image("a"))
        fixture.pipeline.cache[request] = try preview(5)
        #expect(fixture.pipeline.cachedImage(for: request) == nil)
        #expect(!fixture.pipeline.cache.containsCachedImage(for: request))
        #expect(fixture.pipeline.cache.cachedImage(for: request)?.isPreview == true)
        #expect(try await fixture.pipeline.image(for: request).size == PipelineFixture.size)
    }

    @Test func `A cached preview is not processed`() async throws {
        let fixture = fixture()
        let url = fixture.image("a")
        let runs = Counter()
        fixture.pipeline.cache[ImageRequest(url: url)] = try preview(5)
        let request = ImageRequest(url: url, processors: [CountingProcessor(identifier: "tint", counter: runs)])
        #expect(try await fixture.pipeline.image(for: request).size == PipelineFixture.size)
        #expect(runs.count == 1 && fixture.loader.transfers(url).count == 1)
    }

    @Test func `A task that waits for bytes does not end with a preview stored meanwhile`() async throws {
        let fixture = fixture()
        let request = ImageRequest(url: fixture.image("a"))
        fixture.pipeline.scheduling.isSuspended = true
        let task = fixture.pipeline.imageTask(with: request)
        fixture.pipeline.cache[request] = try preview(5)
        fixture.pipeline.scheduling.isSuspended = false
        #expect(try await task.image.size == PipelineFixture.size)
    }

    @Test func `The disk has the image that memory has a preview of`() async throws {
        let fixture = fixture()
        let request = ImageRequest(url: fixture.image("a"))
        try fixture.pipeline.cache.storeCachedData(
            DataCacheEntry(data: ScriptedDecoder.image(PipelineFixture.size)), for: request)
        fixture.pipeline.cache.storeCachedImage(try preview(5), for: request)
        #expect(fixture.pipeline.cache.cachedImage(for: request)?.image.size == PipelineFixture.size)
        #expect(fixture.pipeline.cache.cachedImage(for: request, caches: .memory)?.image.size.width == 5)
    }

    @Test func `A closure that returns a preview ends the load with an image`() async throws {
        let made = try preview(7)
        let response = try await fixture().pipeline.imageTask(with: ImageRequest(id: "made") { made }).response
        #expect(response.image.size.width == 7 && !response.isPreview)
    }
}
