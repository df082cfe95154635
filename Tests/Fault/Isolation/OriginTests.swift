import FirnData
import FirnImage
import FirnPipeline
import FirnSync
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnCodecs

@Suite("The origin of a file decides where it is decoded", .serialized)
struct OriginTests {
    private static let address = "https://example.org/a"
    /// Tells the programs of the tests apart: a zygote runs until the end of the process.
    private static let programs = Locked(0)

    private func file(_ format: ImageFormat) throws -> Data {
        let image = try Bitmap(size: PixelSize(width: 24, height: 16), format: .rgb8) { pixels in
            for y in 0..<16 { pixels.row(y).initializeMemory(as: UInt8.self, repeating: 90, count: 72) }
        }
        return try #require(ImageEncoders.encoder(for: format)).encode(image)
    }

    private func configuration(
        _ isolation: DecoderIsolation, _ file: Data, _ cache: ScriptedDataCache? = nil
    ) throws -> ImagePipeline.Configuration {
        let loader = ScriptedLoader()
        loader.respond(to: OriginTests.address, with: file)
        var configuration = ImagePipeline.Configuration(
            dataLoader: loader, decoders: try ImageDecoders.standard(isolation: isolation))
        configuration.dataCache = cache
        return configuration
    }

    /// Returns whether loading `request` starts a worker.
    private func startsWorker(
        _ request: ImageRequest, _ file: Data, cache: ScriptedDataCache? = nil
    ) async throws -> Bool {
        let number = OriginTests.programs.withLock { number in
            number += 1
            return number
        }
        let program = try NamedDecoder("firn-origin-\(number)", .automatic)
        defer { program.remove() }
        let pipeline = ImagePipeline(configuration: try configuration(program.isolation, file, cache))
        let image = try await pipeline.image(for: request)
        #expect(image.size == PixelSize(width: 24, height: 16))
        return program.hasStarted
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webp])
    func `data from a loader is decoded in a worker`(_ format: ImageFormat) async throws {
        #expect(try await startsWorker(ImageRequest(url: OriginTests.address), file(format)))
    }

    @Test func `data from a loader is decoded in a worker also when it comes from the data cache`() async throws {
        let file = try file(.jpeg)
        let cache = ScriptedDataCache()
        let request = ImageRequest(url: OriginTests.address)
        let first = ImagePipeline(configuration: try configuration(.none, file, cache))
        _ = try await first.image(for: request)
        await first.flush()
        #expect(cache.stores.count == 1)
        #expect(try await startsWorker(request, file, cache: cache))
        #expect(cache.hits.count == 1)
    }

    @Test func `bytes and closures of the program are decoded in place, and in a worker if the request is not trusted`()
        async throws
    {
        let file = try file(.jpeg)
        let inline = "data:image/jpeg;base64," + file.base64EncodedString()
        for request in [
            ImageRequest(id: "a", data: file), ImageRequest(id: "b", data: { file }), ImageRequest(url: inline),
        ] {
            #expect(try await !startsWorker(request, file))
        }
        var request = ImageRequest(url: inline)
        request.options = .untrustedAddress
        #expect(try await startsWorker(request, file))
    }

    @Test func `formats that Swift reads stay in place`() async throws {
        #expect(try await !startsWorker(ImageRequest(url: OriginTests.address), file(.bmp)))
    }

    @Test func `without the program a loader's files are decoded in place, and one event says so`() async throws {
        var isolation = DecoderIsolation.automatic
        isolation.decoderPath = "/nonexistent/firn-decoder"
        let events = Recorder<PipelineEvent>()
        var configuration = try configuration(isolation, file(.jpeg))
        configuration.observers = [events]
        configuration.imageCache = nil
        let pipeline = ImagePipeline(configuration: configuration)
        for _ in 0..<3 { _ = try await pipeline.image(for: ImageRequest(url: OriginTests.address)) }
        let recorded = await events.wait { $0.calls.count { $0.name == .taskEnded } == 3 }
        #expect(recorded.calls.count { $0.name == .isolationUnavailable } == 1)
    }

    @Test func `a required program that is missing is an error for a loader's files`() {
        var isolation = DecoderIsolation.none
        isolation.loadedFormats = [.jpeg]
        isolation.decoderPath = "/nonexistent/firn-decoder"
        #expect(throws: ImageError.self) { try isolation.check() }
    }
}
