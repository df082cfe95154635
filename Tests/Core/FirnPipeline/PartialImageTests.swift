import FirnCache
import FirnCodecs
import FirnData
import FirnImage
import FirnPipeline
import FirnProcessing
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

/// Tests requests for which a file that is cut short is shown as far as it goes.
@Suite(.timeLimit(.minutes(5)))
struct PartialImageTests {
    private static let size = PixelSize(width: 600, height: 500)
    private static let url = "https://example.org/cut.jpg"
    private static let file: Data = {
        let image = try? Bitmap(size: size, format: .rgb8) { pixels in
            for y in 0..<size.height {
                for x in 0..<3 * size.width {
                    pixels.row(y).storeBytes(of: UInt8(truncatingIfNeeded: x * y), toByteOffset: x, as: UInt8.self)
                }
            }
        }
        return image.flatMap { try? JPEGEncoder(quality: 0.9).encode($0) } ?? Data()
    }()
    private static var cut: Data { file.prefix(file.count / 2) }

    private func pipeline(
        _ loader: ScriptedLoader, _ data: (any DataCaching)? = nil
    ) -> (ImagePipeline, ImageCache) {
        let memory = ImageCache()
        var configuration = ImagePipeline.Configuration(dataLoader: loader, decoders: ImageDecoders.standard)
        configuration.imageCache = memory
        configuration.dataCache = data
        return (ImagePipeline(configuration: configuration), memory)
    }

    private func request(_ change: (inout ImageRequest) -> Void = { _ in }) -> ImageRequest {
        var request = ImageRequest(url: PartialImageTests.url, options: .allowPartial)
        change(&request)
        return request
    }

    @Test func `An image of a truncated file reports the missing part, and enters no cache`() async throws {
        let loader = ScriptedLoader()
        loader.respond(to: PartialImageTests.url, with: PartialImageTests.cut)
        let disk = ScriptedDataCache()
        let (pipeline, memory) = pipeline(loader, disk)
        for number in 1...2 {
            let response = try await pipeline.imageTask(with: request()).response
            #expect(!response.isComplete && !response.isPreview && response.cacheType == nil)
            #expect(response.container.damage?.fault == .data)
            #expect(response.image.size == PartialImageTests.size && !response.image.isOpaque)
            await pipeline.flush()
            #expect(memory.statistics.count == 0 && disk.entries.isEmpty)
            #expect(loader.transfers(PartialImageTests.url).count == number)
        }
    }

    @Test func `Sizes, regions and processors of it are incomplete, too`() async throws {
        let loader = ScriptedLoader()
        loader.respond(to: PartialImageTests.url, with: PartialImageTests.cut)
        let (pipeline, memory) = pipeline(loader)
        let counter = Counter()
        let requests = [
            request { $0.targetSize = TargetSize(200) },
            request { $0.region = .pixels(x: 100, y: 10, width: 200, height: 400) },
            request { $0.processors = [CountingProcessor(identifier: "a", counter: counter, forgets: true)] },
            request { $0.pixelFormat = .rgb8 },
        ]
        for request in requests {
            #expect(try await !pipeline.imageTask(with: request).response.isComplete, "\(request)")
        }
        #expect(counter.count == 1 && memory.statistics.count == 0)
    }

    @Test func `A request without the option fails beside one that has it`() async throws {
        let loader = ScriptedLoader()
        loader.respond(to: PartialImageTests.url, with: PartialImageTests.cut)
        loader.hold(PartialImageTests.url)
        let (pipeline, _) = pipeline(loader)
        let partial = pipeline.imageTask(with: request())
        let strict = pipeline.imageTask(with: request { $0.options = [] })
        _ = await loader.waitForRequest(PartialImageTests.url)
        loader.release(PartialImageTests.url)
        #expect(try await !partial.response.isComplete)
        await #expect(throws: ImageLoadingError.self) { try await strict.response }
        #expect(loader.transfers(PartialImageTests.url).count == 1)
    }

    @Test func `A whole image is the same with the option, and both requests find it in memory`() async throws {
        let loader = ScriptedLoader()
        loader.respond(to: PartialImageTests.url, with: PartialImageTests.file)
        let (pipeline, _) = pipeline(loader)
        for format in [PixelFormat.bgra8Premultiplied, .rgb8] {
            let first = try await pipeline.imageTask(with: request { $0.pixelFormat = format }).response
            #expect(first.isComplete && first.cacheType == nil)
            let second = request {
                $0.pixelFormat = format
                $0.options = []
            }
            #expect(try await pipeline.imageTask(with: second).response.cacheType == .memory)
        }
    }

    @Test func `Bytes that arrive damaged are waited for to their end`() async throws {
        let image = try session(PartialImageTests.file).decode(DecodingOptions())
        var file = try PNGEncoder().encode(image)
        let middle = file.count / 2
        file.replaceSubrange(middle..<middle + 200, with: Data(count: 200))
        let loader = ScriptedLoader()
        loader.respondByHand(to: PartialImageTests.url)
        let (pipeline, memory) = pipeline(loader)
        let task = pipeline.imageTask(with: request())
        let transfer = await loader.waitForRequest(PartialImageTests.url)
        transfer.respond(
            DataResponse(
                url: PartialImageTests.url, status: 200, headers: HTTPHeaderFields(), expectedLength: file.count))
        for start in stride(from: 0, to: file.count, by: file.count / 9) {
            transfer.send(file[start..<min(file.count, start + file.count / 9)])
        }
        transfer.finish()
        let response = try await task.response
        #expect(!response.isComplete && response.image.size == PartialImageTests.size)
        #expect(memory.statistics.count == 0)
    }

    @Test func `A damaged entry of the data cache is loaded again`() async throws {
        let loader = ScriptedLoader()
        loader.respond(to: PartialImageTests.url, with: PartialImageTests.file)
        let disk = ScriptedDataCache([request().dataCacheKey: DataCacheEntry(data: PartialImageTests.cut)])
        let (pipeline, _) = pipeline(loader, disk)
        let response = try await pipeline.imageTask(with: request()).response
        #expect(response.isComplete && loader.transfers(PartialImageTests.url).count == 1)
    }

    @Test func `A file of this machine is shown as far as it goes, and again once it is whole`() async throws {
        let files = InMemoryFileSystem()
        files["/images/a.jpg"] = PartialImageTests.cut
        let pipeline = ImagePipeline.reading(files, memory: true) { _ in }
        let request = ImageRequest(path: "/images/a.jpg", options: .allowPartial)
        #expect(try await !pipeline.imageTask(with: request).response.isComplete)
        files["/images/new.jpg"] = PartialImageTests.file
        try files.rename("/images/new.jpg", to: "/images/a.jpg")
        #expect(try await pipeline.imageTask(with: request).response.isComplete)
    }

    private func session(_ data: Data) throws -> any ImageDecodingSession {
        let decoder = try #require(ImageDecoders.standard.first { $0.recognizes(data) != nil })
        let session = decoder.makeSession(limits: ImageLimits(), cancellation: CancellationFlag())
        try session.append(data)
        session.finish()
        return session
    }
}
