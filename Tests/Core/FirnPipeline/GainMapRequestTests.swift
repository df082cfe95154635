import FirnCache
import FirnCodecs
import FirnData
import FirnImage
import FirnPipeline
import FirnProcessing
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

/// Tests requests that include the gain map of an image.
@Suite(.timeLimit(.minutes(5))) struct GainMapRequestTests {
    private static let url = "https://example.org/bright.jpg"

    private func file() throws -> Data {
        let metadata = GainMap.Metadata(maximum: SIMD3(repeating: 2), alternateHeadroom: 2)
        let map = try #require(
            GainMap(image: Bitmap.noise(PixelSize(width: 40, height: 30), format: .rgb8, seed: 1), metadata: metadata))
        return try JPEGEncoder().encode(
            Bitmap.noise(PixelSize(width: 80, height: 60), format: .rgb8, seed: 2),
            metadata: EncodingMetadata(gainMap: map), cancellation: CancellationFlag())
    }

    @Test(arguments: [Int.max, 700])
    func `an image has its map, through processors and from memory, only if it is asked for`(piece: Int) async throws {
        let (loader, disk) = (ScriptedLoader(), InMemoryFileSystem())
        loader.respond(to: Self.url, with: try file(), chunkSize: piece)
        var configuration = ImagePipeline.Configuration(dataLoader: loader, decoders: ImageDecoders.standard)
        configuration.imageCache = ImageCache()
        configuration.bitmapStore = BitmapStore(directory: "/bitmaps", limits: .init(), fileSystem: disk)
        configuration.dataCache = ScriptedDataCache()
        configuration.dataCachePolicy = .storeAll
        let pipeline = ImagePipeline(configuration: configuration)
        let whole = ImageRequest(url: Self.url, options: .includeGainMap)
        let turned = ImageRequest(url: Self.url, processors: [ImageProcessors.Rotate(.right)], options: .includeGainMap)
        for hits in [false, true] {
            for (request, size) in [
                (whole, PixelSize(width: 40, height: 30)), (turned, PixelSize(width: 30, height: 40)),
            ] {
                let response = try await pipeline.imageTask(with: request).response
                #expect(response.container.gainMap?.image.size == size)
                // The whole image is in memory when the turned one is requested.
                #expect((response.cacheType == .memory) == (hits || request.processors.count == 1))
                var plain = request
                plain.options = []
                #expect(try await pipeline.imageTask(with: plain).response.container.gainMap == nil)
            }
        }
        await pipeline.flush()
        // No disk cache has an image without its map.
        pipeline.cache.removeAll(caches: [.memory])
        let response = try await pipeline.imageTask(with: turned).response
        #expect(response.container.gainMap?.image.size == PixelSize(width: 30, height: 40))
        #expect(whole.imageCacheKey.string == Self.url + "|gainmap" && whole.dataCacheKey == Self.url)
    }
}
