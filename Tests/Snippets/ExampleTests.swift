import Firn
import FirnBinding
import FirnTesting
import FoundationEssentials
import Testing

/// Runs the examples of the articles that need neither a server nor files.
@Suite(.timeLimit(.minutes(2)))
struct ExampleTests {
    /// With a memory cache of its own, which no other test fills.
    private let pipeline = ImagePipeline { $0.imageCache = ImageCache() }

    /// Squares of red and blue.
    private func drawing(_ size: PixelSize = PixelSize(width: 300, height: 200)) throws -> Bitmap {
        try Bitmap(size: size, format: .rgb8, isOpaque: true) { pixels in
            for y in 0..<size.height {
                let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
                for x in 0..<size.width {
                    let isRed = (x + y).isMultiple(of: 2)
                    (row[3 * x], row[3 * x + 1], row[3 * x + 2]) = (isRed ? 255 : 0, 0, isRed ? 0 : 255)
                }
            }
        }
    }

    @Test func `a builder makes a gradient of rows`() throws {
        let gradient = try #require(try DecodingSnippets.gradient())
        #expect(gradient.size == PixelSize(256) && gradient.isOpaque)
        #expect(gradient.withUnsafeBytes { $0[77 * gradient.bytesPerRow] } == 77)
    }

    @Test func `a decoder that receives a file in parts reads it to its end, or has an error`() async throws {
        let file = try ImageEncoders.png().encode(drawing())
        for isWhole in [true, false] {
            let (body, feed) = AsyncStream.makeStream(of: Data.self)
            feed.yield(file.prefix(20))
            feed.yield(isWhole ? file.dropFirst(20) : Data(repeating: 0, count: 400))
            feed.finish()
            let decoder = try? await DecodingSnippets.arriving(body)
            #expect((decoder?.isFrameComplete(at: 0) ?? false) == isWhole)
        }
    }

    @Test func `stored pixels are turned upright`() throws {
        let decoder = ImageDecoder()
        try decoder.setData(try ImageEncoders.png().encode(drawing()), allDataReceived: true)
        #expect(try DecodingSnippets.stored(decoder).size == PixelSize(width: 300, height: 200))
    }

    @Test func `an observer reports the decode of a request, and the error of a damaged one`() async throws {
        let (lines, feed) = AsyncStream.makeStream(of: String.self)
        let observed = ObservingSnippets.stages { feed.yield($0) }
        _ = try await observed.image(for: ImageRequest(id: "observed", data: ImageEncoders.png().encode(drawing())))
        _ = try? await observed.image(for: ImageRequest(id: "text", data: Data("no image".utf8)))
        var missing: Set = ["decodeEnded after", "text"]
        for await line in lines {
            missing = missing.filter { !line.contains($0) }
            if missing.isEmpty { break }
        }
        #expect(missing.isEmpty)
    }

    @Test func `a processor attaches a value that the memory cache keeps`() async throws {
        let request = ImageRequest(
            id: "drawing", data: try ImageEncoders.png().encode(drawing()), processors: [AverageColor()])
        for cache in [nil, ImageResponse.CacheType.memory] {
            let response = try await pipeline.imageTask(with: request).response
            #expect(response.cacheType == cache)
            #expect(InvertedUse.color(response) != nil)
        }
    }

    @Test func `a badge in points has twice as many pixels`() async throws {
        #expect(try await drawing().applying(InvertedUse.badge()).size == PixelSize(96))
    }

    @Test func `an image is removed at all its sizes`() async throws {
        let cache = ImageCache()
        let cached = ImagePipeline { $0.imageCache = cache }
        let data = try ImageEncoders.png().encode(drawing())
        for side in [32, 64] {
            _ = try await cached.image(for: ImageRequest(id: "drawing", data: data, targetSize: TargetSize(side)))
        }
        #expect(cache.statistics.count == 2)
        CachingSnippets.remove(ImageRequest(id: "drawing", data: data), from: cache)
        #expect(cache.statistics.count == 0)
        try CachingSnippets.statistics()
    }

    @Test func `a task for bytes has them, and its progress ends`() async throws {
        let data = try ImageEncoders.png().encode(drawing())
        #expect(try await DownloadSnippets.task(ImageRequest(id: "drawing", data: data), pipeline) == data)
    }

    @Test @MainActor func `a binding reports its phases`() async throws {
        final class Plain: Label, ImageDisplaying {
            let displaySize = ImageDisplaySize.unlimited
            func display(_ content: DisplayedContent) {}
        }
        let view = Plain()
        let binding = ViewBinding(view: view, context: LabelUse.context(pipeline))
        let (texts, feed) = AsyncStream.makeStream(of: String.self)
        LabelUse.follow(binding) { feed.yield($0) }
        binding.load(ImageRequest(id: "drawing", data: try ImageEncoders.png().encode(drawing())))
        for await text in texts where text != "" && text != "Loading …" {
            #expect(text == "300x200 pixels")
            break
        }
        withExtendedLifetime(view) {}
    }

    @Test func `full chroma keeps more of a colored drawing`() throws {
        let drawing = try drawing()
        #expect(try PageSnippets.chroma(drawing).count > ImageEncoders.jpeg(quality: 0.8).encode(drawing).count)
    }

    @Test func `rules and TLS settings reach the loader`() throws {
        let loader = try #require(PageSnippets.rules().configuration.dataLoader as? DataLoader)
        #expect(loader.configuration.network?.ports == [443])
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("a certificate".utf8).write(to: file)
        let secured = try PageSnippets.loader(file, file, file)
        #expect(secured.configuration.furtherAuthorities == [Data("a certificate".utf8)])
    }
}
