import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(1))) struct CacheAccessTests {
    private func fixture() -> PipelineFixture {
        let disk = DataCache(directory: "/cache", fileSystem: InMemoryFileSystem())
        return PipelineFixture(memory: true) { $0.dataCache = disk }
    }

    private func container(_ width: Int) throws -> ImageContainer {
        ImageContainer(image: try Bitmap(size: PixelSize(width: width, height: 2)) { _ in })
    }

    @Test func `A stored picture is found by its request, and by no other`() throws {
        let cache = fixture().pipeline.cache
        let request = ImageRequest(url: "https://a/x.png")
        var small = request
        small.targetSize = TargetSize(PixelSize(width: 1, height: 1))
        cache.storeCachedImage(try container(5), for: request)
        #expect(cache.cachedImage(for: request)?.image.size.width == 5)
        #expect(cache[request] != nil)
        #expect(cache.containsCachedImage(for: request))
        #expect(!cache.containsCachedImage(for: ImageRequest(url: "https://a/y.png")))
        cache[request] = nil
        #expect(!cache.containsCachedImage(for: request))
    }

    @Test func `A request finds what was stored, without loading`() async throws {
        let fixture = fixture()
        let request = ImageRequest(url: "https://a/x.png")
        fixture.pipeline.cache.storeCachedImage(try container(5), for: request)
        #expect(try await fixture.pipeline.image(for: request).size.width == 5)
        #expect(fixture.loader.requests.isEmpty)
    }

    @Test func `Bytes on disk are decoded and processed as a request says`() throws {
        let fixture = fixture()
        let runs = Counter()
        let request = ImageRequest(
            url: "https://a/x.png", processors: [CountingProcessor(identifier: "tint", counter: runs)],
            targetSize: TargetSize(PixelSize(width: 20, height: 20)))
        let cache = fixture.pipeline.cache
        let bytes = ScriptedDecoder.picture(PipelineFixture.size)
        try cache.storeCachedData(DataCacheEntry(data: bytes), for: request)
        #expect(cache.cachedImage(for: request) == nil)
        let found = cache.cachedImage(for: request, caches: .all)
        #expect(found?.image.size == PixelSize(width: 20, height: 15))
        #expect(runs.count == 1)
        #expect(cache.cachedData(for: request)?.data == bytes)
        #expect(cache.containsCachedImage(for: request, caches: .disk))
    }

    @Test func `What is on disk and no picture is not found as one`() throws {
        let cache = fixture().pipeline.cache
        let request = ImageRequest(url: "https://a/x.png")
        try cache.storeCachedData(DataCacheEntry(data: Data("<html>".utf8)), for: request)
        #expect(cache.cachedImage(for: request, caches: .all) == nil)
        cache.removeCachedData(for: request)
        #expect(!cache.containsData(for: request))
    }

    @Test func `Options of a request count`() throws {
        let cache = fixture().pipeline.cache
        let plain = ImageRequest(url: "https://a/x.png")
        let closed = ImageRequest(url: "https://a/x.png", options: .disableCaches)
        cache.storeCachedImage(try container(5), for: closed)
        try cache.storeCachedData(DataCacheEntry(data: Data([1])), for: closed)
        #expect(!cache.containsCachedImage(for: plain, caches: .all))
        cache.storeCachedImage(try container(5), for: plain)
        try cache.storeCachedData(DataCacheEntry(data: Data([1])), for: plain)
        #expect(!cache.containsCachedImage(for: closed, caches: .all))
        #expect(cache.cachedData(for: closed) == nil)
        cache.removeAll()
        #expect(!cache.containsCachedImage(for: plain, caches: .all))
    }
}
