import Firn
import FirnReport
import FirnSystem

/// The pipeline of a batch, and its data cache.
struct LoadEnvironment {
    let pipeline: ImagePipeline
    let cache: FailureRecordingCache?

    /// - Parameters:
    ///   - options: the folder of the data cache, limits, and the trust in lists.
    ///   - observers: observers of the pipeline.
    ///   - usesTiles: whether the folder's pyramids of large images are used.
    init(_ options: SourceOptions, observers: [any PipelineObserver] = [], usesTiles: Bool = false) {
        var loader = DataLoader.Configuration()
        loader.totalTimeout = options.timeout?.duration
        loader.limits = options.limits?.applied(to: loader.limits) ?? loader.limits
        if options.trustLists { loader.untrustedNetwork = nil }
        var configuration = ImagePipeline.Configuration.standard(loader: loader)
        configuration.dataLoader = ListErrorAdvice(DataLoader(configuration: loader))
        // Every image is loaded once: a memory cache would only hold memory.
        configuration.imageCache = nil
        // Animations are not played here.
        configuration.keepsAnimationData = false
        let folder = options.noCache ? nil : options.cache ?? LoadEnvironment.userFolder
        cache = folder.map { FailureRecordingCache(DataCache(directory: $0)) }
        configuration.dataCache = cache
        if usesTiles, let folder {
            configuration.bitmapStore = BitmapStore(directory: folder, limits: LoadEnvironment.tileLimits)
        }
        // One run asks for few regions; `firn pyramid` builds ahead.
        configuration.automaticPyramidPixels = .max
        configuration.observers = observers
        configuration.partialDataCache = folder.map { DataCache(directory: "\($0)/partial", limits: .partialBodies) }
        pipeline = ImagePipeline(configuration: configuration)
    }

    /// The limits of tiles: 16 GiB, enough for three images of a gigapixel, and half of the free space.
    static let tileLimits = BitmapStoreLimits(bytes: 16 << 30, entryBytes: 32 << 20, freeSpaceShare: 0.5)

    /// `firn` in the user's cache folder; `nil` for a user without a home.
    ///
    /// - Source: XDG Base Directory Specification, `XDG_CACHE_HOME`.
    static var userFolder: String? {
        if let cache = variable("XDG_CACHE_HOME"), cache.hasPrefix("/") { return PathText.join(cache, "firn") }
        return variable("HOME").map { PathText.join($0, ".cache/firn") }
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }
}
