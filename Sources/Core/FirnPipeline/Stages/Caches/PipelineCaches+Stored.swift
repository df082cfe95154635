import FirnSync

// Lookups in the bitmap store and in pending stores.
extension PipelineCaches {
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
