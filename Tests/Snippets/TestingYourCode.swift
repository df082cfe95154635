import Firn
import FirnTesting
import FoundationEssentials
import Testing

// snippet.tested-code
/// Loads the avatars of users, and a drawn one for users who have none.
struct AvatarLoader {
    let pipeline: ImagePipeline
    let fallback: Bitmap

    func avatar(of user: String) async throws -> Bitmap {
        let request = ImageRequest(
            url: "https://example.org/avatars/\(user)", targetSize: TargetSize(64))
        do {
            return try await pipeline.image(for: request)
        } catch {
            guard error.statusCode == 404 else { throw error }
            return fallback
        }
    }
}
// snippet.end

/// The code of the page "Testing your own code", run.
@Suite(.timeLimit(.minutes(2)))
struct TestingYourCode {
    private let fallback: Bitmap

    init() throws {
        fallback = try Bitmap(size: PixelSize(1)) { _ in }
    }

    private func url(_ name: String) -> String { "https://example.org/avatars/\(name)" }

    @Test func `A loaded avatar has the size asked for`() async throws {
        // snippet.tested-success
        let loader = ScriptedLoader()
        loader.respond(
            to: "https://example.org/avatars/ada",
            with: ScriptedDecoder.image(PixelSize(640)))
        let pipeline = ImagePipeline(
            configuration: ImagePipeline.Configuration(
                dataLoader: loader, decoders: [ScriptedDecoder()]))
        let avatars = AvatarLoader(pipeline: pipeline, fallback: fallback)

        let avatar = try await avatars.avatar(of: "ada")
        #expect(avatar.size == PixelSize(64))
        #expect(loader.requests.calls.map(\.url) == ["https://example.org/avatars/ada"])
        // snippet.end
    }

    @Test func `A missing avatar is replaced, a lost connection is an error`() async throws {
        let loader = ScriptedLoader()
        let pipeline = ImagePipeline(
            configuration: ImagePipeline.Configuration(dataLoader: loader, decoders: [ScriptedDecoder()]))
        let avatars = AvatarLoader(pipeline: pipeline, fallback: fallback)
        // snippet.tested-failure
        loader.fail(
            "https://example.org/avatars/unknown",
            with: DataLoadingError(.status(404), "not found"))
        #expect(try await avatars.avatar(of: "unknown").size == fallback.size)

        loader.fail(
            "https://example.org/avatars/ada",
            with: DataLoadingError(.connection, "connection reset"))
        await #expect(throws: ImageLoadingError.self) { try await avatars.avatar(of: "ada") }
        // snippet.end
    }

    @Test func `Cancelling a task cancels its transfer`() async throws {
        let loader = ScriptedLoader()
        let pipeline = ImagePipeline(
            configuration: ImagePipeline.Configuration(dataLoader: loader, decoders: [ScriptedDecoder()]))
        // snippet.tested-cancel
        loader.hold("https://example.org/avatars/ada")
        let task = pipeline.imageTask(with: "https://example.org/avatars/ada")
        let transfer = await loader.waitForRequest("https://example.org/avatars/ada")
        task.cancel()
        await loader.requests.wait { $0.cancelled.count == 1 }
        #expect(transfer.isCancelled)
        // snippet.end
    }

    @Test func `A second load is served by the caches`() async throws {
        let loader = ScriptedLoader()
        loader.respond(to: url("ada"), with: ScriptedDecoder.image(PixelSize(64)))
        // snippet.tested-caches
        let images = ScriptedImageCache()
        let bytes = ScriptedDataCache()
        var configuration = ImagePipeline.Configuration(
            dataLoader: loader, decoders: [ScriptedDecoder()])
        configuration.imageCache = images
        configuration.dataCache = bytes
        let pipeline = ImagePipeline(configuration: configuration)

        for _ in 0..<2 {
            _ = try await pipeline.image(for: "https://example.org/avatars/ada")
        }
        #expect(images.stores.count == 1)
        #expect(images.hits.count == 1)
        // The data cache is written after the task has ended.
        await bytes.stores.wait { $0.calls.count == 1 }
        #expect(bytes.entries.keys.contains("https://example.org/avatars/ada"))
        // snippet.end
        #expect(loader.requests.count == 1)
    }

    @Test func `A full disk fails no load`() async throws {
        let loader = ScriptedLoader()
        loader.respond(to: url("ada"), with: ScriptedDecoder.image(PixelSize(64)))
        var configuration = ImagePipeline.Configuration(dataLoader: loader, decoders: [ScriptedDecoder()])
        // snippet.tested-full-disk
        let bytes = ScriptedDataCache()
        bytes.failWrites(with: DataCachingError("/cache: no space left on device", code: 28))
        let events = Recorder<PipelineEvent>()
        configuration.dataCache = bytes
        configuration.observers = [events]
        let pipeline = ImagePipeline(configuration: configuration)

        _ = try await pipeline.image(for: "https://example.org/avatars/ada")
        await events.wait { $0.calls.contains { $0.name == .dataCacheFailed } }
        #expect(bytes.entries.isEmpty)
        // snippet.end
    }

    @Test func `A processed image is stored encoded`() async throws {
        let loader = ScriptedLoader()
        loader.respond(to: url("ada"), with: ScriptedDecoder.image(PixelSize(64)))
        var configuration = ImagePipeline.Configuration(dataLoader: loader, decoders: [ScriptedDecoder()])
        let bytes = ScriptedDataCache()
        configuration.dataCache = bytes
        // snippet.tested-processor
        let halving = ScriptedProcessor(identifier: "half") { container in
            var container = container
            let size = container.image.size
            container.image = try container.image.resized(
                to: PixelSize(width: size.width / 2, height: size.height / 2))
            return container
        }
        let encoder = ScriptedEncoder()
        configuration.makeImageEncoder = { _ in encoder }
        configuration.dataCachePolicy = .storeEncodedImages
        let pipeline = ImagePipeline(configuration: configuration)

        let request = ImageRequest(
            url: "https://example.org/avatars/ada", processors: [halving])
        #expect(try await pipeline.image(for: request).size == PixelSize(32))
        await encoder.sizes.wait { $0.calls == [PixelSize(32)] }
        #expect(halving.sizes.calls == [PixelSize(64)])
        // snippet.end
    }

    @Test func `Code that waits is moved by a clock of the test`() async throws {
        // snippet.tested-clock
        let clock = ManualClock()
        // Sleeps: on this clock, which the test moves.
        async let slept: Void = clock.sleep(for: .seconds(60))
        try await eventually { clock.sleeperCount == 1 }
        clock.advance(by: .seconds(60))
        try await slept
        #expect(clock.elapsed == .seconds(60))
        // snippet.end
    }
}
