import FirnCache
import FirnCodecs
import FirnData
import FirnImage
public import FirnPipeline

#if HTTP
import FirnHTTP
#endif

extension ImagePipeline.Configuration {
    /// Creates the configuration of `ImagePipeline.shared`: all decoders, the HTTP loader with retries, the rules of
    /// HTTP caching, ``/FirnCache/ImageCache/shared`` in memory and ``/FirnCache/DataCache/shared`` on disk.
    ///
    /// Makes no thread, opens no file and no connection before the first request of a pipeline. Without the package
    /// trait HTTP it loads `file:` and `data:` addresses; others fail with an error that names the trait.
    public init() {
        #if HTTP
        self.init(dataLoader: DataLoader(), decoders: ImageDecoders.standard)
        httpCachePolicy = .images
        #else
        self.init(dataLoader: MissingLoader(), decoders: ImageDecoders.standard)
        #endif
        imageCache = ImageCache.shared
        dataCache = DataCache.shared
        partialBodies = .besideDataCache
        imageEncoder = ImageEncoders.processed
        retries = DataRetryPolicy()
        remembersFailures = true
        connect = { $0.connectParts() }
    }

    /// The default configuration with nothing on disk.
    public static var ephemeral: ImagePipeline.Configuration {
        var configuration = ImagePipeline.Configuration()
        configuration.dataCache = nil
        return configuration
    }

    /// The default configuration with a data cache of the program's own; see
    /// ``withDataCache(name:sizeLimit:dataCachePolicy:)``.
    public static var withDataCache: ImagePipeline.Configuration { withDataCache() }

    /// The default configuration with a data cache of this name in the user's cache directory.
    ///
    /// Entries expire by the rules of HTTP; `freshness = .unlimited` keeps them forever, as Nuke does. As in Nuke,
    /// there is no data cache if there is no home directory or the name is not a file name.
    /// - Parameters:
    ///   - name: the name of the directory, by convention the program's reverse domain name.
    ///   - sizeLimit: the maximum number of bytes on disk. Default: 150 MiB, as in Nuke.
    ///   - dataCachePolicy: the images to store. Default: originals.
    public static func withDataCache(
        name: String = "firn.images", sizeLimit: Int = 150 << 20, dataCachePolicy: DataCachePolicy = .storeOriginalData
    ) -> ImagePipeline.Configuration {
        var configuration = ImagePipeline.Configuration()
        configuration.dataCachePolicy = dataCachePolicy
        configuration.dataCache = try? DataCache(name: name, sizeLimit: sizeLimit)
        return configuration
    }

    /// Connects what was set, in whatever order.
    private mutating func connectParts() {
        if memoryBudget == nil {
            memoryBudget = (imageCache as? ImageCache)?.budget ?? .machine
        } else if memoryBudget !== ImageCache.shared.budget, imageCache as? ImageCache === ImageCache.shared {
            imageCache = ImageCache(budget: memoryBudget)
        }
        if let cache = dataCache as? DataCache, let bitmapStore { cache.takesRoom(from: bitmapStore) }
        #if HTTP
        guard var loader = dataLoader as? DataLoader else { return }
        if limits == ImageLimits() {
            limits = loader.configuration.limits
        } else if limits != loader.configuration.limits {
            var settings = loader.configuration
            settings.limits = limits
            loader = DataLoader(configuration: settings)
            dataLoader = loader
        }
        loader.joinPipeline()
        #endif
    }
}

#if !HTTP
/// The loader of a build without HTTP: every transfer ends with an error that says what to do.
struct MissingLoader: DataLoading {
    func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        receive(
            .end(
                DataLoadingError(
                    .badAddress,
                    "HTTP is not in this build; enable the package trait HTTP, or set a loader of your own")))
        return EndedTransfer()
    }
}
#endif
