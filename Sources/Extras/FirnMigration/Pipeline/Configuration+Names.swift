import Foundation

extension ImagePipeline.Configuration {
    /// Creates the default configuration with a loader.
    public init(dataLoader: any DataLoading) {
        self.init()
        self.dataLoader = dataLoader
    }

    /// The standard configuration with ``/FirnCache/ImageCache/shared`` and a data cache in the user's cache directory;
    /// see ``withDataCache(name:sizeLimit:dataCachePolicy:)``.
    public static var withDataCache: ImagePipeline.Configuration { withDataCache() }

    /// The standard configuration with ``/FirnCache/ImageCache/shared`` and a data cache of a name in the user's
    /// cache directory.
    ///
    /// Entries expire by the rules of HTTP; `freshness = .unlimited` keeps them forever, as Nuke does. As in Nuke,
    /// there is no data cache if there is no home directory or the name is not a file name.
    /// - Parameters:
    ///   - name: the name of the directory, by convention the program's reverse domain name.
    ///   - sizeLimit: the maximum number of bytes on disk. Default: 150 MiB, as in Nuke.
    ///   - dataCachePolicy: the images to store. Default: originals.
    public static func withDataCache(
        name: String = "firn.images", sizeLimit: Int? = nil,
        dataCachePolicy: ImagePipeline.DataCachePolicy = .storeOriginalData
    ) -> ImagePipeline.Configuration {
        var configuration = ImagePipeline.Configuration()
        configuration.dataCachePolicy = dataCachePolicy
        configuration.dataCache = try? DataCache(name: name, sizeLimit: sizeLimit ?? 150 << 20)
        return configuration
    }

    /// True if the bytes of an abandoned transfer are kept in memory, so that it can be resumed. Default: yes.
    ///
    /// For bytes on disk, see `partialDataCache`.
    public var isResumableDataEnabled: Bool {
        get { scheduling.partialBodyLimit > 0 }
        set {
            guard newValue != isResumableDataEnabled else { return }
            scheduling.partialBodyLimit = newValue ? ImagePipeline.Scheduling().partialBodyLimit : 0
        }
    }

    /// True if bursts of transfers that are started and cancelled at once are rate-limited; see
    /// ``/FirnPipeline/ImagePipeline/Scheduling/rateLimit``.
    public var isRateLimiterEnabled: Bool {
        get { scheduling.isRateLimiterEnabled }
        set { scheduling.isRateLimiterEnabled = newValue }
    }

    /// The maximum number of bytes of a file; `nil` for no limit.
    public var maximumResponseDataSize: Int? {
        get { limits.maximumBytes }
        set { limits.maximumBytes = max(0, newValue ?? .max) }
    }
}
