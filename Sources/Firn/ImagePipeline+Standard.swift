public import FirnCache
import FirnCodecs
import FirnData
public import FirnHTTP
public import FirnImage
public import FirnPipeline
import Synchronization

extension ImagePipeline {
    /// The pipeline for those who need no other: every format of this build, HTTP, a memory cache; nothing on disk.
    ///
    /// May be replaced by one made otherwise. Who holds the old one keeps it.
    public static var shared: ImagePipeline {
        get { sharedPipeline.withLock { $0 } }
        set { sharedPipeline.withLock { $0 = newValue } }
    }

    private static let sharedPipeline = Mutex(ImagePipeline(configuration: .standard()))

    /// A pipeline like the shared one, with what `configure` changes.
    public convenience init(
        delegate: (any Delegate)? = nil, _ configure: (inout ImagePipeline.Configuration) -> Void
    ) {
        var configuration = ImagePipeline.Configuration.standard()
        configure(&configuration)
        self.init(configuration: configuration, delegate: delegate)
    }
}

extension ImagePipeline.Configuration {
    /// Everything wired together: all decoders, the HTTP loader with retries, a memory cache, and a data cache where one is
    /// wanted.
    ///
    /// Makes no thread, opens no file and no connection before the first request.
    /// - Parameters:
    ///   - cacheDirectory: where originals are kept between launches, and the first bytes of those that still arrive; `nil`, the
    ///     default, for nowhere. Made when needed.
    ///   - cacheLimits: what the data cache is held to.
    ///   - bitmapDirectory: where decoded pictures are kept between launches, from where they are shown without being decoded again;
    ///     `nil`, the default, for nowhere. May be the same as `cacheDirectory`. Where the disk is full they give way to originals.
    ///   - bitmapLimits: what the bitmap store is held to.
    ///   - imageCache: the memory cache; by default one of its own with the default limits, which shares the machine's budget.
    ///   - memoryBudget: what decodes share their memory with. Default: the machine's budget, as for the memory cache.
    ///   - loader: what is allowed to the network.
    public static func standard(
        cacheDirectory: String? = nil, cacheLimits: DataCacheLimits = DataCacheLimits(),
        bitmapDirectory: String? = nil, bitmapLimits: BitmapStoreLimits = BitmapStoreLimits(),
        imageCache: ImageCache = ImageCache(budget: .machine), memoryBudget: MemoryBudget = .machine,
        loader: DataLoader.Configuration = DataLoader.Configuration()
    ) -> ImagePipeline.Configuration {
        var configuration = ImagePipeline.Configuration(
            dataLoader: DataLoader(configuration: loader), decoders: ImageDecoders.standard)
        configuration.retries = RetryPolicy()
        configuration.failureTimes = FailureTimes()
        configuration.imageCache = imageCache
        configuration.memoryBudget = memoryBudget
        configuration.responseCachePolicy = HTTPCachePolicy.pictures
        configuration.imageEncoder = ImageEncoders.processed
        let bitmaps = bitmapDirectory.map { BitmapStore(directory: $0, limits: bitmapLimits) }
        configuration.bitmapStore = bitmaps
        if let cacheDirectory {
            let reclaim = bitmaps?.givingWay(to: cacheDirectory)
            configuration.dataCache = DataCache(directory: cacheDirectory, limits: cacheLimits, reclaim: reclaim)
            configuration.partialDataCache = DataCache(
                directory: "\(cacheDirectory)/partial", limits: .partialBodies, reclaim: reclaim)
        }
        return configuration
    }
}
