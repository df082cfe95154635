import Firn
import FirnData
import FirnHTTP
import FirnImage
import FirnPipeline
import FirnTesting
import Foundation
import Testing

@testable import FirnCache

/// Tests that the settings of a pipeline hold in whatever order they are made.
@Suite struct ConfigurationTests {
    private let folder = "/tmp/firn-settings"

    @Test func `All ways to make a pipeline start from the same settings and share the memory cache`() {
        let pipelines = [
            ImagePipeline(), ImagePipeline { _ in }, ImagePipeline(configuration: ImagePipeline.Configuration()),
            ImagePipeline(configuration: .ephemeral),
        ]
        for pipeline in pipelines {
            #expect(pipeline.configuration.imageCache as? ImageCache === ImageCache.shared)
            #expect(pipeline.configuration.memoryBudget === MemoryBudget.machine)
            #expect(pipeline.configuration.httpCachePolicy == .images)
            #expect(pipeline.configuration.dataLoader is DataLoader)
        }
    }

    @Test func `Partial bodies are kept beside the data cache, whichever is set first`() throws {
        let first = ImagePipeline { $0.dataCache = .disk(path: folder) }.configuration
        let partial = try #require(first.partialDataCache as? DataCache)
        #expect(partial.folder == "\(folder)/partial")
        #expect(partial === (first.dataCache as? DataCache)?.partialBodies)

        let without = ImagePipeline {
            $0.partialDataCache = nil
            $0.dataCache = .disk(path: folder)
        }
        #expect(without.configuration.partialDataCache == nil)
        let own = DataCache(directory: "/tmp/elsewhere")
        let other = ImagePipeline {
            $0.partialDataCache = own
            $0.dataCache = .disk(path: folder)
        }
        #expect(other.configuration.partialDataCache as? DataCache === own)
        #expect(ImagePipeline { $0.dataCache = nil }.configuration.partialDataCache == nil)
    }

    @Test(arguments: [true, false])
    func `Originals take the room of bitmaps on a full disk, whichever is set first`(storeFirst: Bool) throws {
        let temporary = "/tmp/firn-room-\(UInt64.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: temporary) }
        let store = BitmapStore.disk(path: temporary)
        let image = try Bitmap(size: PixelSize(width: 8, height: 8)) { _ in }
        try store.store(ImageContainer(image: image), for: ImageCacheKey("image"))
        let cache = DataCache(directory: temporary)
        let pipeline = ImagePipeline {
            if storeFirst { $0.bitmapStore = store }
            $0.dataCache = cache
            if !storeFirst { $0.bitmapStore = store }
        }
        #expect(pipeline.configuration.bitmapStore === store)
        #expect((cache.reclaim?(1) ?? 0) > 0)
        #expect(try store.records().isEmpty)
    }

    @Test func `Decodes share the budget of the memory cache, and a budget alone gets a cache of its own`() {
        let budget = MemoryBudget(total: 96 << 20)
        let byCache = ImagePipeline { $0.imageCache = .memory(limit: 1 << 20, budget: budget) }
        #expect(byCache.configuration.memoryBudget === budget)
        let byBudget = ImagePipeline { $0.memoryBudget = budget }
        let cache = byBudget.configuration.imageCache as? ImageCache
        #expect(cache !== ImageCache.shared && cache?.budget === budget)
        let uncached = ImagePipeline { $0.imageCache = nil }
        #expect(
            uncached.configuration.imageCache == nil && uncached.configuration.memoryBudget === MemoryBudget.machine)
    }

    @Test(arguments: [true, false])
    func `The limits of a pipeline hold for its loader, whichever is set first`(limitsFirst: Bool) {
        let pipeline = ImagePipeline {
            if limitsFirst { $0.limits.maximumBytes = 456 }
            $0.dataLoader = .http { $0.totalTimeout = .seconds(7) }
            if !limitsFirst { $0.limits.maximumBytes = 456 }
        }
        let loader = pipeline.configuration.dataLoader as? DataLoader
        #expect(loader?.configuration.limits.maximumBytes == 456)
        #expect(loader?.configuration.totalTimeout == .seconds(7))
    }

    @Test func `A loader without limits of its own is shared by the pipelines that were given it`() {
        let loader = DataLoader()
        for _ in 0..<2 {
            #expect(ImagePipeline { $0.dataLoader = loader }.configuration.dataLoader as? DataLoader === loader)
        }
    }

    @Test func `A configuration of parts alone has no caches, and is connected with nothing`() {
        let configuration = ImagePipeline.Configuration(dataLoader: ScriptedLoader(), decoders: [])
        let made = ImagePipeline(configuration: configuration).configuration
        #expect(made.imageCache == nil && made.dataCache == nil && made.partialDataCache == nil)
        #expect(made.memoryBudget == nil && made.httpCachePolicy == nil)
    }
}
