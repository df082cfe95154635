import FirnCache
import FirnData
import FirnImage
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnPipeline

@Suite struct `Bytes that nobody decoded` {
    private func run(_ data: Data, on cache: DataCache) -> (isKept: Bool, Bool) {
        var configuration = ImagePipeline.Configuration(
            dataLoader: ScriptedLoader(), decoders: [ScriptedProgressiveDecoder()])
        configuration.dataCache = cache
        let bytes = FetchedBytes(chunks: [data], count: data.count, mayStore: true)
        let work = JobWork(storing: bytes, of: ImageRequest(url: "https://a/x"))
        let outcome = StoreStage(environment: StageEnvironment(configuration)).run(work)
        var statistics = PipelineStatistics()
        statistics.note(.store, outcome, work)
        return (statistics.stores == 1, statistics.failedStores == 0)
    }

    @Test func `They are kept if a decoder knows them, and else they are not`() throws {
        let cache = DataCache(directory: "/cache", fileSystem: InMemoryFileSystem())
        #expect(run(Data("<html>no picture</html>".utf8), on: cache) == (false, true))
        #expect(!cache.contains("https://a/x"))
        let picture = ScriptedProgressiveDecoder.picture(PixelSize(width: 2, height: 2), bytes: 100)
        #expect(run(picture, on: cache) == (true, true))
        #expect(try cache.entry(for: "https://a/x")?.data == picture)
    }
}
