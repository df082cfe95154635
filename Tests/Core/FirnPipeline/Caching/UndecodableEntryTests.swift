import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

/// Tests entries of the data cache that no decoder can decode.
@Suite(.timeLimit(.minutes(5))) struct UndecodableEntryTests {
    private let cache = DataCache(directory: "/cache", fileSystem: InMemoryFileSystem())
    private let noise = Data("<html>no image</html>".utf8)

    private func fixture() -> PipelineFixture { PipelineFixture { $0.dataCache = cache } }

    @Test func `An undecodable entry is removed, and the image is loaded once more`() async throws {
        let fixture = fixture()
        let url = fixture.image("a")
        try cache.store(DataCacheEntry(data: noise), for: url)
        let response = try await fixture.pipeline.imageTask(with: url).response
        #expect(response.image.size == PipelineFixture.size && response.cacheType == nil)
        #expect(fixture.loader.transfers(url).count == 1)
        await fixture.pipeline.flush()
        #expect(try cache.entry(for: url)?.data == ScriptedDecoder.image(PipelineFixture.size))
        let second = try await fixture.pipeline.imageTask(with: url).response
        #expect(second.cacheType == .disk && fixture.loader.transfers(url).count == 1)
    }

    @Test func `A valid header with a damaged rest is detected, too`() async throws {
        let fixture = fixture()
        let url = fixture.image("a")
        try cache.store(DataCacheEntry(data: Data("firn-test 40".utf8)), for: url)
        #expect(try await fixture.pipeline.image(for: url).size == PipelineFixture.size)
        #expect(fixture.loader.transfers(url).count == 1)
    }

    @Test func `If the source sends no image either, the load fails, once`() async throws {
        let fixture = fixture()
        let url = "https://example.org/a"
        fixture.loader.respond(to: url, with: noise)
        try cache.store(DataCacheEntry(data: noise), for: url)
        await #expect {
            _ = try await fixture.pipeline.image(for: url)
        } throws: { error in
            (error as? ImageLoadingError)?.fault == .data
        }
        #expect(fixture.loader.transfers(url).count == 1)
        await fixture.pipeline.flush()
        #expect(!cache.contains(url))
    }

    @Test func `If the source cannot be reached, that is the error`() async throws {
        let fixture = fixture()
        let url = "https://example.org/none"
        try cache.store(DataCacheEntry(data: noise), for: url)
        await #expect {
            _ = try await fixture.pipeline.image(for: url)
        } throws: { error in
            (error as? ImageLoadingError)?.statusCode == 404
        }
    }

    @Test func `A request that may not load fails, and the entry is removed`() async throws {
        let fixture = fixture()
        let url = fixture.image("a")
        try cache.store(DataCacheEntry(data: noise), for: url)
        await #expect {
            _ = try await fixture.pipeline.image(for: ImageRequest(url: url, options: .returnCacheDataDontLoad))
        } throws: { error in
            (error as? ImageLoadingError)?.fault == .data
        }
        #expect(!cache.contains(url) && fixture.loader.requests.isEmpty)
    }

    @Test func `Tasks that wait together share the second load`() async throws {
        let fixture = fixture()
        let url = fixture.image("a")
        try cache.store(DataCacheEntry(data: noise), for: url)
        fixture.loader.hold(url)
        let tasks = (0..<5).map { _ in fixture.pipeline.imageTask(with: url) }
        _ = await fixture.loader.waitForRequest(url)
        fixture.loader.release(url)
        for task in tasks { #expect(try await task.image.size == PipelineFixture.size) }
        #expect(fixture.loader.transfers(url).count == 1)
    }

    @Test func `An entry in a format that this build cannot decode stays`() async throws {
        let fixture = fixture()
        let url = fixture.image("a")
        try cache.store(DataCacheEntry(data: Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])), for: url)
        await #expect {
            _ = try await fixture.pipeline.image(for: url)
        } throws: { error in
            (error as? ImageLoadingError)?.fault == .unsupported
        }
        #expect(cache.contains(url) && fixture.loader.requests.isEmpty)
    }

    @Test func `A cache lookup removes an undecodable entry`() throws {
        let request = ImageRequest(url: "https://example.org/a")
        try cache.store(DataCacheEntry(data: noise), for: request.description)
        #expect(fixture().pipeline.cache.cachedImage(for: request) == nil)
        #expect(!cache.contains(request.description))
    }

    @Test func `A stale undecodable entry that its source confirms is loaded without conditions`() async throws {
        let fixture = FreshnessFixture(memory: false) { request, number in
            request.headers["If-None-Match"] == nil
                ? FreshnessFixture.image(10 + number, ["Cache-Control": "max-age=60", "ETag": "\"v\""])
                : FreshnessFixture.SourceResponse(status: 304, headers: ["ETag": "\"v\""])
        }
        let request = ImageRequest(url: FreshnessFixture.url)
        _ = try await fixture.load()
        var entry = try #require(fixture.pipeline.cache.cachedData(for: request))
        entry.data = noise
        try fixture.pipeline.cache.storeCachedData(entry, for: request)
        fixture.wait(60)
        #expect(try await fixture.width() == 12)
        #expect(fixture.requests.map { $0.headers["If-None-Match"] } == [nil, "\"v\"", nil])
    }
}
