public import Firn

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

    /// There is no `URLCache`.
    @available(
        *, unavailable,
        message: "there is no URLCache; the data cache of every pipeline keeps originals by the rules of HTTP"
    )
    public static var withURLCache: ImagePipeline.Configuration { ImagePipeline.Configuration() }
}
