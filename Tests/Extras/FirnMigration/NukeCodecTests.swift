import Firn
import FirnMigration
import FirnSync
import FirnTesting
import Foundation
import TestSupport
import Testing

/// Decoders, processors and encoders as they were written for Nuke.
@Suite(.timeLimit(.minutes(5))) struct NukeCodecTests {
    /// Takes "WIDTH HEIGHT": nothing of Firn's interface but the protocol's name.
    private struct TextDecoder: NukeImageDecoding {
        func decode(_ data: Data) throws -> ImageContainer {
            let sides = String(decoding: data, as: UTF8.self).split(separator: " ").compactMap { Int($0) }
            guard sides.count == 2 else { throw CocoaError(.fileReadCorruptFile) }
            return ImageContainer(image: try Bitmap(size: PixelSize(width: sides[0], height: sides[1])) { _ in })
        }

        func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer? {
            (try? Bitmap(size: PixelSize(width: 6, height: 4)) { _ in }).map { ImageContainer(image: $0) }
        }
    }

    private struct Cropping: NukeImageProcessing {
        let identifier = "cropping"
        let isFailing: Bool

        func process(_ image: Bitmap) -> Bitmap? {
            isFailing ? nil : try? Bitmap(size: PixelSize(width: 1, height: image.size.height)) { _ in }
        }
    }

    private struct TextEncoder: NukeImageEncoding {
        let isFailing: Bool

        func encode(_ image: Bitmap) -> Data? {
            isFailing ? nil : Data("\(image.size.width) \(image.size.height)".utf8)
        }
    }

    private static let url = "https://example.org/a"

    private func pipeline(
        _ loader: ScriptedLoader, _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) -> ImagePipeline {
        var configuration = ImagePipeline.Configuration(dataLoader: loader, decoders: [])
        configuration.makeImageDecoder = { _ in TextDecoder() }
        change(&configuration)
        return ImagePipeline(configuration: configuration)
    }

    @Test func `A decoder of whole data decodes the images of a pipeline`() async throws {
        let loader = ScriptedLoader()
        loader.respond(to: Self.url, with: Data("6 4".utf8))
        let image = try await pipeline(loader).image(for: Self.url)
        #expect(image.size == PixelSize(width: 6, height: 4))
    }

    @Test func `A decoder of whole data returns the size and layout of the request`() async throws {
        let loader = ScriptedLoader()
        loader.respond(to: Self.url, with: Data("60 40".utf8))
        var request = ImageRequest(url: Self.url, targetSize: TargetSize(6))
        request.pixelFormat = .rgba8Straight
        let image = try await pipeline(loader).image(for: request)
        #expect(image.size == PixelSize(width: 6, height: 4))
        #expect(image.format == .rgba8Straight)
    }

    @Test func `An error of a decoder fails the request at the stage of decoding`() async {
        let loader = ScriptedLoader()
        loader.respond(to: Self.url, with: Data("nothing".utf8))
        do throws(ImageLoadingError) {
            _ = try await pipeline(loader).image(for: Self.url)
            Issue.record("there is no image in this")
        } catch {
            #expect(error.stage == .decoding)
            #expect(error.fault == .data)
        }
    }

    @Test func `Sessions over whole data wait for the end, show previews and keep the byte limit`() throws {
        var limits = TextDecoder.limits
        limits.maximumBytes = 5
        let session = TextDecoder().makeSession(limits: limits, cancellation: CancellationFlag())
        try session.append(Data("6".utf8))
        #expect(try session.properties()?.size == PixelSize(width: 6, height: 4))
        #expect(try session.preview(DecodingOptions())?.size == PixelSize(width: 6, height: 4))
        #expect(try session.preview(DecodingOptions()) == nil)
        #expect(throws: (any Error).self) { try session.decode(DecodingOptions()) }
        try session.append(Data(" 4".utf8))
        #expect(throws: (any Error).self) { try session.append(Data("000".utf8)) }
        session.finish()
        #expect(try session.decode(DecodingOptions()).size == PixelSize(width: 6, height: 4))
    }

    @Test func `Every pipeline uses a registered decoder`() async throws {
        let url = "https://example.org/registered"
        let loader = ScriptedLoader()
        loader.respond(to: url, with: Data("3 2".utf8))
        ImageDecoderRegistry.shared.register { $0.request.description == url ? TextDecoder() : nil }
        defer { ImageDecoderRegistry.shared.clear() }
        let plain = ImagePipeline(configuration: ImagePipeline.Configuration(dataLoader: loader, decoders: []))
        #expect(try await plain.image(for: url).size == PixelSize(width: 3, height: 2))
    }

    @Test func `A separate registry is not shared, and its last decoder comes first`() throws {
        let registry = ImageDecoderRegistry()
        let context = ImageDecodingContext(request: "https://example.org/b", data: Data("1 1".utf8))
        #expect(registry.decoder(for: context) == nil)
        registry.register { _ in TextDecoder() }
        registry.register { $0.data.isEmpty ? TextDecoder() : nil }
        #expect(registry.decoder(for: context) is TextDecoder)
        registry.clear()
        #expect(registry.decoder(for: context) == nil)
    }

    @Test func `An unregistered closure is not called, and the others stay`() throws {
        let registry = ImageDecoderRegistry()
        let context = ImageDecodingContext(request: "https://example.org/b", data: Data("1 1".utf8))
        let first = registry.register { _ in TextDecoder() }
        let second = registry.register { _ in nil }
        registry.unregister(second)
        #expect(registry.decoder(for: context) is TextDecoder)
        registry.unregister(first)
        #expect(registry.decoder(for: context) == nil)
    }

    @Test func `A processor of bitmaps runs, and returning nil fails the request`() async throws {
        let loader = ScriptedLoader()
        loader.respond(to: Self.url, with: Data("6 4".utf8))
        let pipeline = pipeline(loader)
        let request = ImageRequest(url: Self.url, processors: [Cropping(isFailing: false)])
        #expect(try await pipeline.image(for: request).size == PixelSize(width: 1, height: 4))
        do throws(ImageLoadingError) {
            _ = try await pipeline.image(for: ImageRequest(url: Self.url, processors: [Cropping(isFailing: true)]))
            Issue.record("the processor gave no image")
        } catch {
            #expect(error.stage == .processing)
        }
    }

    @Test(arguments: [false, true])
    func `An encoder of bitmaps writes the entries of the data cache`(isFailing: Bool) async throws {
        let loader = ScriptedLoader()
        loader.respond(to: Self.url, with: Data("6 4".utf8))
        let files = InMemoryFileSystem(now: { .zero })
        let cache = DataCache(directory: "/cache", fileSystem: files, now: { .zero })
        let pipeline = pipeline(loader) {
            $0.dataCache = cache
            $0.dataCachePolicy = .storeEncodedImages
            $0.makeImageEncoder = { _ in TextEncoder(isFailing: isFailing) }
        }
        let request = ImageRequest(url: Self.url, processors: [Cropping(isFailing: false)])
        _ = try await pipeline.image(for: request)
        await pipeline.flush()
        let count = await cache.settledCount()
        #expect(count == (isFailing ? 0 : 1))
    }
}

extension NukeImageDecoding {
    /// The limits that pipelines have by default.
    fileprivate static var limits: ImageLimits { ImageLimits() }
}

extension DataCache {
    /// The number of entries once nothing waits to be written.
    fileprivate func settledCount() async -> Int {
        flush()
        return totalCount
    }
}
