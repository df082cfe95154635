import FirnSync
import Synchronization

/// The caches of a pipeline, or those that its delegate chooses for a request, and the contents that wait to be stored
/// in them.
///
/// A class, since a copy of a struct would retain all parts, on all cores at once.
final class PipelineCaches: Sendable {
    private let configuration: ImagePipeline.Configuration
    var files: any FileSystem { configuration.files }
    /// Chooses the caches of each request; `nil` if all requests have the same ones.
    let choices: DelegateLink?
    let emitter: EventEmitter
    /// Decides what the data cache stores. The default if there is no encoder.
    let dataCachePolicy: DataCachePolicy
    /// Decides how long stored bytes are fresh; `nil` for forever.
    let freshness: FreshnessRules?
    /// True if there can be a memory cache.
    let keepsImages: Bool
    /// True if there is a bitmap store, and whether all requests have a data cache. Read without a copy of the parts.
    let keepsBitmaps: Bool
    private let keepsData: Bool
    /// Contents that were loaded and are not stored yet.
    let pending = PendingStores()
    /// The data-cache keys of sources whose images on disk are of an older version. Lookups do not use these images.
    let outdated = Locked<Set<String>>([])
    /// The number of images that the memory cache had.
    let memoryHits = CoreCounter()
    /// The number of lookups that failed with an error of a data cache.
    let failedLookups = Atomic<Int>(0)
    /// The messages of refused cache folders that were reported. Every later call fails with the same message.
    private let reportedRefusals = Locked<Set<String>>([])

    init(_ configuration: ImagePipeline.Configuration, _ choices: DelegateLink?, _ emitter: EventEmitter) {
        self.configuration = configuration
        self.choices = choices
        self.emitter = emitter
        let encodes = configuration.imageEncoder != nil || configuration.encoderChoice != nil || choices != nil
        dataCachePolicy = encodes ? configuration.dataCachePolicy : .storeOriginalData
        freshness = configuration.httpCachePolicy.map { FreshnessRules($0, configuration, choices) }
        keepsImages = configuration.imageCache != nil || choices != nil
        keepsBitmaps = configuration.bitmapStore != nil
        keepsData = configuration.dataCache != nil
    }

    func imageCache(for request: ImageRequest) -> (any ImageCaching)? {
        choices == nil ? configuration.imageCache : choices?.imageCache(for: request)
    }

    func dataCache(for request: ImageRequest) -> (any DataCaching)? {
        choices == nil ? configuration.dataCache : choices?.dataCache(for: request)
    }

    /// Returns whether the request has a data cache. Retains nothing if there is no delegate.
    func hasDataCache(for request: ImageRequest) -> Bool {
        choices == nil ? keepsData : choices?.dataCache(for: request) != nil
    }

    /// The store for a request; `nil` if its source has no stable name, or if the delegate chooses no data cache.
    func bitmapStore(for request: ImageRequest) -> BitmapStore? {
        guard let store = configuration.bitmapStore, !request.wantsOriginal,
            !request.options.contains(.includeGainMap)
        else { return nil }
        switch request.source.reader {
        case .file, .loader, .closure: break
        case .bytes, .inline, .image, .nothing: return nil
        }
        if let choices, keepsData, choices.dataCache(for: request) == nil { return nil }
        return store
    }

    func encoder(_ container: ImageContainer, for request: ImageRequest) -> (any ImageEncoding)? {
        if choices == nil, configuration.encoderChoice == nil { return configuration.imageEncoder }
        let context = ImageEncodingContext(request: request, container: container)
        guard let choices else { return configuration.encoderChoice?(context) }
        return choices.delegate.imageEncoder(for: context, pipeline: choices.pipeline)
    }

    /// The entry of a request in the data cache, or about to be stored there. A failing cache behaves like an empty
    /// one.
    ///
    /// - Returns: the entry, and its own key: that of a variant if the address has several.
    func cachedEntry(_ key: String, for request: ImageRequest) -> (entry: DataCacheEntry, key: String)? {
        guard let cache = dataCache(for: request) else { return nil }
        if let entry = pendingEntry(key, for: request) { return (entry, key) }
        if isOutdated(key, for: request) { return nil }
        do throws(DataCachingError) {
            return try ResponseStore.entry(of: key, in: cache) { freshness?.sentFields(of: request) ?? [:] }
        } catch {
            failedLookups.add(1, ordering: .relaxed)
            report(error, of: request)
            return nil
        }
    }

    /// Removes the entry of a key from the data cache of a request, and its variants.
    func removeEntry(_ key: String, of request: ImageRequest) {
        guard let cache = dataCache(for: request) else { return }
        // Variants differ by what a delegate adds.
        if choices == nil { try? cache.remove(key) } else { ResponseStore.remove(key, in: cache) }
    }

    /// Reports a failed data cache to the delegate and the observers. A folder that is refused is reported once, for
    /// all caches in it.
    func report(_ error: DataCachingError, of request: ImageRequest) {
        if error.isRefusal, !reportedRefusals.withLock({ $0.insert(error.message).inserted }) { return }
        if let choices { choices.delegate.dataCacheFailed(with: error, for: request, pipeline: choices.pipeline) }
        emitter.emit(.dataCacheFailed(error, request))
    }
}
