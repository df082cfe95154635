import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnSync
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

/// Tests that any stage of a request that is on disk serves under any policy, before anything is loaded again.
@Suite(.timeLimit(.minutes(5))) struct ProductsOnDiskTests {
    private let cache = DataCache(directory: "/cache", fileSystem: InMemoryFileSystem())
    private let runs = (half: Counter(), tint: Counter())
    private let url = "https://example.org/a"

    private func fixture(_ policy: ImagePipeline.DataCachePolicy, memory: Bool = false) -> PipelineFixture {
        let fixture = PipelineFixture(memory: memory) {
            $0.dataCache = cache
            $0.dataCachePolicy = policy
            $0.imageEncoder = ScriptedEncoder(format: .png)
        }
        _ = fixture.image("a")
        return fixture
    }

    private var half: HalvingProcessor { HalvingProcessor(counter: runs.half) }
    private var tint: CountingProcessor { CountingProcessor(identifier: "tint", counter: runs.tint) }

    private func request(_ processors: [any ImageProcessing], options: ImageRequest.Options = []) -> ImageRequest {
        ImageRequest(url: url, processors: processors, options: options)
    }

    /// Leaves only the halved image on disk.
    private func keepHalf() async throws {
        let first = fixture(.storeEncodedImages)
        _ = try await first.pipeline.image(for: request([half]))
        await first.pipeline.flush()
        try #require(cache.contains("\(url)|half") && !cache.contains(url))
    }

    @Test(arguments: ImagePipeline.DataCachePolicy.allCases)
    func `The image itself serves`(policy: ImagePipeline.DataCachePolicy) async throws {
        try await keepHalf()
        let fixture = fixture(policy)
        let response = try await fixture.pipeline.imageTask(with: request([half])).response
        #expect(response.image.size == PixelSize(width: 20, height: 15) && response.cacheType == .disk)
        #expect(fixture.loader.requests.isEmpty && runs.half.count == 1)
    }

    @Test(arguments: ImagePipeline.DataCachePolicy.allCases)
    func `Work continues from the product of the first processors`(policy: ImagePipeline.DataCachePolicy) async throws {
        try await keepHalf()
        let fixture = fixture(policy, memory: true)
        let response = try await fixture.pipeline.imageTask(with: request([half, tint])).response
        #expect(response.image.size == PixelSize(width: 20, height: 15) && response.cacheType == .disk)
        #expect(fixture.loader.requests.isEmpty)
        #expect(runs.half.count == 1 && runs.tint.count == 1)
        #expect(fixture.pipeline.cachedImage(for: request([half, tint])) != nil)
        await fixture.pipeline.flush()
        #expect(cache.contains("\(url)|half|tint") == (policy != .storeOriginalData))
    }

    @Test func `Work continues from an image in the target size`() async throws {
        let target = TargetSize(20)
        let first = fixture(.storeEncodedImages)
        _ = try await first.pipeline.image(for: ImageRequest(url: url, targetSize: target))
        await first.pipeline.flush()
        let fixture = fixture(.storeOriginalData)
        let image = try await fixture.pipeline.image(
            for: ImageRequest(url: url, processors: [tint], targetSize: target))
        #expect(image.size == PixelSize(width: 20, height: 15))
        #expect(fixture.loader.requests.isEmpty && runs.tint.count == 1)
    }

    @Test func `Tasks of one read go each their way`() async throws {
        try await keepHalf()
        let fixture = fixture(.storeOriginalData)
        fixture.pipeline.scheduling.isSuspended = true
        let tasks = [[half], [half, tint], [tint], []].map { fixture.pipeline.imageTask(with: request($0)) }
        fixture.pipeline.scheduling.isSuspended = false
        var widths: [Int] = []
        for task in tasks { widths.append(try await task.image.size.width) }
        #expect(widths == [20, 20, 40, 40])
        #expect(fixture.loader.transfers(url).count == 1 && runs.half.count == 1)
    }

    @Test func `A task that joins a look-up has its own places looked up`() async throws {
        try await keepHalf()
        let gate = GatedDataCache(cache, at: url)
        let fixture = PipelineFixture {
            $0.dataCache = gate
            $0.dataCachePolicy = .storeOriginalData
        }
        _ = fixture.image("a")
        let first = fixture.pipeline.imageTask(with: request([]))
        await gate.isReached()
        let second = fixture.pipeline.imageTask(with: request([half, tint]))
        gate.open()
        let response = try await second.response
        #expect(response.image.size.width == 20 && response.cacheType == .disk && runs.half.count == 1)
        #expect(try await first.image.size == PipelineFixture.size)
    }

    @Test func `A task that may not load finds a stored product`() async throws {
        try await keepHalf()
        let fixture = fixture(.storeOriginalData)
        let image = try await fixture.pipeline.image(
            for: request([half, tint], options: .returnCacheDataDontLoad))
        #expect(image.size.width == 20)
        await #expect(throws: ImageLoadingError.self) {
            try await fixture.pipeline.image(for: request([tint], options: .returnCacheDataDontLoad))
        }
    }

    @Test func `A task that must not read the disk does not`() async throws {
        try await keepHalf()
        let fixture = fixture(.storeOriginalData)
        _ = try await fixture.pipeline.image(for: request([half], options: .disableDiskCacheReads))
        #expect(fixture.loader.transfers(url).count == 1 && runs.half.count == 2)
    }

    @Test(arguments: [ImagePipeline.DataCachePolicy.storeOriginalData, .automatic])
    func `An undecodable product is removed, and the image is loaded`(
        policy: ImagePipeline.DataCachePolicy
    ) async throws {
        try cache.store(DataCacheEntry(data: Data("noise".utf8)), for: "\(url)|half")
        let fixture = fixture(policy)
        #expect(try await fixture.pipeline.image(for: request([half, tint])).size.width == 20)
        #expect(fixture.loader.transfers(url).count == 1)
        #expect(!cache.contains("\(url)|half"))
    }

    @Test func `A cache lookup finds it, too`() async throws {
        try await keepHalf()
        let pipeline = fixture(.storeOriginalData).pipeline
        #expect(pipeline.cache.cachedImage(for: request([half]))?.image.size.width == 20)
        #expect(pipeline.cache.cachedImage(for: request([half, tint]))?.image.size.width == 20)
        #expect(pipeline.cache.containsCachedImage(for: request([half, tint])))
        #expect(!pipeline.cache.containsCachedImage(for: request([tint])))
        #expect(runs.half.count == 1 && runs.tint.count == 1)
    }

    @Test func `A task that is cancelled on that way ends once`() async throws {
        try await keepHalf()
        let fixture = fixture(.storeOriginalData)
        fixture.decoder.hold()
        let task = fixture.pipeline.imageTask(with: request([half, tint]))
        await fixture.decoder.decodes.wait { $0.active == 1 }
        task.cancel()
        await fixture.decoder.decodes.wait { $0.cancelled.count == 1 }
        fixture.decoder.release()
        #expect(task.state == .cancelled && fixture.loader.requests.isEmpty)
    }
}

/// A data cache whose first read of a key waits until the test opens it.
private final class GatedDataCache: DataCaching {
    private let base: any DataCaching
    private let key: String
    private let reads = Counter()
    private let gate = ThreadSemaphore()
    private let reached = AsyncStream<Void>.makeStream()

    init(_ base: any DataCaching, at key: String) { (self.base, self.key) = (base, key) }

    func isReached() async { for await _ in reached.stream { return } }

    func open() { gate.post() }

    func entry(for key: String) throws(DataCachingError) -> DataCacheEntry? {
        let entry = try base.entry(for: key)
        guard key == self.key, reads.add() == 1 else { return entry }
        reached.continuation.yield()
        gate.wait()
        return entry
    }

    func contains(_ key: String) -> Bool { base.contains(key) }
    func store(_ entry: DataCacheEntry, for key: String) throws(DataCachingError) { try base.store(entry, for: key) }
    func remove(_ key: String) throws(DataCachingError) { try base.remove(key) }
    func removeAll() throws(DataCachingError) { try base.removeAll() }
    func removeEntries(where isUnwanted: (String) -> Bool) throws(DataCachingError) {
        try base.removeEntries(where: isUnwanted)
    }
}
