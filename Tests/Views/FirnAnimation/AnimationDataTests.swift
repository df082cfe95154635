import FirnAnimation
import FirnCache
import FirnCodecs
import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

/// Tests which bytes of an animation's file are kept, so that it plays without another load.
@Suite(.timeLimit(.minutes(5))) struct `Bytes of animations` {
    private static let url = "https://example.org/moving"
    private let request = ImageRequest(url: url)

    /// One animation of each format in this build.
    static let animations: [Data] = {
        var animations = AnimationSamples.all
        #if AVIF
        animations.append(ModernSamples.animatedAVIF)
        #endif
        #if JPEGXL
        animations.append(ModernSamples.animatedJXL)
        #endif
        return animations
    }()

    private func fixture(
        memory: Bool = true, _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) -> PipelineFixture {
        PipelineFixture(memory: memory) {
            $0.decoders = ImageDecoders.standard
            change(&$0)
        }
    }

    /// Returns the number of frames that the bytes alone have.
    private func frames(of data: Data) throws -> Int {
        let decoder = ImageDecoder()
        try decoder.setData(data, allDataReceived: true)
        return decoder.frameCount
    }

    @Test(arguments: animations, [7, Int.max])
    func `Frames of any format are decoded from the bytes that were loaded, without a data cache`(
        data: Data, chunk: Int
    ) async throws {
        let fixture = fixture()
        fixture.loader.respond(to: Self.url, with: data, chunkSize: chunk)
        let loaded = try await fixture.pipeline.imageTask(with: request).response
        let hit = try await fixture.pipeline.imageTask(with: request).response
        #expect(hit.cacheType == .memory)
        for response in [loaded, hit] {
            #expect(response.container.isAnimated && response.container.data == data)
            let decoder = try #require(fixture.pipeline.animationDecoder(for: response))
            #expect(try decoder.frameCount == frames(of: data) && decoder.frameCount > 1)
            _ = try decoder.frame(at: decoder.frameCount - 1).image()
        }
        #expect(fixture.loader.transfers(Self.url).count == 1)
    }

    @Test func `The bytes count in the memory cache`() async throws {
        let cache = ImageCache()
        let fixture = fixture(memory: false) { $0.imageCache = cache }
        fixture.loader.respond(to: Self.url, with: AnimationSamples.gif)
        let image = try await fixture.pipeline.image(for: request)
        #expect(cache.statistics.bytes == image.cost + AnimationSamples.gif.count)
    }

    @Test func `The bytes of the data cache serve, too`() async throws {
        let disk = DataCache(directory: "/cache", fileSystem: InMemoryFileSystem())
        let first = fixture { $0.dataCache = disk }
        first.loader.respond(to: Self.url, with: AnimationSamples.webp)
        _ = try await first.pipeline.image(for: request)
        await first.pipeline.flush()
        let second = fixture { $0.dataCache = disk }
        let response = try await second.pipeline.imageTask(with: request).response
        #expect(response.cacheType == .disk && second.loader.requests.isEmpty)
        #expect(second.pipeline.animationDecoder(for: response)?.frameCount == 4)
    }

    @Test func `A local file is opened again, and its bytes are not held`() async throws {
        let files = InMemoryFileSystem()
        files["/moving.gif"] = AnimationSamples.gif
        let fixture = fixture { $0.files = files }
        let request = ImageRequest(path: "/moving.gif")
        let response = try await fixture.pipeline.imageTask(with: request).response
        #expect(response.container.isAnimated && response.container.data == nil)
        let decoder = try #require(fixture.pipeline.animationDecoder(for: response))
        #expect(decoder.frameCount == 4)
        _ = try decoder.frame(at: 3).image()
        files["/moving.gif"] = AnimationSamples.apng
        try files.touch("/moving.gif", modified: 5)
        #expect(fixture.pipeline.animationDecoder(for: response) == nil)
    }

    @Test func `Bytes in the request and data addresses are decoded directly`() async throws {
        let fixture = fixture()
        let inline = ImageRequest(url: "data:image/gif;base64,\(AnimationSamples.gif.base64EncodedString())")
        for request in [inline, ImageRequest(id: "bytes", data: AnimationSamples.gif)] {
            let response = try await fixture.pipeline.imageTask(with: request).response
            #expect(fixture.pipeline.animationDecoder(for: response)?.frameCount == 4)
        }
    }

    @Test func `Stills and files of several pages keep no bytes`() async throws {
        let still = HandmadeGIF(
            width: 2, height: 2, frames: [.init(width: 2, height: 2, indices: [0, 1, 2, 3])]
        ).data
        let fixture = fixture()
        for (index, data) in [still, icon].enumerated() {
            let response = try await fixture.pipeline.imageTask(with: ImageRequest(id: "\(index)", data: data)).response
            #expect(!response.container.isAnimated && response.container.data == nil)
            #expect(fixture.pipeline.animationDecoder(for: response) == nil)
        }
    }

    @Test func `Processed images and images of other sizes in memory keep the bytes`() async throws {
        let fixture = fixture()
        fixture.loader.respond(to: Self.url, with: AnimationSamples.gif)
        _ = try await fixture.pipeline.image(for: request)
        let small = ImageRequest(url: Self.url, targetSize: TargetSize(2))
        let forgetful = CountingProcessor(identifier: "forgets", counter: Counter(), forgets: true)
        for request in [small, ImageRequest(url: Self.url, processors: [forgetful])] {
            let response = try await fixture.pipeline.imageTask(with: request).response
            #expect(response.container.data == AnimationSamples.gif)
            #expect(fixture.pipeline.animationDecoder(for: response)?.frameCount == 4)
        }
        #expect(fixture.loader.transfers(Self.url).count == 1)
    }

    @Test func `The bitmap store keeps no first frames, which could not be played`() async throws {
        let files = InMemoryFileSystem()
        files["/moving.gif"] = AnimationSamples.gif
        let fixture = fixture(memory: false) {
            $0.files = files
            $0.bitmapStore = BitmapStore(directory: "/bitmaps", limits: .init(), fileSystem: files)
        }
        _ = try await fixture.pipeline.image(for: ImageRequest(path: "/moving.gif"))
        await fixture.pipeline.flush()
        let response = try await fixture.pipeline.imageTask(with: ImageRequest(path: "/moving.gif")).response
        #expect(response.cacheType == nil && response.container.isAnimated)
    }

    /// An icon with two sizes, which are frames for a decoder and have no durations.
    private var icon: Data {
        let images = [1, 2].map { side in
            let row = [UInt8](repeating: 9, count: side * 4)
            return Array(
                HandmadePNG(width: side, height: side, colorType: 6, rows: [[UInt8]](repeating: row, count: side)).data)
        }
        var bytes = little(0, 2) + little(1, 2) + little(images.count, 2)
        var offset = 6 + images.count * 16
        for image in images {
            bytes += [UInt8](repeating: 0, count: 8) + little(image.count, 4) + little(offset, 4)
            offset += image.count
        }
        return Data(bytes + images.flatMap { $0 })
    }

    // MARK: While the bytes arrive

    /// An animation of two frames, and the end of the first one. Both are large enough to be decoded while they arrive.
    private static let large: (data: Data, firstFrame: Int) = {
        let side = 500
        let frames = [UInt8(0), 1].map { index in
            HandmadeGIF.Frame(
                width: side, height: side, indices: [UInt8](repeating: index, count: side * side), delay: 5)
        }
        let whole = HandmadeGIF(width: side, height: side, frames: frames).data
        let first = HandmadeGIF(width: side, height: side, frames: [frames[0]]).data
        return (whole, first.count - 1)
    }()

    @Test func `A GIF whose second frame arrives late is shown, and ends with its last byte`() async throws {
        let fixture = fixture()
        fixture.loader.respondByHand(to: Self.url)
        let task = fixture.pipeline.imageTask(with: request)
        var previews = task.previews.makeAsyncIterator()
        let transfer = await fixture.loader.waitForRequest(Self.url)
        let (data, end) = Self.large
        transfer.respond(DataResponse(url: Self.url, status: 200, expectedLength: data.count))
        transfer.send(data.prefix(end))
        let preview = try #require(await previews.next())
        #expect(preview.isPreview && fixture.pipeline.animationDecoder(for: preview) == nil)
        #expect(task.state == .running)
        transfer.send(data[end...])
        transfer.finish()
        let response = try await task.response
        #expect(response.container.data == data)
        #expect(fixture.pipeline.animationDecoder(for: response)?.frameCount == 2)
        #expect(fixture.loader.transfers(Self.url).count == 1)
    }

    @Test func `A pipeline that keeps no animation data ends the load with the first frame`() async throws {
        let fixture = fixture { $0.keepsAnimationData = false }
        fixture.loader.respondByHand(to: Self.url)
        let task = fixture.pipeline.imageTask(
            with: ImageRequest(url: Self.url, targetSize: TargetSize(50)))
        let transfer = await fixture.loader.waitForRequest(Self.url)
        let (data, end) = Self.large
        transfer.respond(DataResponse(url: Self.url, status: 200, expectedLength: data.count))
        transfer.send(data.prefix(end))
        let response = try await task.response
        #expect(response.container.data == nil)
        #expect(fixture.pipeline.animationDecoder(for: response) == nil)
        await fixture.loader.requests.wait { $0.ended.count == 1 }
        #expect(transfer.isCancelled)
    }
}
