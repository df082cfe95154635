import FirnCache
import FirnCodecs
import FirnData
import FirnImage
import FirnProcessing
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import FirnPipeline

/// Tests requests for parts of images.
@Suite(.timeLimit(.minutes(5))) struct RegionRequestTests {
    private let files = InMemoryFileSystem()
    private let image: Bitmap

    init() throws {
        image = try RegionScene.image(PixelSize(width: 331, height: 203))
        files["/a.png"] = try PNGEncoder().encode(image)
    }

    private func pipeline(
        memory: Bool = true, _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) -> ImagePipeline {
        .reading(files, memory: memory, change)
    }

    private func request(_ region: ImageRegion?, _ side: Int? = nil) -> ImageRequest {
        var request = ImageRequest(path: "/a.png")
        request.region = region
        request.targetSize = side.map { TargetSize($0) }
        return request
    }

    @Test func `A region at full size equals the crop of the whole`() async throws {
        for (x, y, width, height) in [(0, 0, 331, 203), (17, 5, 101, 33), (330, 202, 1, 1), (200, 100, 999, 999)] {
            let region = ImageRegion.pixels(x: x, y: y, width: width, height: height)
            let part = try await pipeline().image(for: request(region))
            let area = try #require(region.resolved(in: image.size))
            #expect(RegionScene.rows(part) == RegionScene.rows(image, area))
        }
    }

    @Test func `The target size applies to the region, and fractions are resolved`() async throws {
        let region = ImageRegion.fractions(x: 0.5, y: 0, width: 0.5, height: 0.5)
        let response = try await pipeline().imageTask(with: request(region, 40)).response
        #expect(response.image.size == PixelSize(width: 40, height: 25))
        #expect(response.container.originalSize == image.size)
        #expect(response.container.area == region.resolved(in: image.size))
    }

    @Test func `Regions, sizes and the whole image have keys of their own`() {
        let region = ImageRegion.pixels(x: 1, y: 2, width: 30, height: 40)
        let other = ImageRegion.pixels(x: 1, y: 2, width: 31, height: 40)
        let requests = [request(nil), request(nil, 20), request(region), request(region, 20), request(other)]
        #expect(Set(requests.map(\.imageCacheKey.string)).count == 5)
        #expect(Set(requests.map(\.processedDataCacheKey)).count == 5)
        #expect(Set(requests.map(\.identities.resource)).count == 1)
        #expect(requests.allSatisfy { $0.imageCacheKey.isRelative(of: requests[0].imageCacheKey) })
        #expect(requests[2].steps.count == 1 && requests[2].steps[0] != requests[4].steps[0])
    }

    @Test func `Concurrent requests for one region share the decode`() async throws {
        let pipeline = pipeline()
        let region = ImageRegion.pixels(x: 10, y: 10, width: 50, height: 50)
        pipeline.scheduling.isSuspended = true
        let tasks = (0..<3).map { _ in pipeline.imageTask(with: request(region)) }
        pipeline.scheduling.isSuspended = false
        for task in tasks { #expect(try await task.response.image.size == PixelSize(width: 50, height: 50)) }
        #expect(pipeline.statistics.decodes == 1)
    }

    @Test func `Processors get the region as their image`() async throws {
        var cropped = request(.pixels(x: 20, y: 30, width: 64, height: 64))
        cropped.processors = [ImageProcessors.Resize(size: PixelSize(width: 16, height: 16))]
        #expect(try await pipeline().image(for: cropped).size == PixelSize(width: 16, height: 16))
    }

    @Test func `The whole image in memory serves a region without a decode`() async throws {
        let pipeline = pipeline()
        _ = try await pipeline.image(for: request(nil))
        let region = ImageRegion.pixels(x: 33, y: 44, width: 71, height: 55)
        let part = try await pipeline.image(for: request(region))
        #expect(RegionScene.rows(part) == RegionScene.rows(image, region.resolved(in: image.size)))
        #expect(try await pipeline.image(for: request(region, 20)).size == PixelSize(width: 20, height: 15))
        #expect(pipeline.statistics.decodes == 1 && pipeline.statistics.localReads <= 1)
    }

    @Test func `A larger region in memory serves a smaller one inside it, and no other`() async throws {
        let pipeline = pipeline()
        _ = try await pipeline.image(for: request(.pixels(x: 30, y: 30, width: 100, height: 100)))
        let inside = ImageRegion.pixels(x: 50, y: 41, width: 20, height: 30)
        let part = try await pipeline.image(for: request(inside))
        #expect(RegionScene.rows(part) == RegionScene.rows(image, inside.resolved(in: image.size)))
        #expect(pipeline.statistics.decodes == 1)
        let across = ImageRegion.pixels(x: 120, y: 41, width: 20, height: 30)
        let other = try await pipeline.image(for: request(across))
        #expect(RegionScene.rows(other) == RegionScene.rows(image, across.resolved(in: image.size)))
        #expect(pipeline.statistics.decodes == 2)
        let whole = try await pipeline.image(for: request(nil))
        #expect(whole.size == image.size && pipeline.statistics.decodes == 3)
    }

    @Test func `A reduced image serves regions only up to its scale, and is a preview above`() async throws {
        let pipeline = pipeline()
        _ = try await pipeline.image(for: request(nil, 100))
        let region = ImageRegion.pixels(x: 0, y: 0, width: 160, height: 160)
        #expect(try await pipeline.image(for: request(region, 30)).size == PixelSize(width: 30, height: 30))
        #expect(pipeline.statistics.decodes == 1)
        pipeline.scheduling.isSuspended = true
        let task = pipeline.imageTask(with: request(region, 120))
        let preview = try #require(task.latestPreview)
        #expect(preview.image.size == PixelSize(width: 48, height: 48) && preview.isPreview)
        pipeline.scheduling.isSuspended = false
        #expect(try await task.response.image.size == PixelSize(width: 120, height: 120))
        #expect(pipeline.statistics.decodes == 2)
    }

    @Test func `A decoder that knows no regions decodes the whole, which is cut`() async throws {
        let files = InMemoryFileSystem()
        files["/a.test"] = ScriptedDecoder.image(PixelSize(width: 400, height: 300))
        let decoder = ScriptedDecoder()
        var configuration = ImagePipeline.Configuration(dataLoader: ScriptedLoader(), decoders: [decoder])
        configuration.files = files
        var request = ImageRequest(path: "/a.test")
        request.region = .pixels(x: 100, y: 100, width: 200, height: 100)
        request.targetSize = TargetSize(50)
        let image = try await ImagePipeline(configuration: configuration).image(for: request)
        #expect(image.size == PixelSize(width: 50, height: 25))
        let options = try #require(decoder.decodes.calls.first)
        #expect(options.region == nil)
        #expect(
            options.targetSize?.resolved(for: PixelSize(width: 400, height: 300)) == PixelSize(width: 100, height: 75))
    }

    @Test func `A region outside of the image fails as a request`() async throws {
        await #expect(throws: ImageLoadingError.self) {
            try await pipeline().image(for: request(.pixels(x: 331, y: 0, width: 5, height: 5)))
        }
        do throws(ImageLoadingError) {
            _ = try await pipeline().image(for: request(.pixels(x: 0, y: 0, width: 0, height: 5)))
        } catch {
            #expect(error.fault == .request)
        }
    }

    @Test func `A stored region is found again, and does not pass for the whole image`() async throws {
        let disk = InMemoryFileSystem()
        func make() -> ImagePipeline {
            pipeline { $0.bitmapStore = BitmapStore(directory: "/bitmaps", limits: .init(), fileSystem: disk) }
        }
        let region = ImageRegion.pixels(x: 7, y: 9, width: 50, height: 60)
        let first = make()
        _ = try await first.image(for: request(region))
        await first.flush()
        let second = make()
        let response = try await second.imageTask(with: request(region)).response
        #expect(response.cacheType == .bitmap && response.container.area == region.resolved(in: image.size))
        #expect(try await second.image(for: request(nil)).size == image.size)
        #expect(second.statistics.decodes == 1)
    }

    @Test func `A region of an image that a closure makes is cut`() async throws {
        let whole = image
        var request = ImageRequest(id: "made", image: { ImageContainer(image: whole) })
        let region = ImageRegion.pixels(x: 3, y: 4, width: 20, height: 10)
        request.region = region
        let part = try await pipeline().image(for: request)
        #expect(RegionScene.rows(part) == RegionScene.rows(image, region.resolved(in: image.size)))
    }
}
