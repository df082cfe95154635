import Firn
import FirnTesting
import FoundationEssentials
import Testing

/// Checks that the code of the guides does what they say.
@Suite(.timeLimit(.minutes(5)))
struct GuideTests {
    /// Two pixels: red, and green of half the alpha.
    private let farbfeld =
        Data("farbfeld".utf8) + Data([0, 0, 0, 2, 0, 0, 0, 1])
        + Data([255, 255, 0, 0, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 128, 128])

    @Test func `The decoder, the loader and the processor of the guides make an image together`() async throws {
        var configuration = ImagePipeline.Configuration(
            dataLoader: ShelfLoader(shelf: ["shelf:a": farbfeld]), decoders: [FarbfeldDecoder()])
        configuration.imageCache = ImageCache()
        let pipeline = ImagePipeline(configuration: configuration)
        let plain = try await pipeline.image(for: "shelf:a")
        #expect(plain.size == PixelSize(width: 2, height: 1))
        #expect(plain.withUnsafeBytes { Array($0.prefix(8)) } == [0, 0, 255, 255, 0, 128, 0, 128])

        let inverted = try await pipeline.image(for: ImageRequest(url: "shelf:a", processors: [Inverted()]))
        #expect(inverted.withUnsafeBytes { Array($0.prefix(8)) } == [255, 255, 0, 255, 128, 0, 128, 128])
    }

    @Test func `A book that is not on the shelf is a failure of the source`() async throws {
        let pipeline = ShelfUse.pipeline([:])
        let error = await #expect(throws: ImageLoadingError.self) {
            _ = try await pipeline.image(for: "shelf:nothing")
        }
        #expect(error?.fault == .source)
    }

    @Test func `The decoder of the guide waits for bytes, and refuses files that are cut short or too large`() throws {
        let whole = FarbfeldDecoder().makeSession(limits: ImageLimits(), cancellation: CancellationFlag())
        for byte in farbfeld.dropLast() { try whole.append(Data([byte])) }
        #expect(throws: ImageError.self) { _ = try whole.decode(DecodingOptions()) }
        try whole.append(farbfeld.suffix(1))
        #expect(try whole.decode(DecodingOptions()).size == PixelSize(width: 2, height: 1))

        let short = FarbfeldDecoder().makeSession(limits: ImageLimits(), cancellation: CancellationFlag())
        try short.append(farbfeld.dropLast())
        short.finish()
        let cut = #expect(throws: ImageError.self) { _ = try short.decode(DecodingOptions()) }
        #expect(cut?.fault == .data)

        let large = FarbfeldDecoder().makeSession(limits: ImageLimits(), cancellation: CancellationFlag())
        try large.append(Data("farbfeld".utf8) + Data(repeating: 255, count: 8))
        let refused = #expect(throws: ImageError.self) { _ = try large.properties() }
        #expect(refused?.fault == .limit)
    }

    @Test @MainActor func `The label of the guide shows what is in memory in the call that asks`() async throws {
        let size = PixelSize(width: 40, height: 30)
        // snippet.testing
        let loader = ScriptedLoader()
        loader.respond(to: "https://example.org/a", with: ScriptedDecoder.image(size))
        var configuration = ImagePipeline.Configuration(
            dataLoader: loader, decoders: [ScriptedDecoder()])
        configuration.imageCache = ImageCache()
        let pipeline = ImagePipeline(configuration: configuration)

        let image = try await pipeline.image(for: "https://example.org/a")
        #expect(image.size == size)
        #expect(loader.requests.count == 1)
        // snippet.end

        // As the label will ask: in its pixels.
        let request = ImageRequest(
            url: "https://example.org/a", targetSize: TargetSize(width: 80, height: 60))
        _ = try await pipeline.image(for: request)
        let label = PhotoLabel(context: LabelUse.context(pipeline))
        label.photo = request
        #expect(label.image?.size == size)
        #expect(label.redraws == 1)
    }

    @Test func `A decoder alone returns at least the size asked for, and resizing gives it exactly`() throws {
        let image = try Bitmap(size: PixelSize(width: 1000, height: 700), isOpaque: true) { _ in }
        let decoder = ImageDecoder()
        try decoder.setData(try ImageEncoders.jpeg().encode(image), allDataReceived: true)
        let wanted = PixelSize(width: 256, height: 179)
        let thumbnail = try DecodingSnippets.thumbnail(decoder)
        #expect(thumbnail.size.covers(wanted) && thumbnail.size != image.size)
        #expect(try DecodingSnippets.exactly(decoder).size == wanted)
    }
}
