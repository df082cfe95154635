import FirnData
import FirnImage

// Lookups in the bitmap store.
extension StageEnvironment {
    /// The store for a request; `nil` if its source has no stable name, or if the delegate chooses no data cache.
    func bitmapStore(for request: ImageRequest) -> (any BitmapStoring)? {
        guard let store = configuration.bitmaps, !request.wantsOriginal else { return nil }
        switch request.source.reader {
        case .file, .loader, .closure: break
        case .bytes, .inline, .image, .nothing: return nil
        }
        if let choices, keepsData, choices.dataCache(for: request) == nil { return nil }
        return store
    }

    /// The image of a request in the bitmap store, or about to be stored there, if its file has not changed since the
    /// decode. Blocks on disk I/O.
    func storedImage(for request: ImageRequest) -> ImageContainer? {
        guard request.options.readsDisk, !request.wantsBytes, let store = bitmapStore(for: request) else { return nil }
        if let container = pendingBitmap(for: request) { return container }
        if outdated.contains(request.dataCacheKey) { return nil }
        guard var container = store.image(for: request.imageCacheKey) else { return nil }
        // The store does not know which part of the original it keeps.
        if let region = request.region { container.area = container.originalSize.flatMap { region.resolved(in: $0) } }
        if isCurrent(container, of: request) { return container }
        try? store.remove(request.imageCacheKey)
        return nil
    }
}
