import FirnCodecs
import FirnImage
import FirnSync
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import FirnPipeline

// Pyramids of sequential JPEGs, whose largest levels are decoded by an index.
extension PyramidTests {
    @Test func `Large regions of a JPEG are decoded by an index, small ones come from tiles`() async throws {
        let image = try RegionScene.image(PixelSize(width: 2200, height: 1402))
        files["/a.jpeg"] = try JPEGEncoder(quality: 0.9).encode(image)
        let whole = try await pipeline { $0.bitmapStore = nil }.image(for: ImageRequest(path: "/a.jpeg"))
        let pyramid = try await pipeline().pyramidTask(for: ImageRequest(path: "/a.jpeg")).pyramid
        #expect(pyramid.shape.firstLevel == 2 && tileFiles.count == 1)
        let serving = pipeline(pixels: 1)
        for (x, y, width, height) in [(1000, 900, 256, 256), (2190, 1390, 100, 100), (0, 700, 2200, 40)] {
            let region = ImageRegion.pixels(x: x, y: y, width: width, height: height)
            let part = try await serving.imageTask(with: request(region, path: "/a.jpeg")).response
            #expect(part.cacheType == nil)
            #expect(RegionScene.rows(part.image) == RegionScene.rows(whole, part.container.area))
        }
        #expect(serving.statistics.decodes == 3)
        for factor in [4, 8] {
            let region = ImageRegion.pixels(x: 1024, y: 512, width: 1024, height: 512)
            let response = try await serving.imageTask(with: request(region, 1024 / factor, path: "/a.jpeg")).response
            #expect(response.cacheType == .bitmap && response.image.size.width == 1024 / factor)
        }
        // Neither the regions are stored, nor another pyramid is built.
        await serving.flush()
        #expect(tileFiles.count == 1 && serving.statistics.decodes == 3)
    }

    @Test func `The index of a changed JPEG is not used, and a damaged one is removed`() async throws {
        let size = PixelSize(width: 1100, height: 900)
        files["/a.jpeg"] = try JPEGEncoder(quality: 0.9).encode(RegionScene.image(size))
        _ = try await pipeline().pyramidTask(for: ImageRequest(path: "/a.jpeg")).pyramid
        let region = request(.pixels(x: 500, y: 700, width: 200, height: 100), path: "/a.jpeg")
        let expected = try await pipeline { $0.bitmapStore = nil }.image(for: region)
        // The index is at the end of the file.
        let path = try #require(tileFiles.first)
        var bytes = try #require(disk[path])
        bytes[bytes.count - 9] ^= 1
        disk[path] = bytes
        let serving = pipeline()
        #expect(try await RegionScene.rows(serving.image(for: region)) == RegionScene.rows(expected))
        await serving.flush()
        #expect(disk[path] == nil)

        _ = try await pipeline().pyramidTask(for: ImageRequest(path: "/a.jpeg")).pyramid
        files["/a.jpeg"] = try JPEGEncoder(quality: 0.9).encode(RegionScene.noise(size, isOpaque: true))
        try files.touch("/a.jpeg", modified: 77)
        let part = try await pipeline().image(for: region)
        let now = try await pipeline { $0.bitmapStore = nil }.image(for: region)
        #expect(RegionScene.rows(part) == RegionScene.rows(now))
    }

    @Test func `Tiles of a JPEG with restart markers begin at a quarter, too, without an index`() async throws {
        var file = HandmadeJPEG(width: 1000, height: 800, factors: [(2, 2), (1, 1), (1, 1)], restartInterval: 21)
        file.isSequential = true
        file.scans = [HandmadeJPEG.Scan(components: [0, 1, 2])]
        files["/a.jpeg"] = file.data
        let whole = try await pipeline { $0.bitmapStore = nil }.image(for: ImageRequest(path: "/a.jpeg"))
        let pyramid = try await pipeline().pyramidTask(for: ImageRequest(path: "/a.jpeg")).pyramid
        #expect(pyramid.shape.firstLevel == 2)
        let serving = pipeline(pixels: 1)
        for y in [500, 600, 700] {
            let region = ImageRegion.pixels(x: 300, y: y, width: 70, height: 50)
            let response = try await serving.imageTask(with: request(region, path: "/a.jpeg")).response
            #expect(RegionScene.rows(response.image) == RegionScene.rows(whole, response.container.area))
        }
        await serving.flush()
        #expect(tileFiles.count == 1)
    }

    @Test func `Without a store, the second region of a JPEG makes an index in memory`() async throws {
        let size = PixelSize(width: 1300, height: 1200)
        files["/a.jpeg"] = try JPEGEncoder(quality: 0.9).encode(RegionScene.image(size))
        let serving = pipeline(pixels: 1) { $0.bitmapStore = nil }
        let whole = try await pipeline { $0.bitmapStore = nil }.image(for: ImageRequest(path: "/a.jpeg"))
        let key = ImageRequest(path: "/a.jpeg").pyramidKey
        for place in 0..<4 {
            let region = ImageRegion.pixels(x: 100 * place, y: 900, width: 90, height: 80)
            let response = try await serving.imageTask(with: request(region, path: "/a.jpeg")).response
            #expect(RegionScene.rows(response.image) == RegionScene.rows(whole, response.container.area))
            let kept = serving.engine.pyramids.tiles.partIndexes[key]
            if place == 0 { #expect(kept == nil) }
            // The build ends with the error of a pyramid without a store.
            if place == 1 {
                let task = try serving.pyramidTask(for: ImageRequest(path: "/a.jpeg"))
                await #expect(throws: ImageLoadingError.self) { _ = try await task.pyramid }
            }
            if place > 1 { #expect(kept?.index.isEmpty == false) }
        }
        // A changed file has other codes.
        files["/a.jpeg"] = try JPEGEncoder(quality: 0.9).encode(RegionScene.noise(size, isOpaque: true))
        try files.touch("/a.jpeg", modified: 78)
        let region = request(.pixels(x: 500, y: 900, width: 90, height: 80), path: "/a.jpeg")
        let now = try await pipeline { $0.bitmapStore = nil }.image(for: region)
        #expect(try await RegionScene.rows(serving.image(for: region)) == RegionScene.rows(now))
    }
}
