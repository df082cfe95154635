public import Firn
import Foundation

extension ImagePipeline.Configuration {
    /// Creates the default configuration with a loader.
    public init(dataLoader: any DataLoading) {
        self.init()
        self.dataLoader = dataLoader
    }

    /// The standard configuration with ``/FirnCache/ImageCache/shared`` and a data cache in the user's cache directory;
    /// see ``withDataCache(name:sizeLimit:)``.
    public static var withDataCache: ImagePipeline.Configuration { withDataCache() }

    /// The standard configuration with ``/FirnCache/ImageCache/shared`` and a data cache of a name in the user's
    /// cache directory.
    ///
    /// What is kept is judged by the rules of HTTP, and not kept forever as in Nuke; `freshness = .unlimited` keeps it
    /// forever. Without a home directory, and for a name that is no file name, there is no data cache, as in Nuke.
    /// - Parameters:
    ///   - name: names the directory; by custom the program's reverse domain name.
    ///   - sizeLimit: most bytes on disk. Default: 150 MiB, as in Nuke.
    public static func withDataCache(
        name: String = "firn.images", sizeLimit: Int? = nil
    ) -> ImagePipeline.Configuration {
        let limits = DataCacheLimits(bytes: sizeLimit ?? 150 << 20)
        var configuration = ImagePipeline.Configuration()
        configuration.dataCache = try? DataCache(name: name, limits: limits)
        return configuration
    }

    /// True if the bytes of a transfer that was given up are kept in memory, to go on from there. Default: yes.
    ///
    /// Sets ``/FirnPipeline/ImagePipeline/Scheduling/partialBodyLimit``; bytes on disk are a matter of
    /// `partialDataCache`.
    public var isResumableDataEnabled: Bool {
        get { scheduling.partialBodyLimit > 0 }
        set {
            guard newValue != isResumableDataEnabled else { return }
            scheduling.partialBodyLimit = newValue ? ImagePipeline.Scheduling().partialBodyLimit : 0
        }
    }

    /// True if bursts of transfers that are started and cancelled at once are rate-limited: the setting of
    /// ``/FirnPipeline/ImagePipeline/Scheduling``.
    public var isRateLimiterEnabled: Bool {
        get { scheduling.isRateLimiterEnabled }
        set { scheduling.isRateLimiterEnabled = newValue }
    }

    /// Most bytes of a file; `nil` for as many as can be counted.
    public var maximumResponseDataSize: Int? {
        get { limits.maximumBytes }
        set { limits.maximumBytes = max(0, newValue ?? .max) }
    }
}
