import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

/// Tests removals of everything that was made of a source, by a call and by a reload.
@Suite(.timeLimit(.minutes(5))) struct RemovedSourceTests {
    private let disk = DataCache(directory: "/cache", fileSystem: InMemoryFileSystem())
    private let bitmaps = BitmapStore(directory: "/bitmaps", limits: .init(), fileSystem: InMemoryFileSystem())
    private let runs = Counter()

    private func fixture(memory: Bool = true) -> PipelineFixture {
        PipelineFixture(memory: memory) {
            $0.dataCache = disk
            $0.bitmapStore = bitmaps
            $0.dataCachePolicy = .storeAll
            $0.imageEncoder = ScriptedEncoder(format: .png)
        }
    }

    private func at(_ side: Int, _ url: String) -> ImageRequest {
        ImageRequest(url: url, targetSize: TargetSize(side))
    }

    private func halved(_ url: String) -> ImageRequest {
        ImageRequest(url: url, processors: [HalvingProcessor(counter: runs)])
    }

    private func load(_ fixture: PipelineFixture, _ url: String) async throws {
        for request in [ImageRequest(url: url), at(10, url), halved(url)] {
            _ = try await fixture.pipeline.image(for: request)
        }
    }

    @Test(arguments: [true, false])
    func `One call forgets a source in every size, processed or not, and nothing else`(isFlushed: Bool) async throws {
        let fixture = fixture()
        let cache = fixture.pipeline.cache
        let (url, other) = (fixture.image("a"), fixture.image("ab"))
        for url in [url, other] { try await load(fixture, url) }
        if isFlushed { await fixture.pipeline.flush() }
        cache.removeImages(for: at(20, url))
        await fixture.pipeline.flush()
        for request in [ImageRequest(url: url), at(10, url), halved(url)] {
            #expect(!cache.containsCachedImage(for: request))
        }
        for request in [ImageRequest(url: other), at(10, other), halved(other)] {
            #expect(cache.containsCachedImage(for: request, caches: .memory))
            #expect(cache.containsCachedImage(for: request, caches: .disk))
        }
        #expect(try disk.entries().allSatisfy { $0.key.hasPrefix(other) })
        #expect(try bitmaps.records().allSatisfy { $0.key.hasPrefix(other) })
        fixture.loader.respond(to: url, with: ScriptedDecoder.image(PixelSize(width: 8, height: 6)))
        #expect(try await fixture.pipeline.image(for: at(4, url)).size.width == 4)
        #expect(fixture.loader.transfers(url).count == 2)
    }

    @Test(arguments: [true, false])
    func `A reload drops images made of the old version`(memory: Bool) async throws {
        let fixture = fixture(memory: memory)
        let url = fixture.image("a")
        try await load(fixture, url)
        await fixture.pipeline.flush()
        fixture.loader.respond(to: url, with: ScriptedDecoder.image(PixelSize(width: 80, height: 60)))
        var reload = at(10, url)
        reload.options = .reloadIgnoringCachedData
        _ = try await fixture.pipeline.image(for: reload)
        #expect(try await fixture.pipeline.image(for: url).size.width == 80)
        #expect(try await fixture.pipeline.image(for: halved(url)).size.width == 40)
        #expect(fixture.loader.transfers(url).count == 2)
        await fixture.pipeline.flush()
        let later = self.fixture()
        #expect(try await later.pipeline.image(for: url).size.width == 80)
        #expect(try await later.pipeline.image(for: halved(url)).size.width == 40)
        #expect(later.loader.requests.isEmpty)
    }

    @Test func `A reload that fails keeps the old version`() async throws {
        let fixture = fixture()
        let url = fixture.image("a")
        try await load(fixture, url)
        fixture.loader.fail(url, with: DataLoadingError(.connection, "refused"))
        var reload = at(10, url)
        reload.options = .reloadIgnoringCachedData
        _ = try? await fixture.pipeline.image(for: reload)
        #expect(fixture.pipeline.cachedImage(for: halved(url)) != nil)
    }
}
