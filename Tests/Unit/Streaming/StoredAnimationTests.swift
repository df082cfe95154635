import Firn
import FirnCache
import FirnCodecs
import FirnImage
import FirnPipeline
import FirnProcessing
import FirnTesting
import FoundationEssentials
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
        ImageRequest(url: url, targetSize: TargetSize(PixelSize(width: 6, height: 4))),
        ImageRequest(url: url, processors: [ImageProcessors.GaussianBlur(radius: 1)]),
    ]

    @Test(arguments: ImagePipeline.DataCachePolicy.allCases, 0..<3)
    func `A GIF's frames, durations and plays survive the disk cache (F19)`(
        policy: ImagePipeline.DataCachePolicy, number: Int
    ) async throws {
        let gif = PlainGIF.data(width: 12, height: 8, count: 5, hundredths: 7)
        loader.respond(to: Self.url, with: gif)
        let first = launch(policy)
        _ = try await first.image(for: Self.requests[number])
        await first.flush()

        let second = launch(policy)
        let (stored, _) = try await second.data(for: ImageRequest(url: Self.url))
        #expect(loader.record.count(Self.url) == 1, "the bytes come from the disk")
        #expect(stored == gif)
        let decoder = ImageDecoder()
        try decoder.setData(stored, allDataReceived: true)
        #expect(decoder.frameCount == 5)
        #expect(decoder.repetitionCount == .forever)
        let gray = try (0..<5).map { index in
            #expect(decoder.frameDuration(at: index) == .milliseconds(70))
            return try decoder.frame(at: index).image().withUnsafeBytes { $0[0] }
        }
        #expect(gray == (0..<5).map { PlainGIF.level($0) })
    }
}
