import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnSync
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

/// Tests prefetching into the data cache: what is stored, and when an item is reported.
@Suite(.timeLimit(.minutes(5))) struct DiskPrefetchTests {
    private let cache = DataCache(directory: "/cache", fileSystem: InMemoryFileSystem())

    private func fixture(memory: Bool = false) -> PipelineFixture {
        PipelineFixture(memory: memory) { $0.dataCache = cache }
    }

    private func prefetcher(_ pipeline: ImagePipeline) -> ImagePrefetcher {
        ImagePrefetcher(pipeline: pipeline, destination: .diskCache, on: .immediate)
    }

    /// Returns the ends of items, by the last part of their addresses.
    private func ends(
        _ prefetcher: ImagePrefetcher, _ requests: [ImageRequest]
    ) async -> [String: ImageLoadingError?] {
        let completions = prefetcher.completions
        prefetcher.startPrefetching(with: requests)
        var ends: [String: ImageLoadingError?] = [:]
        for await completion in completions {
            ends[String(completion.request.description.split(separator: "/").last ?? "")] = .some(completion.error)
            if ends.count == requests.count { break }
        }
        return ends
    }

    @Test func `Bytes are decoded once and kept, and their image is not`() async {
        let fixture = fixture(memory: true)
        let requests = ["a", "b"].map { ImageRequest(url: fixture.image($0)) }
        let ends = await ends(prefetcher(fixture.pipeline), requests)
        #expect(ends == ["a": nil, "b": nil])
        #expect(fixture.decoder.decodes.count == 2)
        #expect(requests.allSatisfy { cache.contains($0.description) })
        #expect(requests.allSatisfy { fixture.pipeline.cache[$0] == nil })
    }

    @Test(arguments: ["<!DOCTYPE html>", "firn-test 40"])
    func `Data that is not an image is not stored, and its item fails`(body: String) async {
        let fixture = fixture()
        let url = "https://example.org/page"
        fixture.loader.respond(to: url, with: Data(body.utf8))
        let ends = await ends(prefetcher(fixture.pipeline), [ImageRequest(url: url)])
        #expect(ends["page"]??.fault == .data)
        await fixture.pipeline.flush()
        #expect(!cache.contains(url) && fixture.loader.requests.count == 1)
    }

    @Test func `An item is reported once the data cache finds it`() async throws {
        let fixture = fixture()
        let request = ImageRequest(url: fixture.image("a"))
        fixture.pipeline.scheduling.suspendedStages = [.store]
        let prefetcher = prefetcher(fixture.pipeline)
        let found = Locked<[Bool]>([])
        let (stream, done) = AsyncStream<Void>.makeStream()
        prefetcher.itemDidComplete = { [cache] request, _ in
            let isThere = cache.contains(request.description)
            found.withLock { $0.append(isThere) }
            done.finish()
        }
        prefetcher.startPrefetching(with: [request])
        try await eventually {
            await fixture.pipeline.snapshot().queues.first(where: { $0.stage == .store })?.queued == 1
        }
        fixture.pipeline.scheduling.suspendedStages = []
        for await _ in stream {}
        #expect(found.withLock { $0 } == [true])
    }

    @Test func `An item that the data cache refuses fails`() async {
        let fixture = PipelineFixture { $0.dataCache = FullCache() }
        let ends = await ends(prefetcher(fixture.pipeline), [ImageRequest(url: fixture.image("a"))])
        #expect(ends["a"]??.message.contains("full") == true)
    }

    /// A data cache without room.
    private struct FullCache: DataCaching {
        func entry(for key: String) throws(DataCachingError) -> DataCacheEntry? { nil }
        func contains(_ key: String) -> Bool { false }
        func store(_ entry: DataCacheEntry, for key: String) throws(DataCachingError) {
            throw DataCachingError("the disk is full")
        }
        func remove(_ key: String) throws(DataCachingError) {}
        func removeAll() throws(DataCachingError) {}
    }

    @Test func `A no-store response fails the prefetch`() async {
        let fixture = FreshnessFixture(memory: false) { _, _ in
            FreshnessFixture.image(10, ["Cache-Control": "no-store"])
        }
        let ends = await ends(prefetcher(fixture.pipeline), [ImageRequest(url: FreshnessFixture.url)])
        #expect(ends["x"]??.message.contains("not kept") == true)
    }

    @Test func `All bytes are kept of an image that does not need its last`() async throws {
        let body = ScriptedProgressiveDecoder.image(PipelineFixture.size, bytes: 400_000, needed: 90_000)
        let fixture = ArrivalFixture { $0.dataCache = cache }
        async let ends = ends(prefetcher(fixture.pipeline), [ImageRequest(url: ArrivalFixture.url)])
        let transfer = await fixture.responded(body.count)
        transfer.send(body.prefix(100_000))
        await fixture.decoder.advances.wait { $0.calls.count == 1 }
        transfer.send(body[100_000...])
        transfer.finish()
        #expect(await ends == ["large": nil])
        #expect(try cache.entry(for: ArrivalFixture.url)?.data == body)
    }

    @Test func `Nothing is loaded if originals are not stored`() async {
        let fixture = PipelineFixture {
            $0.dataCache = cache
            $0.dataCachePolicy = .storeEncodedImages
            $0.imageEncoder = ScriptedEncoder(format: .png)
        }
        let ends = await ends(prefetcher(fixture.pipeline), [ImageRequest(url: fixture.image("a"))])
        #expect(ends == ["a": nil])
        #expect(fixture.loader.requests.isEmpty)
    }
}
