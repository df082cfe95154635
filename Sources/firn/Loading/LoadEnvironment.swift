import ArgumentParser
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
    /// - Throws: `ExitCode` if other users can write to the folder that the user named. The reason was reported. With
    ///   the default folder, the pipeline goes on without it and reports that.
    init(_ options: SourceOptions, observers: [any PipelineObserver] = [], usesTiles: Bool = false) throws {
        var loader = DataLoader.Configuration()
        loader.totalTimeout = options.timeout?.duration
        loader.limits = options.limits?.applied(to: loader.limits) ?? loader.limits
        if options.trustLists { loader.network.untrustedRequests = nil }
        var configuration = ImagePipeline.Configuration.ephemeral
        configuration.limits = loader.limits
        configuration.dataLoader = ListErrorAdvice(DataLoader(configuration: loader))
        // Every image is loaded once: a memory cache would only hold memory.
        configuration.imageCache = nil
        // Animations are not played here.
        configuration.keepsAnimationData = false
        let folder = options.noCache ? nil : options.cache ?? LoadEnvironment.userFolder
        let isShared = options.sharedCache
        if let named = options.cache { try LoadEnvironment.check(named, isShared: isShared) }
        let stored = folder.map { DataCache(directory: $0, isShared: isShared) }
        cache = stored.map { FailureRecordingCache($0) }
        configuration.dataCache = cache
        if usesTiles, let folder {
            configuration.bitmapStore = BitmapStore(
                directory: folder, limits: LoadEnvironment.tileLimits, isShared: isShared)
        }
        // One run asks for few regions; `firn pyramid` builds ahead.
        configuration.automaticPyramidPixels = .max
        configuration.observers = observers
        configuration.partialDataCache = stored?.partialCache
        pipeline = ImagePipeline(configuration: configuration)
    }

    /// Checks the folder of a cache.
    ///
    /// - Throws: `ExitCode` if other users can write to it and it is not shared. The reason was reported.
    static func check(_ folder: String, isShared: Bool) throws {
        guard !isShared else { return }
        do throws(DataCachingError) {
            try DataCache.check(directory: folder)
        } catch {
            StandardError.line(
                "firn: \(error.message); name a folder of your own, or pass --shared-cache")
            throw ExitCode.someFailed
        }
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
