import FirnCache
import FirnImage
import FirnPipeline
import FirnProcessing
import FirnTesting
import FoundationEssentials
import Testing

/// Tests images in memory that serve requests for other sizes.
@Suite(.timeLimit(.minutes(5))) struct SizeHitTests {
    private func target(_ width: Int, _ height: Int, mode: ImageContentMode = .fit, upscale: Bool = false) -> TargetSize
    {
        TargetSize(width: width, height: height, mode: mode, upscale: upscale)
    }

    @Test func `A larger image in memory serves a smaller request`() async throws {
        let fixture = PipelineFixture(memory: true)
        let url = fixture.image("a", size: PixelSize(width: 400, height: 301))
        _ = try await fixture.pipeline.image(for: url)
        for (target, size) in [
            (target(40, 40), PixelSize(width: 40, height: 30)), (target(33, 90), PixelSize(width: 33, height: 25)),
            (target(50, 50, mode: .fill), PixelSize(width: 66, height: 50)),
        ] {
            let image = try await fixture.pipeline.image(for: ImageRequest(url: url, targetSize: target))
            #expect(image.size == size)
            #expect(image.isOpaque)
        }
        #expect(fixture.loader.transfers(url).count == 1)
        #expect(fixture.decoder.decodes.count == 1)
        let again = ImageRequest(url: url, targetSize: target(40, 40))
        #expect(fixture.pipeline.cachedImage(for: again)?.size.width == 40)
    }

    @Test func `An image made from a cached one is a memory hit`() async throws {
        let fixture = PipelineFixture(memory: true)
        let url = fixture.image("a", size: PixelSize(width: 400, height: 300))
        #expect(try await fixture.pipeline.imageTask(with: url).response.cacheType == nil)
        let reduced = ImageRequest(url: url, targetSize: target(40, 40))
        #expect(try await fixture.pipeline.imageTask(with: reduced).response.cacheType == .memory)
        let gray = CountingProcessor(identifier: "gray", counter: Counter())
        let round = CountingProcessor(identifier: "round", counter: Counter())
        for processors in [[gray], [gray, round]] {
            let processed = ImageRequest(url: url, processors: processors)
            #expect(try await fixture.pipeline.imageTask(with: processed).response.cacheType == .memory)
        }
        #expect(fixture.loader.transfers(url).count == 1)
    }

    @Test func `A small original serves every larger target at once`() async throws {
        let fixture = PipelineFixture(memory: true)
        let url = fixture.image("a")
        _ = try await fixture.pipeline.image(for: ImageRequest(url: url, targetSize: target(500, 500)))
        let task = fixture.pipeline.imageTask(with: ImageRequest(url: url))
        #expect(task.state == .completed)
        let response = try await task.response
        #expect(response.image.size == PipelineFixture.size)
        #expect(response.cacheType == .memory)
        #expect(fixture.pipeline.statistics.memoryHits == 1)
        #expect(fixture.decoder.decodes.count == 1)
    }

    @Test func `Processors start from a larger cached image`() async throws {
        let fixture = PipelineFixture(memory: true)
        let url = fixture.image("a", size: PixelSize(width: 400, height: 300))
        _ = try await fixture.pipeline.image(for: ImageRequest(url: url, targetSize: target(200, 200)))
        let runs = Counter()
        let request = ImageRequest(
            url: url, processors: [CountingProcessor(identifier: "count", counter: runs)], targetSize: target(20, 20))
        #expect(try await fixture.pipeline.image(for: request).size == PixelSize(width: 20, height: 15))
        let resize = ImageRequest(
            url: url, processors: [ImageProcessors.Resize(size: PixelSize(width: 100, height: 100))])
        #expect(try await fixture.pipeline.image(for: resize).size == PixelSize(width: 100, height: 75))
        #expect(runs.count == 1)
        #expect(fixture.decoder.decodes.count == 1)
    }

    @Test func `A smaller image is a preview while the right one is decoded`() async throws {
        let fixture = PipelineFixture(memory: true)
        let url = fixture.image("a", size: PixelSize(width: 400, height: 300))
        for side in [10, 20] {
            _ = try await fixture.pipeline.image(for: ImageRequest(url: url, targetSize: target(side, side)))
        }
        let decodes = fixture.decoder.decodes.count
        fixture.decoder.hold()
        let task = fixture.pipeline.imageTask(with: ImageRequest(url: url, targetSize: target(100, 100)))
        var previews = task.previews.makeAsyncIterator()
        let preview = try #require(await previews.next())
        #expect(preview.isPreview)
        #expect(preview.image.size == PixelSize(width: 20, height: 15))
        #expect(task.state == .running)
        fixture.decoder.release()
        let response = try await task.response
        #expect(!response.isPreview)
        #expect(response.image.size == PixelSize(width: 100, height: 75))
        #expect(fixture.decoder.decodes.count == decodes + 1)
    }

    @Test func `Another layout of pixels is another family`() async throws {
        let fixture = PipelineFixture(memory: true)
        let url = fixture.image("a", size: PixelSize(width: 400, height: 300))
        _ = try await fixture.pipeline.image(for: url)
        var request = ImageRequest(url: url, targetSize: target(40, 40))
        request.pixelFormat = .rgb8
        #expect(try await fixture.pipeline.image(for: request).format == .rgb8)
        #expect(fixture.decoder.decodes.count == 2)
    }

    @Test func `A processed image serves no other request`() async throws {
        let fixture = PipelineFixture(memory: true)
        let url = fixture.image("a", size: PixelSize(width: 400, height: 300))
        let gray = CountingProcessor(identifier: "gray", counter: Counter())
        _ = try await fixture.pipeline.image(for: ImageRequest(url: url, processors: [gray]))
        _ = try await fixture.pipeline.image(for: ImageRequest(url: url, targetSize: target(40, 40)))
        #expect(fixture.decoder.decodes.count == 2)
    }

    @Test func `Equal requests share the reduction`() async throws {
        let fixture = PipelineFixture(memory: true)
        let url = fixture.image("a", size: PixelSize(width: 400, height: 300))
        _ = try await fixture.pipeline.image(for: url)
        let request = ImageRequest(url: url, targetSize: target(40, 40))
        let tasks = (0..<20).map { _ in fixture.pipeline.imageTask(with: request) }
        for task in tasks { #expect(try await task.image.size.width == 40) }
        // The tasks that came after its end found it in the cache; none of them decoded.
        #expect(fixture.decoder.decodes.count == 1)
    }

    @Test func `A reload begins at the source`() async throws {
        let fixture = PipelineFixture(memory: true)
        let url = fixture.image("a", size: PixelSize(width: 400, height: 300))
        _ = try await fixture.pipeline.image(for: url)
        let request = ImageRequest(url: url, options: .reloadIgnoringCachedData, targetSize: target(40, 40))
        _ = try await fixture.pipeline.image(for: request)
        #expect(fixture.loader.transfers(url).count == 2)
    }
}
