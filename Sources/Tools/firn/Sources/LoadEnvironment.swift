import ArgumentParser
import Firn
import FirnReport
import FirnSync
import FoundationEssentials

/// The pipeline of a batch, and its data cache.
struct LoadEnvironment: Sendable {
    let pipeline: ImagePipeline
    private let cache: FailureRecordingCache?
    private let redaction: AddressRedaction

    /// - Throws: `ExitCode` if other users can write to the folder that the user named; the reason was reported.
    ///   Without access to the default folder, the pipeline continues without a cache and reports that.
    init(_ options: SourceOptions, observers: [any PipelineObserver] = [], usesTiles: Bool = false) throws {
        var loader = DataLoader.Configuration()
        loader.totalTimeout = options.timeout?.duration
        loader.limits = options.limits?.limits ?? ImageLimits()
        if options.trustLists { loader.network.untrustedRequests = nil }
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
        let stored = folder.map { DataCache(directory: $0, isShared: isShared) }
        cache = stored.map { FailureRecordingCache($0) }
        configuration.dataCache = cache
        if usesTiles, let folder {
            configuration.bitmapStore = BitmapStore(
                directory: folder, limits: LoadEnvironment.tileLimits, isShared: isShared)
        }
        // A run loads few regions; `firn pyramid` builds tiles ahead.
        configuration.automaticPyramidPixels = .max
        configuration.observers = observers
        configuration.partialDataCache = stored?.partialBodies
        pipeline = ImagePipeline(configuration: configuration)
        redaction = options.redaction
    }

    /// Writes staged cache entries and reports a failure of the cache.
    func finish() {
        cache?.flush()
        if let failure = cache?.failure { StandardError.line("firn: cache: \(redaction.text(failure.message))") }
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

/// A data cache that records its first failure for a message, since a failing cache does not fail a load.
final class FailureRecordingCache: DataCaching {
    private let cache: DataCache
    private let first = Locked<DataCachingError?>(nil)

    init(_ cache: DataCache) { self.cache = cache }

    /// Writes staged entries and counts. Blocks.
    func flush() { cache.flush() }

    var failure: DataCachingError? { first.withLock { $0 } }

    func entry(for key: String) throws(DataCachingError) -> DataCacheEntry? {
        do throws(DataCachingError) { return try cache.entry(for: key) } catch { throw noted(error) }
    }

    func contains(_ key: String) -> Bool { cache.contains(key) }

    func store(_ entry: DataCacheEntry, for key: String) throws(DataCachingError) {
        do throws(DataCachingError) { try cache.store(entry, for: key) } catch { throw noted(error) }
    }

    func stage(_ entry: DataCacheEntry, for key: String, done: @escaping @Sendable (DataCachingError?) -> Void) {
        cache.stage(entry, for: key) { error in done(error.map { self.noted($0) }) }
    }

    func remove(_ key: String) throws(DataCachingError) {
        do throws(DataCachingError) { try cache.remove(key) } catch { throw noted(error) }
    }

    func removeAll() throws(DataCachingError) {
        do throws(DataCachingError) { try cache.removeAll() } catch { throw noted(error) }
    }

    private func noted(_ error: DataCachingError) -> DataCachingError {
        first.withLock { if $0 == nil { $0 = error } }
        return error
    }
}
