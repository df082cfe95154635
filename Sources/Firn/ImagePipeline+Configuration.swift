public import FirnCache
import FirnCodecs
public import FirnData
public import FirnImage
public import FirnPipeline

#if HTTP
public import FirnHTTP

extension ImagePipeline.Configuration {
    /// Returns a complete configuration: all decoders, the HTTP loader with retries, a memory cache and, if a
    /// directory is given, a data cache.
    ///
    /// Makes no thread, opens no file and no connection before the first request.
    /// - Parameters:
    ///   - cacheDirectory: the directory of originals and partial bodies. Created when needed. Default: `nil`,
    ///     none.
    ///   - cacheLimits: the limits of the data cache.
    ///   - bitmapDirectory: the directory of decoded images, which are shown without another decode. May be the
    ///     same
    ///     as `cacheDirectory`. On a full disk originals have precedence. Default: `nil`, none.
    ///   - bitmapLimits: the limits of the bitmap store.
    ///   - isCacheShared: whether these directories are used although other users can write to them. Default: no;
    ///     the pipeline then goes on without them.
    ///   - imageCache: the memory cache. Default: a new one with the default limits and the machine's budget.
    ///   - memoryBudget: the budget of decodes. Default: the machine's, which the memory cache shares.
    ///   - loader: the settings of the loader. Its limits become the pipeline's, too.
    public static func standard(
        cacheDirectory: String? = nil, cacheLimits: DataCacheLimits = DataCacheLimits(),
        bitmapDirectory: String? = nil, bitmapLimits: BitmapStoreLimits = BitmapStoreLimits(),
        isCacheShared: Bool = false, imageCache: ImageCache = ImageCache(budget: .machine),
        memoryBudget: MemoryBudget = .machine,
        loader: DataLoader.Configuration = DataLoader.Configuration()
    ) -> ImagePipeline.Configuration {
        var configuration = standard(
            dataLoader: DataLoader(configuration: loader), cacheDirectory: cacheDirectory, cacheLimits: cacheLimits,
            bitmapDirectory: bitmapDirectory, bitmapLimits: bitmapLimits, isCacheShared: isCacheShared,
            imageCache: imageCache, memoryBudget: memoryBudget)
        configuration.limits = loader.limits
        configuration.responseCachePolicy = HTTPCachePolicy.images
        return configuration
    }
}
#else
extension ImagePipeline.Configuration {
    /// Returns a configuration without a network: all decoders, a memory cache and, if asked for, a data cache.
    ///
    /// It loads `file:` and `data:` addresses. Other addresses fail with an error that names the package trait
    /// HTTP.
    /// The parameters are those of `standard(dataLoader:cacheDirectory:…)`.
    public static func standard(
        cacheDirectory: String? = nil, cacheLimits: DataCacheLimits = DataCacheLimits(),
        bitmapDirectory: String? = nil, bitmapLimits: BitmapStoreLimits = BitmapStoreLimits(),
        isCacheShared: Bool = false, imageCache: ImageCache = ImageCache(budget: .machine),
        memoryBudget: MemoryBudget = .machine
    ) -> ImagePipeline.Configuration {
        standard(
            dataLoader: MissingLoader(), cacheDirectory: cacheDirectory, cacheLimits: cacheLimits,
            bitmapDirectory: bitmapDirectory, bitmapLimits: bitmapLimits, isCacheShared: isCacheShared,
            imageCache: imageCache, memoryBudget: memoryBudget)
    }
}
#endif

extension ImagePipeline.Configuration {
    /// Returns a complete configuration with the caller's loader: all decoders, retries, a memory cache and, if a
    /// directory is given, a data cache.
    ///
    /// Needs no HTTP: with the package trait HTTP left out, nothing of a network stack is fetched or built. Sets no
    /// HTTP cache policy: what is kept serves forever.
    /// - Parameters:
    ///   - dataLoader: fetches everything but `file:` and `data:` addresses.
    ///   - cacheDirectory: where originals are kept between launches; `nil`, the default, for nowhere.
    ///   - cacheLimits: what the data cache is held to.
    ///   - bitmapDirectory: where decoded images are kept between launches; `nil`, the default, for nowhere.
    ///   - bitmapLimits: what the bitmap store is held to.
    ///   - isCacheShared: whether these directories are used although other users can write to them. Default: no; the
    ///     pipeline then goes on without them.
    ///   - imageCache: the memory cache; by default one of its own, which shares the machine's budget.
    ///   - memoryBudget: what decodes share their memory with. Default: the machine's budget, as for the memory cache.
    public static func standard(
        dataLoader: any DataLoading, cacheDirectory: String? = nil, cacheLimits: DataCacheLimits = DataCacheLimits(),
        bitmapDirectory: String? = nil, bitmapLimits: BitmapStoreLimits = BitmapStoreLimits(),
        isCacheShared: Bool = false, imageCache: ImageCache = ImageCache(budget: .machine),
        memoryBudget: MemoryBudget = .machine
    ) -> ImagePipeline.Configuration {
        var configuration = ImagePipeline.Configuration(dataLoader: dataLoader, decoders: ImageDecoders.standard)
        configuration.retries = RetryPolicy()
        configuration.failureTimes = FailureTimes()
        configuration.imageCache = imageCache
        configuration.memoryBudget = memoryBudget
        configuration.imageEncoder = ImageEncoders.processed
        let bitmaps = bitmapDirectory.map {
            BitmapStore(directory: $0, limits: bitmapLimits, isShared: isCacheShared)
        }
        configuration.bitmapStore = bitmaps
        if let cacheDirectory {
            let reclaim = bitmaps?.givingWay(to: cacheDirectory)
            configuration.dataCache = DataCache(
                directory: cacheDirectory, limits: cacheLimits, isShared: isCacheShared, reclaim: reclaim)
            configuration.partialDataCache = DataCache.partialBodies(
                in: cacheDirectory, isShared: isCacheShared, reclaim: reclaim)
        }
        return configuration
    }
}

extension ImagePipeline.Configuration {
    /// The standard configuration with ``/FirnCache/ImageCache/shared`` as its memory cache, and no data cache.
    ///
    /// What `ImagePipeline.shared` is made with. Use `standard(cacheDirectory:…)` to keep originals on disk, or for a
    /// memory cache of the pipeline's own.
    public init() { self = .standard(imageCache: .shared) }

    /// Creates the standard configuration with a loader, ``/FirnCache/ImageCache/shared`` as its memory cache, and no
    /// data cache.
    public init(dataLoader: any DataLoading) { self = .standard(dataLoader: dataLoader, imageCache: .shared) }
}
