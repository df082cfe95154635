import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import Testing

/// Tests requests for opaque pixel layouts when the file's alpha is unknown.
@Suite(.timeLimit(.minutes(5)))
struct PixelLayoutTests {
    @Test(arguments: [(false, PixelFormat.rgb8), (true, .bgra8Premultiplied)])
    func `An opaque layout is met unless the image may be transparent`(
        hasAlpha: Bool, expected: PixelFormat
    ) async throws {
        let loader = ScriptedLoader()
        loader.respond(to: "https://example.org/a", with: Data("layout".utf8))
        let pipeline = ImagePipeline(
            configuration: ImagePipeline.Configuration(
                dataLoader: loader, decoders: [LayoutDecoder(hasAlpha: hasAlpha)]))
        var request = ImageRequest(url: "https://example.org/a")
        request.pixelFormat = .rgb8
        let image = try await pipeline.image(for: request)
        #expect(image.format == expected)
    }
}

/// A decoder of images of one pixel that refuses an opaque layout for an image with alpha, as real decoders do.
private struct LayoutDecoder: ImageDecoding {
    let hasAlpha: Bool

    func recognizes(_ head: Data) -> ImageFormat? { ImageFormat(rawValue: "layout") }

    func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        Session(hasAlpha: hasAlpha)
    }

    private final class Session: ImageDecodingSession {
        let hasAlpha: Bool
        init(hasAlpha: Bool) { self.hasAlpha = hasAlpha }

        func append(_ data: Data) {}
        func finish() {}

        func properties() -> ImageProperties? {
            var properties = ImageProperties(
                format: ImageFormat(rawValue: "layout"), size: PixelSize(width: 1, height: 1))
            properties.hasAlpha = hasAlpha
            return properties
        }

        func workingBytes(for options: DecodingOptions) -> Int { 0 }

        func decode(_ options: DecodingOptions) throws(ImageError) -> Bitmap {
            if hasAlpha, !options.pixelFormat.hasAlpha {
                throw ImageError(.unsupported, at: .decoding, "has transparency")
            }
            do {
                return try Bitmap(size: PixelSize(width: 1, height: 1), format: options.pixelFormat) { _ in }
            } catch {
                throw ImageError(.limit, at: .decoding, "\(error)")
            }
        }
    }
}
