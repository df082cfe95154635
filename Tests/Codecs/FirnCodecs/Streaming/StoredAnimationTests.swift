import Firn
import FirnCache
import FirnCodecs
import FirnImage
import FirnPipeline
import FirnProcessing
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

/// Tests animations in the data cache.
@Suite(.timeLimit(.minutes(5))) struct StoredAnimationTests {
    private static let url = "https://example.org/a.gif"
    private let files = InMemoryFileSystem()
    private let loader = ScriptedLoader()

    /// Returns a new pipeline over the same files: the next launch of a program.
    private func launch(_ policy: ImagePipeline.DataCachePolicy) -> ImagePipeline {
        var configuration = ImagePipeline.Configuration(dataLoader: loader, decoders: ImageDecoders.standard)
        configuration.dataCache = DataCache(directory: "/cache", fileSystem: files)
        configuration.dataCachePolicy = policy
        configuration.imageEncoder = ImageEncoders.processed
        return ImagePipeline(configuration: configuration)
    }

    /// The same address in full size, reduced, and processed.
    private static let requests = [
        ImageRequest(url: url),
        ImageRequest(url: url, targetSize: TargetSize(width: 6, height: 4)),
        ImageRequest(url: url, processors: [ImageProcessors.GaussianBlur(radius: 1)]),
    ]

    /// An animation of each format that this build decodes.
    struct Animation: CustomTestStringConvertible, Sendable {
        let format: ImageFormat
        let file: Data

        var testDescription: String { format.rawValue }
    }

    private static let animations: [Animation] = [
        Animation(format: .gif, file: PlainGIF.data(width: 12, height: 8, count: 5, hundredths: 7)),
        Animation(format: .apng, file: AnimationSamples.apng), Animation(format: .webp, file: AnimationSamples.webp),
        Animation(format: .avif, file: ModernSamples.animatedAVIF),
        Animation(format: .jxl, file: ModernSamples.animatedJXL),
    ].filter { animation in ImageDecoders.standard.contains { $0.recognizes(animation.file) != nil } }

    /// A frame as it is shown.
    private struct Frame: Equatable {
        let duration: Duration?
        let size: PixelSize
        let pixels: [UInt8]
    }

    private func frames(_ file: Data) throws -> (frames: [Frame], plays: RepetitionCount?) {
        let decoder = ImageDecoder()
        try decoder.setData(file, allDataReceived: true)
        var options = DecodingOptions()
        options.pixelFormat = .rgba8Straight
        let frames = try (0..<decoder.frameCount).map { index in
            let image = try decoder.frame(at: index, options: options).image()
            let pixels = image.withUnsafeBytes { bytes in
                (0..<image.size.height).flatMap { row in
                    Array(bytes[row * image.bytesPerRow..<row * image.bytesPerRow + 4 * image.size.width])
                }
            }
            return Frame(duration: decoder.frameDuration(at: index), size: image.size, pixels: pixels)
        }
        return (frames, decoder.repetitionCount)
    }

    @Test(arguments: ImagePipeline.DataCachePolicy.allCases, animations)
    func `An animation's frames, durations and plays survive the disk cache (F19)`(
        policy: ImagePipeline.DataCachePolicy, animation: Animation
    ) async throws {
        let original = try frames(animation.file)
        #expect(original.frames.count > 1)
        #expect(Set(original.frames.map(\.pixels)).count > 1, "the frames differ")
        loader.respond(to: Self.url, with: animation.file)
        for request in Self.requests {
            let first = launch(policy)
            _ = try await first.image(for: request)
            await first.flush()
        }
        let second = launch(policy)
        let (stored, _) = try await second.data(for: ImageRequest(url: Self.url))
        #expect(loader.transfers(Self.url).count == 1, "the bytes come from the disk")
        let found = try frames(stored)
        #expect(found.frames == original.frames)
        #expect(found.plays == original.plays)
    }

    @Test func `The frames of a stored GIF have the durations and levels that were written (F19)`() throws {
        let gif = PlainGIF.data(width: 12, height: 8, count: 5, hundredths: 7)
        let found = try frames(gif)
        #expect(found.plays == .forever)
        #expect(found.frames.map(\.duration) == Array(repeating: .milliseconds(70), count: 5))
        #expect(found.frames.map { $0.pixels[0] } == (0..<5).map { PlainGIF.level($0) })
    }
}
