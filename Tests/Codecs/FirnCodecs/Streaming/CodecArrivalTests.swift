import Firn
import FirnCodecs
import FirnData
import FirnImage
import FirnPipeline
import FirnProcessing
import FirnTesting
import FirnDigest
import FoundationEssentials
import Testing

/// Tests real formats in the pipeline while their bytes arrive.
@Suite(.timeLimit(.minutes(5))) struct `Formats that arrive` {
    private static let url = "https://example.org/photo"

    /// Returns an image that no format can compress.
    private static func noise(_ size: PixelSize) throws -> Bitmap {
        var random = SeededGenerator(seed: 7)
        return try Bitmap(size: size, format: .bgra8Premultiplied, isOpaque: true) { pixels in
            for y in 0..<size.height {
                let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
                for x in 0..<size.width {
                    let word = random.next()
                    for channel in 0..<3 { row[x * 4 + channel] = UInt8(truncatingIfNeeded: word >> (channel * 8)) }
                    row[x * 4 + 3] = 255
                }
            }
        }
    }

    private func pipeline(_ loader: ScriptedLoader) -> ImagePipeline {
        ImagePipeline(
            configuration: ImagePipeline.Configuration(dataLoader: loader, decoders: ImageDecoders.standard))
    }

    @Test func `A thumbnail of a progressive photograph ends its transfer after a few per cent`() async throws {
        let file = try JPEGEncoder(quality: 0.95, progressive: true).encode(
            Self.noise(PixelSize(width: 1600, height: 1200)))
        let loader = ScriptedLoader()
        loader.respondByHand(to: Self.url)
        let pipeline = pipeline(loader)
        var request = ImageRequest(url: Self.url)
        let target = TargetSize(width: 160, height: 120)
        request.targetSize = target
        let task = pipeline.imageTask(with: request)
        let transfer = await loader.waitForRequest(Self.url)
        transfer.respond(DataResponse(url: Self.url, status: 200, expectedLength: file.count))
        let part = file.count / 10
        transfer.send(file.prefix(part))
        let image = try await task.image
        await loader.requests.wait { $0.ended.count == 1 }
        #expect(transfer.isCancelled)
        var options = DecodingOptions()
        options.targetSize = target
        let reference = try session(file).decode(options).resized(to: image.size)
        #expect(try image.straightDigest() == reference.straightDigest())
        try await eventually { pipeline.statistics.transfers > 0 }
        #expect(pipeline.statistics.bytesLoaded == part && pipeline.statistics.bytesWasted == 0)
    }

    @Test(arguments: [0, 1, 2]) func `In pieces it is the same image as whole`(kind: Int) async throws {
        let noise = try Self.noise(PixelSize(width: 400, height: 300))
        let encoders: [any ImageEncoding] = [
            JPEGEncoder(quality: 0.95), JPEGEncoder(quality: 0.95, progressive: true), PNGEncoder(),
        ]
        let file = try encoders[kind].encode(noise)
        try #require(file.count > 150_000)
        let loader = ScriptedLoader()
        loader.respondByHand(to: Self.url)
        let pipeline = pipeline(loader)
        let task = pipeline.imageTask(with: ImageRequest(url: Self.url))
        let previews = task.previews
        let transfer = await loader.waitForRequest(Self.url)
        transfer.respond(DataResponse(url: Self.url, status: 200, expectedLength: file.count))
        var rest = file[...]
        while !rest.isEmpty {
            transfer.send(rest.prefix(10_007))
            rest = rest.dropFirst(10_007)
            await Task.yield()
        }
        transfer.finish()
        let image = try await task.image
        #expect(try image.straightDigest() == session(file).decode(DecodingOptions()).straightDigest())
        for await preview in previews { #expect(preview.isPreview && preview.image.size == image.size) }
    }
}
