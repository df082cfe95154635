import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnSync
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

/// A delegate that holds each store back until the test allows it.
private final class HoldingDelegate: ImagePipeline.Delegate {
    private let state = Locked((isOpen: false, waiting: [CheckedContinuation<Void, Never>]()))

    func willCache(data: Data, for request: ImageRequest, pipeline: ImagePipeline) async -> Data? {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
        return data
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

@Suite(.timeLimit(.minutes(5))) struct PendingStoreTests {
    private let disk = DataCache(directory: "/cache", fileSystem: InMemoryFileSystem())
    private let bitmaps = BitmapStore(directory: "/bitmaps", limits: .init(), fileSystem: InMemoryFileSystem())
    private let holder = HoldingDelegate()
    private let runs = Counter()

    private func fixture(
        isHeld: Bool = true, memory: Bool = false, _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) -> PipelineFixture {
        PipelineFixture(memory: memory, delegate: isHeld ? holder : nil) {
            $0.dataCache = disk
            change(&$0)
        }
    }

    private func at(_ side: Int, _ url: String) -> ImageRequest {
        ImageRequest(url: url, targetSize: TargetSize(side))
    }

    @Test func `A loaded image is found before it is stored, and another size loads nothing`() async throws {
        let fixture = fixture()
        let url = fixture.image("a")
        let cache = fixture.pipeline.cache
        _ = try await fixture.pipeline.image(for: at(10, url))
        let request = ImageRequest(url: url)
        #expect(!disk.contains(url))
        #expect(cache.containsData(for: request) && cache.containsCachedImage(for: request))
        #expect(cache.cachedData(for: request)?.data == ScriptedDecoder.image(PipelineFixture.size))
        #expect(cache.cachedImage(for: request)?.image.size == PipelineFixture.size)
        let second = try await fixture.pipeline.imageTask(with: at(20, url)).response
        #expect(second.image.size.width == 20 && second.cacheType == .disk)
        #expect(try await fixture.pipeline.data(for: request).0 == ScriptedDecoder.image(PipelineFixture.size))
        #expect(fixture.loader.transfers(url).count == 1)
        holder.open()
        await fixture.pipeline.flush()
        #expect(disk.contains(url))
    }

    @Test func `Repeated loads of bytes or sizes load once each, without a flush`() async throws {
        let fixture = fixture(isHeld: false)
        for number in 0..<40 {
            let url = fixture.image("\(number)")
            if number % 2 == 0 {
                _ = try await fixture.pipeline.data(for: ImageRequest(url: url))
                _ = try await fixture.pipeline.data(for: ImageRequest(url: url))
            } else {
                _ = try await fixture.pipeline.image(for: at(10, url))
                _ = try await fixture.pipeline.image(for: at(20, url))
            }
            #expect(fixture.pipeline.cache.containsData(for: ImageRequest(url: url)))
            #expect(fixture.loader.transfers(url).count == 1)
        }
    }

    @Test func `An encoded image is found before it is stored`() async throws {
        let fixture = fixture {
            $0.dataCachePolicy = .storeEncodedImages
            $0.imageEncoder = ScriptedEncoder(format: .png)
        }
        let url = fixture.image("a")
        let request = ImageRequest(url: url, processors: [HalvingProcessor(counter: runs)])
        _ = try await fixture.pipeline.image(for: request)
        #expect(fixture.pipeline.cache.containsCachedImage(for: request))
        let again = try await fixture.pipeline.imageTask(with: request).response
        #expect(again.image.size.width == 20 && again.cacheType == .disk)
        #expect(fixture.loader.transfers(url).count == 1 && runs.count == 1)
        holder.open()
    }

    @Test func `A bitmap is found before it is stored`() async throws {
        let fixture = fixture { $0.bitmapStore = bitmaps }
        let url = fixture.image("a")
        _ = try await fixture.pipeline.image(for: at(10, url))
        _ = try await fixture.pipeline.image(for: at(10, url))
        #expect(fixture.pipeline.statistics.decodes == 1)
        holder.open()
    }

    @Test(arguments: [true, false])
    func `An image removed before it is stored does not come back`(all: Bool) async throws {
        let fixture = fixture(memory: true) { $0.bitmapStore = bitmaps }
        let url = fixture.image("a")
        let cache = fixture.pipeline.cache
        _ = try await fixture.pipeline.image(for: url)
        if all { cache.removeAll() } else { cache.removeCachedImage(for: ImageRequest(url: url)) }
        #expect(!cache.containsCachedImage(for: ImageRequest(url: url)))
        holder.open()
        await fixture.pipeline.flush()
        #expect(!disk.contains(url) && !cache.containsCachedImage(for: ImageRequest(url: url)))
        _ = try await fixture.pipeline.image(for: url)
        #expect(fixture.loader.transfers(url).count == 2 && cache.containsData(for: ImageRequest(url: url)))
    }

    @Test func `Removals right after loads hold, without a delegate`() async throws {
        let fixture = fixture(isHeld: false) { $0.bitmapStore = bitmaps }
        for number in 0..<40 {
            let url = fixture.image("\(number)")
            _ = try await fixture.pipeline.image(for: url)
            if number % 2 == 0 {
                fixture.pipeline.cache.removeAll()
            } else {
                fixture.pipeline.cache.removeCachedImage(for: ImageRequest(url: url))
            }
            await fixture.pipeline.flush()
            #expect(!fixture.pipeline.cache.containsCachedImage(for: ImageRequest(url: url)))
        }
    }

    @Test(arguments: [true, false])
    func `A load that runs during a removal enters no cache, and later tasks do not join it`(all: Bool) async throws {
        let fixture = fixture(isHeld: false, memory: true) { $0.bitmapStore = bitmaps }
        let cache = fixture.pipeline.cache
        let (task, url) = await fixture.startHeld("a")
        let request = ImageRequest(url: url)
        if all { cache.removeAll() } else { cache.removeCachedImage(for: request) }
        let later = fixture.pipeline.imageTask(with: url)
        try await eventually { fixture.loader.transfers(url).count >= 2 }
        later.cancel()
        fixture.loader.release(url)
        _ = try await task.image
        await fixture.pipeline.flush()
        #expect(!cache.containsCachedImage(for: request))
        _ = try await fixture.pipeline.image(for: url)
        #expect(cache.containsData(for: request) && cache.containsCachedImage(for: request, caches: .memory))
    }

    @Test func `An entry that the program stores replaces the pending one`() async throws {
        let fixture = fixture()
        let url = fixture.image("a")
        _ = try await fixture.pipeline.image(for: url)
        let own = ScriptedDecoder.image(PixelSize(width: 3, height: 3))
        try fixture.pipeline.cache.storeCachedData(DataCacheEntry(data: own), for: ImageRequest(url: url))
        holder.open()
        await fixture.pipeline.flush()
        #expect(fixture.pipeline.cache.cachedData(for: ImageRequest(url: url))?.data == own)
    }
}
