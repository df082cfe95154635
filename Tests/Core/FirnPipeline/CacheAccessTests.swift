import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct CacheAccessTests {
    private let disk = DataCache(directory: "/cache", fileSystem: InMemoryFileSystem())

    private func fixture(encodes: Bool = false) -> PipelineFixture {
        PipelineFixture(memory: true) {
            $0.dataCache = disk
            if encodes { $0.imageEncoder = ScriptedEncoder(format: .png) }
        }
    }

    private func container(_ width: Int) throws -> ImageContainer {
        ImageContainer(image: try Bitmap(size: PixelSize(width: width, height: 2)) { _ in })
    }

    @Test func `A stored image is found by its request, and by no other`() throws {
        let cache = fixture().pipeline.cache
        let request = ImageRequest(url: "https://a/x.png")
        var small = request
        small.targetSize = TargetSize(1)
        cache.storeCachedImage(try container(5), for: request)
        #expect(cache.cachedImage(for: request)?.image.size.width == 5)
        #expect(cache[request] != nil)
        #expect(cache.containsCachedImage(for: request))
        #expect(!cache.containsCachedImage(for: ImageRequest(url: "https://a/y.png")))
        cache[request] = nil
        #expect(!cache.containsCachedImage(for: request))
    }

    @Test func `A request finds stored images without loading`() async throws {
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
            targetSize: TargetSize(20))
        let cache = fixture.pipeline.cache
        let bytes = ScriptedDecoder.image(PipelineFixture.size)
        try cache.storeCachedData(DataCacheEntry(data: bytes), for: request)
        #expect(cache.cachedImage(for: request, caches: .memory) == nil && cache[request] == nil)
        let found = cache.cachedImage(for: request)
        #expect(found?.image.size == PixelSize(width: 20, height: 15))
        #expect(runs.count == 1)
        #expect(cache.cachedData(for: request)?.data == bytes)
        #expect(cache.containsCachedImage(for: request, caches: .disk))
    }

    @Test func `Every call takes all layers by default, the subscript memory alone`() throws {
        let cache = fixture(encodes: true).pipeline.cache
        let request = ImageRequest(url: "https://a/x.png")
        cache.storeCachedImage(try container(5), for: request)
        #expect(disk.contains("https://a/x.png"))
        cache[request] = nil
        #expect(cache[request] == nil && !cache.containsCachedImage(for: request, caches: .memory))
        #expect(cache.containsCachedImage(for: request))
        #expect(cache.cachedImage(for: request)?.image.size.width == 5)
        cache.storeCachedImage(try container(6), for: request)
        cache.removeCachedImage(for: request)
        #expect(cache.cachedImage(for: request) == nil && !cache.containsCachedImage(for: request))
        #expect(!disk.contains("https://a/x.png"))
        cache[request] = try container(7)
        #expect(!disk.contains("https://a/x.png"))
    }

    @Test func `A removed image is loaded again`() async throws {
        let fixture = fixture()
        let url = fixture.image("a")
        _ = try await fixture.pipeline.image(for: url)
        await fixture.pipeline.flush()
        fixture.pipeline.cache.removeCachedImage(for: ImageRequest(url: url))
        #expect(try await fixture.pipeline.imageTask(with: url).response.cacheType == nil)
        #expect(fixture.loader.transfers(url).count == 2)
    }

    @Test func `A stored image is on disk under the key of its request`() throws {
        let cache = fixture(encodes: true).pipeline.cache
        let tint = CountingProcessor(identifier: "tint", counter: Counter())
        let request = ImageRequest(url: "https://a/x.png", processors: [tint])
        cache.storeCachedImage(try container(5), for: request, caches: .disk)
        #expect(cache[request] == nil)
        #expect(disk.contains("https://a/x.png|tint") && !disk.contains("https://a/x.png"))
        #expect(cache.containsCachedImage(for: request))
        #expect(!cache.containsCachedImage(for: ImageRequest(url: "https://a/x.png")))
        #expect(cache.cachedImage(for: request)?.image.size.width == 5)
        #expect(tint.counter.count == 0)
        cache.removeCachedImage(for: request)
        #expect(!disk.contains("https://a/x.png|tint"))
    }

    @Test func `A preview is not stored on disk, nor anything without an encoder`() throws {
        var preview = try container(5)
        preview.isPreview = true
        let request = ImageRequest(url: "https://a/x.png")
        fixture(encodes: true).pipeline.cache.storeCachedImage(preview, for: request)
        fixture().pipeline.cache.storeCachedImage(try container(5), for: request)
        #expect(!disk.contains("https://a/x.png"))
    }

    @Test func `Stored data that is not an image is not returned as an image`() throws {
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
