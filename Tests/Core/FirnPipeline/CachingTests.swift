import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct CachingTests {
    private func disk(_ files: InMemoryFileSystem) -> DataCache {
        DataCache(directory: "/cache", fileSystem: files)
    }

    @Test func `The second request is a memory hit and loads nothing`() async throws {
        let fixture = PipelineFixture(memory: true)
        let url = fixture.image("a")
        let first = try await fixture.pipeline.imageTask(with: ImageRequest(url: url)).response
        let second = try await fixture.pipeline.imageTask(with: ImageRequest(url: url)).response
        #expect(first.cacheType == nil)
        #expect(second.cacheType == .memory)
        #expect(fixture.loader.transfers(url).count == 1)
        #expect(fixture.pipeline.statistics.memoryHits == 1)
    }

    @Test func `A memory hit has ended when the task is handed out`() async throws {
        let fixture = PipelineFixture(memory: true)
        let url = fixture.image("a")
        _ = try await fixture.pipeline.image(for: url)
        #expect(fixture.pipeline.imageTask(with: ImageRequest(url: url)).state == .completed)
        #expect(fixture.pipeline.cachedImage(for: ImageRequest(url: url)) != nil)
    }

    @Test func `Sizes and processors have entries of their own`() async throws {
        let fixture = PipelineFixture(memory: true)
        let url = fixture.image("a")
        _ = try await fixture.pipeline.image(for: url)
        let small = ImageRequest(url: url, targetSize: TargetSize(width: 4, height: 3))
        #expect(try await fixture.pipeline.image(for: small).size.width == 4)
        #expect(fixture.pipeline.statistics.memoryHits == 0)
    }

    @Test func `An image in memory is the start of a request with more processors`() async throws {
        let fixture = PipelineFixture(memory: true)
        let url = fixture.image("a")
        let (first, second) = (Counter(), Counter())
        let resize = CountingProcessor(identifier: "resize", counter: first)
        let blur = CountingProcessor(identifier: "blur", counter: second)
        _ = try await fixture.pipeline.image(for: ImageRequest(url: url, processors: [resize]))
        _ = try await fixture.pipeline.image(for: ImageRequest(url: url, processors: [resize, blur]))
        #expect(first.count == 1)
        #expect(second.count == 1)
        #expect(fixture.loader.transfers(url).count == 1)
        #expect(fixture.decoder.decodes.count == 1)
    }

    @Test func `A new pipeline finds the bytes on disk`() async throws {
        let files = InMemoryFileSystem()
        let first = PipelineFixture { $0.dataCache = disk(files) }
        let url = first.image("a")
        _ = try await first.pipeline.image(for: url)
        await first.pipeline.flush()
        #expect(first.pipeline.statistics.stores == 1)

        let second = PipelineFixture { $0.dataCache = disk(files) }
        let response = try await second.pipeline.imageTask(with: ImageRequest(url: url)).response
        #expect(response.cacheType == .disk)
        #expect(second.loader.requests.isEmpty)
        #expect(second.pipeline.statistics.diskHits == 1)
    }

    @Test func `Data that is not an image is not cached`() async throws {
        let fixture = PipelineFixture { $0.dataCache = disk(InMemoryFileSystem()) }
        fixture.loader.respond(to: "https://a/x.jpg", with: Data("<html>".utf8))
        _ = try? await fixture.pipeline.image(for: "https://a/x.jpg")
        await fixture.pipeline.flush()
        #expect(fixture.pipeline.statistics.stores == 0)
    }

    @Test func `Options leave out the layers they name`() async throws {
        let files = InMemoryFileSystem()
        let fixture = PipelineFixture(memory: true) { $0.dataCache = disk(files) }
        let url = fixture.image("a")
        let request = ImageRequest(url: url, options: .disableCaches)
        for _ in 0..<2 { _ = try await fixture.pipeline.image(for: request) }
        await fixture.pipeline.flush()
        #expect(fixture.loader.transfers(url).count == 2)
        #expect(fixture.pipeline.statistics.stores == 0)
        #expect(fixture.pipeline.cachedImage(for: ImageRequest(url: url)) == nil)
    }

    @Test func `A reload asks no cache and renews both`() async throws {
        let fixture = PipelineFixture(memory: true) { $0.dataCache = disk(InMemoryFileSystem()) }
        let url = fixture.image("a")
        _ = try await fixture.pipeline.image(for: url)
        await fixture.pipeline.flush()
        fixture.loader.respond(to: url, with: ScriptedDecoder.image(PixelSize(width: 7, height: 7)))
        let reload = ImageRequest(url: url, options: .reloadIgnoringCachedData)
        #expect(try await fixture.pipeline.image(for: reload).size.width == 7)
        #expect(try await fixture.pipeline.image(for: url).size.width == 7)
        #expect(fixture.loader.transfers(url).count == 2)
    }

    @Test func `A request that may only use caches fails plainly when they have nothing`() async throws {
        let fixture = PipelineFixture(memory: true)
        let url = fixture.image("a")
        let request = ImageRequest(url: url, options: .returnCacheDataDontLoad)
        await #expect {
            _ = try await fixture.pipeline.image(for: request)
        } throws: { error in
            "\(error)".contains("not in any cache")
        }
        _ = try await fixture.pipeline.image(for: url)
        #expect(try await fixture.pipeline.image(for: request).size == PipelineFixture.size)
        #expect(fixture.loader.transfers(url).count == 1)
    }

    @Test func `A cache that fails loses an entry and no image`() async throws {
        let files = InMemoryFileSystem()
        let fixture = PipelineFixture { $0.dataCache = disk(files) }
        files.isReadOnly = true
        _ = try await fixture.pipeline.image(for: fixture.image("a"))
        await fixture.pipeline.flush()
        #expect(fixture.pipeline.statistics.failedStores == 1)
    }

    @Test func `An imageID takes the address' place in the caches`() async throws {
        let fixture = PipelineFixture(memory: true)
        var first = ImageRequest(url: fixture.image("a?token=1"))
        first.imageID = "a"
        var second = ImageRequest(url: "https://example.org/a?token=2")
        second.imageID = "a"
        _ = try await fixture.pipeline.image(for: first)
        #expect(fixture.pipeline.cachedImage(for: second) != nil)
    }
}
