import AvatarLoader
import FirnTesting
import Testing

/// Tests an application with a pipeline of fakes: no network, no disk, no sleep.
@Suite(.timeLimit(.minutes(1)))
struct AvatarLoaderTests {
    private let loader = ScriptedLoader()
    private let cache = ScriptedImageCache()
    private let avatars: AvatarLoader

    init() throws {
        var configuration = ImagePipeline.Configuration(dataLoader: loader, decoders: [ScriptedDecoder()])
        configuration.imageCache = cache
        avatars = AvatarLoader(
            pipeline: ImagePipeline(configuration: configuration),
            fallback: try Bitmap(size: PixelSize(1)) { _ in })
    }

    @Test func `An avatar is loaded once, at the size shown`() async throws {
        loader.respond(
            to: "https://example.org/avatars/ada", with: ScriptedDecoder.image(PixelSize(640)))
        for _ in 0..<2 {
            #expect(try await avatars.avatar(of: "ada").size == PixelSize(64))
        }
        #expect(loader.requests.count == 1)
        #expect(cache.hits.count == 1)
    }

    @Test func `A user without an avatar gets the drawn one`() async throws {
        #expect(try await avatars.avatar(of: "nobody").size == PixelSize(1))
    }

    @Test func `A lost connection is an error`() async {
        loader.fail("https://example.org/avatars/ada", with: DataLoadingError(.connection, "connection reset"))
        await #expect(throws: ImageLoadingError.self) { try await avatars.avatar(of: "ada") }
    }
}
