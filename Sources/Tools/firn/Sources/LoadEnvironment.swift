import FirnSync
import FoundationEssentials

/// The pipeline of a batch, and its data cache.
struct LoadEnvironment: Sendable {
    let pipeline: ImagePipeline
    private let cache: DataCache?
    private let failures = CacheFailures()
    private let redaction: AddressRedaction

    /// - Throws: `ExitCode` if other users can write to the folder that the user named; the reason was reported.
    ///   Without access to the default folder, the pipeline continues without a cache and reports that.
    init(_ options: SourceOptions, observers: [any PipelineObserver] = [], usesTiles: Bool = false) throws {
        var loader = DataLoader.Configuration()
        loader.totalTimeout = options.timeout?.duration
        loader.limits = options.limits?.limits ?? ImageLimits()
        if options.trustLists { loader.untrustedPolicy = nil }
        var configuration = ImagePipeline.Configuration.ephemeral
        configuration.limits = loader.limits
        configuration.dataLoader = DataLoader(configuration: loader)
        // Every image is loaded once, so a memory cache would only use memory.
        configuration.imageCache = nil
        // Animations are not played here.
        configuration.keepsAnimationData = false
        let folder = options.noCache ? nil : options.cache ?? LoadEnvironment.userFolder
        let isShared = options.sharedCache
        if let named = options.cache { try LoadEnvironment.check(named, isShared: isShared) }
        cache = folder.map { DataCache(directory: $0, isShared: isShared) }
        configuration.dataCache = cache
        if usesTiles, let folder {
            configuration.bitmapStore = BitmapStore(
                directory: folder, limits: LoadEnvironment.tileLimits, isShared: isShared)
        }
        // A run loads few regions; `firn pyramid` builds tiles ahead.
        configuration.automaticPyramidPixels = .max
        configuration.observers = observers + [failures]
        configuration.partialDataCache = cache?.partialBodies
        pipeline = ImagePipeline(configuration: configuration)
        redaction = options.redaction
    }

    /// Writes staged cache entries and reports a failure of the cache.
    func finish() {
        cache?.flush()
        if let error = failures.error { StandardError.line("firn: cache: \(redaction.text(error.message))") }
    }

    /// Checks the folder of a cache.
    ///
    /// - Throws: `ExitCode` if other users can write to it and it is not shared. The reason was reported.
    static func check(_ folder: String, isShared: Bool) throws {
        guard !isShared else { return }
        do throws(DataCachingError) {
            try DataCache.check(directory: folder)
        } catch {
            throw ExitCode.reported("\(error.message); name a folder of your own, or pass --shared-cache")
        }
    }

    /// The limits of tiles: 16 GiB, enough for three images of a gigapixel, and half of the free space.
    static let tileLimits = BitmapStoreLimits(bytes: 16 << 30, entryBytes: 32 << 20, freeSpaceShare: 0.5)

    /// `firn` in the user's cache folder; `nil` for a user without a home.
    static var userFolder: String? {
        try? DataCache.userDirectory("firn", environment: ProcessInfo.processInfo.environment)
    }
}

/// Records the first failure of the data cache for a message, since a failing cache does not fail a load.
private final class CacheFailures: PipelineObserver {
    private let first = Locked<DataCachingError?>(nil)

    var error: DataCachingError? { first.withLock { $0 } }

    func pipeline(didObserve event: PipelineEvent) {
        guard case .dataCacheFailed(let error, _) = event.kind else { return }
        first.withLock { $0 = $0 ?? error }
    }
}
