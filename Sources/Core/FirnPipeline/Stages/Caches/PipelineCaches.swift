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

    // Lookups in the memory cache.

    /// The image of a request in the memory cache, if its file has not changed since the decode. Never a preview.
    func cachedImage(for request: ImageRequest) -> ImageContainer? {
        guard let container = imageCache(for: request)?[request.imageCacheKey], !container.isPreview else { return nil }
        return isCurrent(container, of: request) ? container : nil
    }

    /// The same, if the request may read the memory cache.
    func readableImage(for request: ImageRequest) -> ImageContainer? {
        keepsImages && request.readsMemory ? cachedImage(for: request) : nil
    }

    /// The same image at other sizes.
    func cachedRelatives(of key: ImageCacheKey, for request: ImageRequest) -> [ImageContainer] {
        guard var found = imageCache(for: request)?.relatives(of: key), !found.isEmpty else { return [] }
        if freshness != nil { found.removeAll { !isFresh($0, for: request) || !isSelected($0, by: request) } }
        guard let path = request.identities.path else { return found }
        let version = currentVersion(path)
        return found.filter { $0.sourceVersion == nil || $0.sourceVersion == version }
    }

    /// Returns whether an image is fresh, is the variant that the request selects, and its file has not changed since
    /// the decode.
    ///
    /// Costs one system call for files, and one read of the clock for images that expire.
    @inline(__always)
    func isCurrent(_ container: ImageContainer, of request: ImageRequest) -> Bool {
        if container.freshNanoseconds != .max, !isFresh(container, for: request) { return false }
        if !isSelected(container, by: request) { return false }
        guard let version = container.sourceVersion else { return true }
        return isCurrent(version, of: request)
    }

    /// The current version of the file at `path`, as far as the system knows it without contacting a file server;
    /// `nil` if there is no file.
    func currentVersion(_ path: String) -> SourceVersion? {
        (try? files.knownStatus(path)).map { SourceVersion($0) }
    }

    /// Returns whether an image may be used without a revalidation.
    func isFresh(_ container: ImageContainer, for request: ImageRequest) -> Bool {
        guard container.freshNanoseconds != .max, let freshness else { return true }
        let moment = freshness.moment
        return moment < container.freshNanoseconds && moment >= container.freshSince
            || freshness.mode(for: request) == .unlimited
            || !request.options.loads
    }

    /// Returns whether a request selects this variant of the images at its address. Calls the delegate only if the
    /// response depends on fields of the request.
    @inline(__always)
    func isSelected(_ container: ImageContainer, by request: ImageRequest) -> Bool {
        !container.varies || freshness?.selects(container.selecting, request) ?? true
    }

    private func isCurrent(_ version: SourceVersion, of request: ImageRequest) -> Bool {
        guard let path = request.identities.path else { return true }
        return currentVersion(path) == version
    }

    // Lookups in the bitmap store and in pending stores.

    /// The image of a request in the bitmap store, or about to be stored there, if its file has not changed since the
    /// decode. Blocks on disk I/O.
    func storedImage(for request: ImageRequest) -> ImageContainer? {
        guard request.options.readsDisk, !request.wantsBytes, let store = bitmapStore(for: request) else { return nil }
        if case .bitmap(let origin)? = pendingStore(.bitmap(request.imageCacheKey), for: request)?.content,
            isCurrent(origin.container, of: request)
        {
            return origin.container
        }
        if isReplaced(request) { return nil }
        guard var container = store.image(for: request.imageCacheKey) else { return nil }
        // The store does not know which part of the original it keeps.
        if let region = request.region { container.area = container.originalSize.flatMap { region.resolved(in: $0) } }
        if isCurrent(container, of: request) { return container }
        try? store.remove(request.imageCacheKey)
        return nil
    }

    /// The entry that a pending store will write under a key. May encode an image.
    func pendingEntry(_ key: String, for request: ImageRequest) -> DataCacheEntry? {
        pendingStore(.entry(key), for: request).flatMap { entry(of: $0) }
    }

    /// Returns whether the data cache of a request has an entry, or will have it.
    func hasEntry(_ key: String, for request: ImageRequest) -> Bool {
        guard let cache = dataCache(for: request) else { return false }
        if let store = pendingStore(.entry(key), for: request),
            freshness(of: store) != nil
        {
            return true
        }
        return !isOutdated(key, for: request) && cache.contains(key)
    }

    /// Returns whether the processed image of a key is of a version that a reload has replaced.
    func isOutdated(_ key: String, for request: ImageRequest) -> Bool {
        key != request.dataCacheKey && isReplaced(request)
    }

    /// Returns whether images of a request's source on disk are of a version that a reload has replaced.
    func isReplaced(_ request: ImageRequest) -> Bool { outdated.withLock { $0.contains(request.dataCacheKey) } }

    /// The image of a request that a pending store will encode for the data cache.
    func pendingImage(for request: ImageRequest) -> ImageContainer? {
        guard request.options.readsDisk, !request.wantsBytes, dataCache(for: request) != nil,
            let store = pendingStore(.encoded(request.imageCacheKey), for: request),
            case .encoded(let origin, _) = store.content, freshness(of: store) != nil,
            isCurrent(origin.container, of: request)
        else { return nil }
        return origin.container
    }

    /// The pending store of a name, if it writes to the caches of a request.
    private func pendingStore(_ name: PendingStore.Name, for request: ImageRequest) -> PendingStore? {
        guard let store = pending.store(name) else { return nil }
        guard let choices else { return store }
        guard let written = choices.dataCache(for: store.request), let read = choices.dataCache(for: request) else {
            return nil
        }
        return (written as AnyObject) === (read as AnyObject) ? store : nil
    }

    /// Returns whether the image of a request has a pyramid, current or not. Blocks on the disk.
    func hasPyramid(_ request: ImageRequest) -> Bool {
        bitmapStore(for: request)?.pyramid(for: request.pyramidKey) != nil
    }
}

extension SourceVersion {
    init(_ status: FileStatus) {
        self.init(size: status.size, modified: status.modified, changed: status.changed, inode: status.inode)
    }
}
