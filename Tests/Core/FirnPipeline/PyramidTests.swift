import FirnCache
import FirnCodecs
import FirnData
import FirnImage
import FirnProcessing
import FirnSystem
import FirnTesting
import Foundation
import TestSupport
import Testing

@testable import FirnPipeline

/// Tests pyramids of large images in a pipeline.
@Suite(.timeLimit(.minutes(5))) struct PyramidTests {
    let files = InMemoryFileSystem()
    let disk = InMemoryFileSystem()
    private static let size = PixelSize(width: 1100, height: 701)

    func pipeline(
        pixels: Int = .max, limits: BitmapStoreLimits = BitmapStoreLimits(freeSpaceShare: nil),
        _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) -> ImagePipeline {
        var configuration = ImagePipeline.Configuration(
            dataLoader: ScriptedLoader(), decoders: ImageDecoders.standard)
        configuration.files = files
        configuration.bitmapStore = BitmapStore(directory: "/tiles", limits: limits, fileSystem: disk)
        configuration.automaticPyramidPixels = pixels
        change(&configuration)
        return ImagePipeline(configuration: configuration)
    }

    func request(_ region: ImageRegion, _ side: Int? = nil, path: String = "/a.png") -> ImageRequest {
        var request = ImageRequest(path: path)
        request.region = region
        request.targetSize = side.map { TargetSize($0) }
        return request
    }

    private func put(_ image: Bitmap, _ path: String = "/a.png") throws {
        files[path] = try PNGEncoder().encode(image)
    }

    var tileFiles: [String] { disk.files.keys.sorted() }

    @Test(arguments: [false, true])
    func `Regions from tiles equal those of the whole decode`(hasAlpha: Bool) async throws {
        let image = try RegionScene.image(PyramidTests.size, hasAlpha: hasAlpha)
        try put(image)
        let pyramid = try await pipeline().pyramidTask(for: request(.pixels(x: 0, y: 0, width: 9, height: 9))).pyramid
        #expect(pyramid.shape.levels.map(\.width) == [1100, 550, 275, 138] && !pyramid.wasStored)
        var numbers = SeededGenerator(seed: 5)
        for round in 0..<40 {
            let width = Int.random(in: 1...600, using: &numbers)
            let height = Int.random(in: 1...600, using: &numbers)
            let region = ImageRegion.pixels(
                x: Int.random(in: 0..<1100, using: &numbers), y: Int.random(in: 0..<701, using: &numbers), width: width,
                height: height)
            let area = try #require(region.resolved(in: image.size))
            let serving = pipeline()
            let part = try await serving.imageTask(with: request(region)).response
            #expect(part.cacheType == .bitmap && part.image.isOpaque != hasAlpha, "round \(round)")
            #expect(RegionScene.rows(part.image) == RegionScene.rows(image, area), "\(region)")
            #expect(part.container.area == area && part.container.originalSize == image.size)
            #expect(serving.statistics.decodes == 0)
        }
    }

    @Test func `Reductions by tiles equal those of the whole image within one level`() async throws {
        let image = try RegionScene.image(PixelSize(width: 2048, height: 1536))
        try put(image)
        _ = try await pipeline().pyramidTask(for: ImageRequest(path: "/a.png")).pyramid
        for factor in [2, 4, 8] {
            let whole = try image.halved(factor / 2).resized(
                to: PixelSize(width: 2048 / factor, height: 1536 / factor))
            for (x, y, width, height) in [(0, 0, 2048, 1536), (512, 256, 1024, 1024), (64, 128, 640, 512)] {
                let region = ImageRegion.pixels(x: x, y: y, width: width, height: height)
                let part = try await pipeline().image(for: request(region, max(width, height) / factor))
                #expect(part.size == PixelSize(width: width / factor, height: height / factor))
                let area = PixelArea(x: x / factor, y: y / factor, size: part.size)
                let crop = try whole.cut(area, of: PixelArea(whole.size), to: part.size)
                #expect(RegionScene.difference(part, crop, border: 1) <= 1, "\(region) by \(factor)")
            }
        }
    }

    @Test(arguments: ImageOrientation.allCases)
    func `Tiles are turned as the image is`(orientation: ImageOrientation) async throws {
        let image = try RegionScene.image(PixelSize(width: 700, height: 301))
        files["/a.jpeg"] = JPEGImages.inserting(
            [EXIFSegments.segment(orientation.rawValue)], into: try JPEGEncoder().encode(image))
        let plain = pipeline { $0.bitmapStore = nil }
        let whole = try await plain.image(for: ImageRequest(path: "/a.jpeg"))
        let shown = try await pipeline().pyramidTask(for: ImageRequest(path: "/a.jpeg")).pyramid.displaySize
        #expect(whole.size == shown)
        for (x, y, width, height) in [(3, 5, 77, 41), (100, 260, 181, 33), (0, 0, 2000, 2000)] {
            let region = ImageRegion.pixels(x: x, y: y, width: width, height: height)
            let response = try await pipeline().imageTask(with: request(region, path: "/a.jpeg")).response
            #expect(response.cacheType == .bitmap)
            let area = try #require(region.resolved(in: whole.size))
            #expect(RegionScene.rows(response.image) == RegionScene.rows(whole, area))
        }
    }

    @Test func `The second region of a large image begins its pyramid, the first does not`() async throws {
        try put(try RegionScene.image(PyramidTests.size))
        let pipeline = pipeline(pixels: 500_000)
        _ = try await pipeline.image(for: request(.pixels(x: 0, y: 0, width: 10, height: 10)))
        await pipeline.flush()
        #expect(tileFiles.count == 1)
        _ = try await pipeline.image(for: request(.pixels(x: 50, y: 0, width: 10, height: 10)))
        // Joins the running build, or finds the pyramid that it has stored.
        _ = try await pipeline.pyramidTask(for: ImageRequest(path: "/a.png")).pyramid
        let decodes = pipeline.statistics.decodes
        let third = try await pipeline.imageTask(with: request(.pixels(x: 99, y: 9, width: 10, height: 10))).response
        #expect(third.cacheType == .bitmap && pipeline.statistics.decodes == decodes && decodes == 2)
    }

    @Test func `Small images and pipelines without the setting build no pyramid`() async throws {
        try put(try RegionScene.image(PyramidTests.size))
        for pixels in [Int.max, 771_101] {
            let pipeline = pipeline(pixels: pixels)
            for x in 0..<4 { _ = try await pipeline.image(for: request(.pixels(x: x, y: 0, width: 10, height: 10))) }
            #expect(pipeline.statistics.decodes == 4)
            await pipeline.flush()
            disk.removeTree("/tiles")
        }
    }

    @Test func `A changed file never serves old tiles`() async throws {
        try put(try RegionScene.image(PyramidTests.size))
        _ = try await pipeline().pyramidTask(for: ImageRequest(path: "/a.png")).pyramid
        let changed = try RegionScene.noise(PyramidTests.size).converted(to: .rgba8Straight)
        files["/a.png"] = try PNGEncoder().encode(changed)
        try files.touch("/a.png", modified: 77)
        let region = ImageRegion.pixels(x: 400, y: 300, width: 50, height: 50)
        let serving = pipeline()
        let response = try await serving.imageTask(with: request(region)).response
        #expect(response.cacheType != .bitmap && serving.statistics.decodes == 1)
        let again = try await pipeline().pyramidTask(for: ImageRequest(path: "/a.png")).pyramid
        #expect(!again.wasStored)
    }

    /// On a real file system: only the kernel sets `st_ctim`.
    @Test func `If only the time of a change differs, the content decides`() async throws {
        let folder = NSTemporaryDirectory() + "firn-pyramid-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/a.png"
        let content = try PNGEncoder().encode(try RegionScene.image(PyramidTests.size))
        try content.write(to: URL(filePath: path))
        let files = LocalFileSystem()
        let before = try files.status(path)
        /// Repeats a change until the file system's clock has ticked, and restores the time of modification.
        func change(_ body: () throws -> Void) throws {
            let former = try files.status(path)
            repeat {
                try body()
                try files.touch(path, modified: before.modified)
            } while try files.status(path).changed == former.changed
        }
        let region = request(.pixels(x: 400, y: 300, width: 50, height: 50), path: path)
        _ = try await pipeline { $0.files = files }.pyramidTask(for: ImageRequest(path: path)).pyramid

        try change { chmod(path, 0o600) }
        let renamed = pipeline { $0.files = files }
        #expect(try await renamed.imageTask(with: region).response.cacheType == .bitmap)
        #expect(renamed.statistics.decodes == 0)
        #expect(try await pipeline { $0.files = files }.pyramidTask(for: ImageRequest(path: path)).pyramid.wasStored)

        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try change {
            // A byte of the last chunk's checksum: the length and the pixels stay.
            try file.seek(toOffset: UInt64(content.count - 1))
            try file.write(contentsOf: Data([content[content.count - 1] ^ 1]))
        }
        try file.close()
        #expect(try files.status(path).size == before.size)
        let edited = pipeline { $0.files = files }
        #expect(try await edited.imageTask(with: region).response.cacheType != .bitmap)
        #expect(edited.statistics.decodes == 1)
    }

    @Test func `A second build of the same file finds the first`() async throws {
        try put(try RegionScene.image(PyramidTests.size))
        #expect(try await !pipeline().pyramidTask(for: ImageRequest(path: "/a.png")).pyramid.wasStored)
        #expect(try await pipeline().pyramidTask(for: ImageRequest(path: "/a.png")).pyramid.wasStored)
    }

    @Test func `Processors are applied to a region from tiles`() async throws {
        try put(try RegionScene.image(PyramidTests.size))
        _ = try await pipeline().pyramidTask(for: ImageRequest(path: "/a.png")).pyramid
        let serving = pipeline()
        var processed = request(.pixels(x: 10, y: 20, width: 300, height: 200))
        processed.processors = [ImageProcessors.Resize(size: PixelSize(width: 30, height: 30))]
        #expect(try await serving.image(for: processed).size == PixelSize(width: 30, height: 20))
        #expect(serving.statistics.decodes == 0)
    }

    @Test func `Tiles of a response serve as long as its validator is the same`() async throws {
        let image = try RegionScene.image(PyramidTests.size)
        let bytes = try PNGEncoder().encode(image)
        let url = "https://example.org/a.png"
        let loader = ScriptedLoader()
        var headers = HTTPHeaderFields()
        headers["ETag"] = "\"1\""
        loader.respond(to: url, with: bytes, headers: headers)
        let pipeline = pipeline { $0.dataLoader = loader }
        _ = try await pipeline.pyramidTask(for: ImageRequest(url: url)).pyramid
        var part = ImageRequest(url: url)
        part.region = .pixels(x: 300, y: 300, width: 40, height: 40)
        let response = try await pipeline.imageTask(with: part).response
        #expect(response.cacheType == .bitmap && pipeline.statistics.decodes == 0)
        // Another body, which a reload brings.
        headers["ETag"] = "\"2\""
        loader.respond(to: url, with: try PNGEncoder().encode(RegionScene.noise(PyramidTests.size)), headers: headers)
        part.options = .reloadIgnoringCachedData
        #expect(try await pipeline.imageTask(with: part).response.cacheType == nil)
        #expect(pipeline.statistics.decodes == 1)
    }

    @Test func `A source that says nothing of its changes has no pyramid`() async throws {
        let url = "https://example.org/a.png"
        let loader = ScriptedLoader()
        loader.respond(to: url, with: try PNGEncoder().encode(RegionScene.image(PyramidTests.size)))
        let pipeline = pipeline { $0.dataLoader = loader }
        do throws(ImageLoadingError) {
            _ = try await pipeline.pyramidTask(for: ImageRequest(url: url)).pyramid
            Issue.record("built")
        } catch {
            #expect(error.fault == .source)
        }
        #expect(disk.files.isEmpty)
    }

    @Test func `Failures say what is missing, and leave nothing`() async throws {
        try put(try RegionScene.image(PyramidTests.size))
        func fault(_ pipeline: ImagePipeline, _ path: String = "/a.png") async -> ImageLoadingError.Fault? {
            do throws(ImageLoadingError) {
                _ = try await pipeline.pyramidTask(for: ImageRequest(path: path)).pyramid
                return nil
            } catch {
                return error.fault
            }
        }
        #expect(await fault(pipeline { $0.bitmapStore = nil }) == .request)
        #expect(await fault(pipeline(), "/missing.png") == .source)
        let small = BitmapStoreLimits(freeSpaceShare: nil, pyramidBytes: 1 << 20)
        #expect(await fault(pipeline(limits: small)) == .limit)
        files["/cut.png"] = files["/a.png"].map { Data($0.prefix($0.count / 2)) }
        #expect(await fault(pipeline(), "/cut.png") == .data)
        let closed = pipeline()
        closed.invalidate()
        #expect(await fault(closed) == .pipeline)
        #expect(disk.files.isEmpty)
    }

    @Test func `Progress goes to the last row, and cancelling ends the task`() async throws {
        try put(try RegionScene.image(PyramidTests.size))
        let pipeline = pipeline()
        let task = try pipeline.pyramidTask(for: ImageRequest(path: "/a.png"))
        var last = ImageTask.Progress(completed: 0, total: nil)
        for await progress in task.progressUpdates { last = progress }
        _ = try await task.pyramid
        #expect(task.progress.fraction == 1 && last.completed <= 701)
        disk.removeTree("/tiles")
        var steps: [Int] = []
        try await self.pipeline().buildPyramid(for: ImageRequest(path: "/a.png")) { steps.append($0.completed) }
        #expect(steps.last ?? 0 <= 701 && steps == steps.sorted() && !disk.files.isEmpty)
        disk.removeTree("/tiles")
        let cancelled = try self.pipeline().pyramidTask(for: ImageRequest(path: "/a.png"))
        cancelled.cancel()
        do throws(ImageLoadingError) {
            _ = try await cancelled.pyramid
            Issue.record("built")
        } catch {
            #expect(error == .cancelled)
        }
    }

    private let url = "https://example.org/a.png"

    /// Returns a pipeline whose loader holds the response for an address.
    private func held(_ url: String) throws -> (ScriptedLoader, ImagePipeline) {
        let loader = ScriptedLoader()
        var headers = HTTPHeaderFields()
        headers["ETag"] = "\"1\""
        loader.respond(to: url, with: try PNGEncoder().encode(RegionScene.image(PyramidTests.size)), headers: headers)
        loader.hold(url)
        return (loader, pipeline { $0.dataLoader = loader })
    }

    @Test func `A cancelled task ends at once, and the others go on`() async throws {
        let (loader, pipeline) = try held(url)
        let first = try pipeline.pyramidTask(for: ImageRequest(url: url))
        let second = try pipeline.pyramidTask(for: ImageRequest(url: url))
        _ = await loader.waitForRequest(url)
        first.cancel()
        await #expect(throws: ImageLoadingError.cancelled) { _ = try await first.pyramid }
        for await _ in first.progressUpdates { Issue.record("progress of a cancelled task") }
        loader.release(url)
        #expect(try await second.pyramid.displaySize == PyramidTests.size)
        #expect(loader.requests.record.cancelled.isEmpty)
    }

    @Test func `The last cancelled task ends the download, and a later task builds anew`() async throws {
        let (loader, pipeline) = try held(url)
        let tasks = try (0..<3).map { _ in try pipeline.pyramidTask(for: ImageRequest(url: url)) }
        _ = await loader.waitForRequest(url)
        for task in tasks { task.cancel() }
        let later = try pipeline.pyramidTask(for: ImageRequest(url: url))
        await loader.requests.wait { $0.cancelled.map(\.url) == [url] }
        for task in tasks { await #expect(throws: ImageLoadingError.cancelled) { _ = try await task.pyramid } }
        _ = await loader.waitForRequest(url, number: 2)
        loader.release(url)
        #expect(try await later.pyramid.displaySize == PyramidTests.size)
    }
}

extension Bitmap {
    /// Averages blocks of `factor` × `factor` pixels.
    fileprivate func halved(_ factor: Int) throws -> Bitmap {
        if factor == 1 { return self }
        return try withUnsafeBytes { bytes in
            try Bitmap(size: PixelSize(width: size.width / factor, height: size.height / factor), isOpaque: isOpaque) {
                pixels in
                for y in 0..<pixels.size.height {
                    for at in 0..<pixels.size.width * 4 {
                        var sum = factor * factor / 2
                        for row in 0..<factor {
                            for column in 0..<factor {
                                let x = (at / 4 * factor + column) * 4 + at % 4
                                sum += Int(bytes[(y * factor + row) * bytesPerRow + x])
                            }
                        }
                        pixels.row(y).storeBytes(
                            of: UInt8(sum / (factor * factor)), toByteOffset: at, as: UInt8.self)
                    }
                }
            }
        }
    }
}
