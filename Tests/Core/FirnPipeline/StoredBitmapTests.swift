import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

/// Tests the bitmap store in a pipeline.
@Suite(.timeLimit(.minutes(5))) struct StoredBitmapTests {
    private let disk = InMemoryFileSystem()

    private func fixture(
        memory: Bool = true, _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) -> PipelineFixture {
        PipelineFixture(memory: memory) {
            $0.bitmapStore = BitmapStore(directory: "/bitmaps", limits: .init(), fileSystem: disk)
            change(&$0)
        }
    }

    @Test(arguments: [false, true])
    func `An image is shown again by the next process without loading or decoding`(memory: Bool) async throws {
        let first = fixture(memory: memory)
        let url = first.image("a")
        let request = ImageRequest(url: url, targetSize: TargetSize(width: 20, height: 15))
        let made = try await first.pipeline.image(for: request)
        await first.pipeline.flush()
        #expect(first.pipeline.statistics.bitmapStores == 1)
        let second = fixture(memory: memory)
        let response = try await second.pipeline.imageTask(with: request).response
        #expect(response.cacheType == .bitmap)
        #expect(response.image.size == made.size && response.container.originalSize == PipelineFixture.size)
        #expect(second.loader.requests.isEmpty && second.decoder.decodes.isEmpty)
        #expect(second.pipeline.statistics.bitmapHits == 1)
        if memory { #expect(second.pipeline.cachedImage(for: request) != nil) }
    }

    @Test func `Sizes and processors have images of their own`() async throws {
        let first = fixture()
        let url = first.image("a")
        _ = try await first.pipeline.image(for: url)
        await first.pipeline.flush()
        let second = fixture(memory: false)
        _ = second.image("a")
        let runs = Counter()
        let tinted = ImageRequest(url: url, processors: [CountingProcessor(identifier: "tint", counter: runs)])
        _ = try await second.pipeline.image(for: tinted)
        #expect(runs.count == 1 && second.loader.transfers(url).count == 1)
        await second.pipeline.flush()
        let third = fixture(memory: false)
        _ = try await third.pipeline.image(for: tinted)
        #expect(runs.count == 1 && third.loader.requests.isEmpty)
    }

    @Test func `A file that has changed is decoded again`() async throws {
        let files = InMemoryFileSystem()
        let path = "/images/a.test"
        files[path] = ScriptedDecoder.image(PixelSize(width: 40, height: 30))
        let request = ImageRequest(path: path)
        let first = fixture { $0.files = files }
        _ = try await first.pipeline.image(for: request)
        await first.pipeline.flush()
        let second = fixture { $0.files = files }
        #expect(try await second.pipeline.imageTask(with: request).response.cacheType == .bitmap)
        #expect(second.decoder.decodes.isEmpty)
        files[path] = ScriptedDecoder.image(PixelSize(width: 50, height: 30))
        try files.touch(path, modified: 77)
        let third = fixture { $0.files = files }
        #expect(try await third.pipeline.image(for: request).size.width == 50)
        #expect(third.decoder.decodes.count == 1)
    }

    @Test func `The options for reads and writes of the disk are respected`() async throws {
        let first = fixture()
        let url = first.image("a")
        _ = try await first.pipeline.image(for: ImageRequest(url: url, options: .disableDiskCacheWrites))
        await first.pipeline.flush()
        #expect(disk.files.isEmpty)
        _ = try await first.pipeline.image(for: ImageRequest(url: url, options: .reloadIgnoringCachedData))
        await first.pipeline.flush()
        #expect(disk.files.count == 1)
        let second = fixture(memory: false)
        _ = second.image("a")
        _ = try await second.pipeline.image(for: ImageRequest(url: url, options: .disableDiskCacheReads))
        #expect(second.loader.transfers(url).count == 1)
        _ = try await second.pipeline.image(for: ImageRequest(url: url, options: .returnCacheDataDontLoad))
        #expect(second.loader.transfers(url).count == 1)
    }

    @Test func `A store that fails loses images and no load`() async throws {
        disk.isReadOnly = true
        let fixture = fixture()
        _ = try await fixture.pipeline.image(for: fixture.image("a"))
        await fixture.pipeline.flush()
        #expect(fixture.pipeline.statistics.failedStores == 1)
    }

    @Test func `Bytes at hand and data of requests are not kept`() async throws {
        let fixture = fixture()
        let bytes = ScriptedDecoder.image(PixelSize(width: 4, height: 3))
        _ = try await fixture.pipeline.image(for: ImageRequest(id: "x", data: bytes))
        await fixture.pipeline.flush()
        #expect(disk.files.isEmpty)
    }

    @Test func `Removing an image from disk removes it here, too`() async throws {
        let fixture = fixture()
        let request = ImageRequest(url: fixture.image("a"))
        _ = try await fixture.pipeline.image(for: request)
        await fixture.pipeline.flush()
        #expect(disk.files.count == 1)
        #expect(fixture.pipeline.cache.cachedImage(for: request, caches: .disk) != nil)
        fixture.pipeline.cache.removeCachedImage(for: request, caches: .disk)
        #expect(disk.files.isEmpty)
    }
}
