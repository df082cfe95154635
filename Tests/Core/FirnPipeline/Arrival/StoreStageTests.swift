import FirnCache
import FirnData
import FirnImage
import FirnSync
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import FirnPipeline

@Suite struct `Bytes that were not decoded` {
    private func run(_ data: Data, on cache: DataCache) -> Bool? {
        var configuration = ImagePipeline.Configuration(
            dataLoader: ScriptedLoader(), decoders: [ScriptedProgressiveDecoder()])
        configuration.dataCache = cache
        let bytes = FetchedBytes(chunks: [data], count: data.count, mayStore: true)
        let isKept = Locked<Bool?>(nil)
        let stage = Engine(configuration).store
        stage.run(PendingStore(.original(bytes), for: ImageRequest(url: "https://a/x"))) { result in
            isKept.withLock { if case .stored = result { $0 = true } else { $0 = false } }
        }
        cache.flush()
        return isKept.withLock { $0 }
    }

    @Test func `They are kept if a decoder knows them, and else they are not`() throws {
        let cache = DataCache(directory: "/cache", fileSystem: InMemoryFileSystem())
        #expect(run(Data("<html>no image</html>".utf8), on: cache) == false)
        #expect(!cache.contains("https://a/x"))
        let image = ScriptedProgressiveDecoder.image(PixelSize(width: 2, height: 2), bytes: 100)
        #expect(run(image, on: cache) == true)
        #expect(try cache.entry(for: "https://a/x")?.data == image)
    }
}
