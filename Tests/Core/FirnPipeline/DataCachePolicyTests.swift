import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

/// Tests which data the data cache stores, and which of them a load looks up first.
@Suite struct DataCachePolicyTests {
    private let files = InMemoryFileSystem()
    private let runs = Counter()

    private let encoder = ScriptedEncoder(format: .png)

    private var cache: DataCache { DataCache(directory: "/cache", fileSystem: files) }

    private func fixture(_ policy: ImagePipeline.DataCachePolicy, memory: Bool = false) -> PipelineFixture {
        PipelineFixture(memory: memory) {
            $0.dataCache = cache
            $0.dataCachePolicy = policy
            $0.imageEncoder = encoder
        }
    }

    private func halved(_ url: String) -> ImageRequest {
        ImageRequest(url: url, processors: [HalvingProcessor(counter: runs)])
    }

    private func keys() throws -> [String] { try cache.entries().map(\.key).sorted() }

    @Test(arguments: ImagePipeline.DataCachePolicy.allCases)
    func `Each policy stores its documented data`(policy: ImagePipeline.DataCachePolicy) async throws {
        let fixture = fixture(policy)
        let plain = fixture.image("plain")
        let made = fixture.image("made")
        _ = try await fixture.pipeline.image(for: plain)
        _ = try await fixture.pipeline.image(for: halved(made))
        await fixture.pipeline.flush()
        let expected: [String] =
            switch policy {
            case .automatic: ["\(made)|half", plain]
            case .storeOriginalData: [made, plain]
            case .storeEncodedImages: ["\(made)|half", plain]
            case .storeAll: [made, "\(made)|half", plain]
            }
        #expect(try keys() == expected.sorted())
        #expect(encoder.sizes.count == [.automatic: 1, .storeAll: 1, .storeEncodedImages: 2][policy] ?? 0)
    }

    @Test(arguments: [ImagePipeline.DataCachePolicy.automatic, .storeAll, .storeEncodedImages])
    func `A made image is found on disk, and neither loaded nor made again`(
        policy: ImagePipeline.DataCachePolicy
    ) async throws {
        let first = fixture(policy)
        let url = first.image("a")
        let image = try await first.pipeline.image(for: halved(url))
        await first.pipeline.flush()
        let later = fixture(policy, memory: true)
        let response = try await later.pipeline.imageTask(with: halved(url)).response
        #expect(response.image.size == image.size && response.cacheType == .disk)
        #expect(later.loader.requests.isEmpty)
        #expect(runs.count == 1)
        await later.pipeline.flush()
        #expect(encoder.sizes.count == 1)
        #expect(later.pipeline.cachedImage(for: halved(url)) != nil)
        #expect(later.pipeline.cache.cachedImage(for: halved(url), caches: .disk)?.image.size == image.size)
    }

    @Test func `Each size is made, and has a place of its own`() async throws {
        let first = fixture(.automatic)
        let url = first.image("a")
        let sizes = [10, 20].map { TargetSize($0) }
        for size in sizes { _ = try await first.pipeline.image(for: ImageRequest(url: url, targetSize: size)) }
        await first.pipeline.flush()
        #expect(try keys().count == 2)
        let later = fixture(.automatic)
        for size in sizes {
            let image = try await later.pipeline.image(for: ImageRequest(url: url, targetSize: size))
            #expect(image.size == size.resolved(for: PipelineFixture.size))
        }
        #expect(later.loader.requests.isEmpty)
    }

    @Test func `A damaged processed image is made again from the original`() async throws {
        let first = fixture(.storeAll)
        let url = first.image("a")
        _ = try await first.pipeline.image(for: halved(url))
        await first.pipeline.flush()
        for isNoise in [true, false] {
            let record = try #require(try cache.entries().first { $0.key.hasSuffix("|half") })
            if isNoise {
                try cache.store(DataCacheEntry(data: Data("noise".utf8)), for: record.key)
            } else {
                files[record.path]?[record.fileBytes - 1] ^= 1
            }
            let later = fixture(.storeAll)
            let response = try await later.pipeline.imageTask(with: halved(url)).response
            #expect(response.image.size == PixelSize(width: 20, height: 15))
            #expect(later.loader.requests.isEmpty)
            await later.pipeline.flush()
            #expect(try cache.verify().isEmpty)
        }
        #expect(runs.count == 3)
    }

    @Test func `Two concurrent requests for a missing image share one load`() async throws {
        let fixture = fixture(.automatic)
        let url = fixture.image("a")
        let tasks = (0..<8).map { _ in fixture.pipeline.imageTask(with: halved(url)) }
        for task in tasks { #expect(try await task.image.size.width == 20) }
        #expect(fixture.loader.transfers(url).count == 1)
        let late = fixture.pipeline.imageTask(with: halved(url))
        late.cancel()
        // The threads decide which of the two is first; the task ends in either case, and nothing is loaded again.
        _ = try? await late.image
        #expect(fixture.loader.transfers(url).count == 1)
    }

    @Test func `Without an encoder originals are stored, and the options for reads and writes hold`() async throws {
        let plain = PipelineFixture {
            $0.dataCache = cache
            $0.dataCachePolicy = .storeEncodedImages
        }
        let url = plain.image("a")
        _ = try await plain.pipeline.image(for: halved(url))
        await plain.pipeline.flush()
        #expect(try keys() == [url])
        try cache.removeAll()
        let fixture = fixture(.storeAll)
        var request = halved(fixture.image("b"))
        request.options = .disableDiskCacheWrites
        _ = try await fixture.pipeline.image(for: request)
        await fixture.pipeline.flush()
        #expect(try keys().isEmpty)
    }
}
