public import FoundationEssentials

extension ImagePipeline {
    /// The pipeline's caches, by request. Its calls block on the disk by default; see ``Cache``.
    public var cache: Cache { Cache(pipeline: self) }

    /// Reads, writes and removes entries of a pipeline's caches, by request. Uses the same keys as loads, including
    /// those of a delegate. An image that a load has returned is found at once, even before it is written. A running
    /// load does not restore a removed entry when it ends. The options of a request apply: nothing is found in a cache
    /// that it must not read, and nothing is stored in one that it must not write.
    ///
    /// By default, every call uses all layers and **blocks on the disk** on the caller's thread.
    /// ``cachedImage(for:caches:)-(ImageRequest,_)`` also decodes there, and ``storeCachedImage(_:for:caches:)``
    /// encodes there. Do not call them on a drawing thread or on a thread of Swift's concurrent executor. With
    /// `caches: .memory` a call returns at once. So does the subscript, which uses the memory cache alone.
    public struct Cache: Sendable {
        let pipeline: ImagePipeline
        private var engine: Engine { pipeline.engine }
        private var layers: PipelineCaches { engine.caches }

        // MARK: Images

        /// The image of a request in the memory cache, or its preview; setting `nil` removes it there.
        public subscript(request: ImageRequest) -> ImageContainer? {
            get {
                // Without a set, which would be allocated.
                let request = pipeline.keyed(request)
                return pipeline.cached(request) ?? previewInMemory(request)
            }
            nonmutating set {
                if let newValue {
                    storeCachedImage(newValue, for: request, caches: .memory)
                } else {
                    removeCachedImage(for: request, caches: .memory)
                }
            }
        }

        /// The image at an address in the memory cache, or its preview; setting `nil` removes it there.
        public subscript(url: URL) -> ImageContainer? {
            get { self[ImageRequest(url: url)] }
            nonmutating set { self[ImageRequest(url: url)] = newValue }
        }

        /// Returns the image of a request from memory, from the bitmap store, or from the data cache. The data cache
        /// may have the image itself, one with some of the processors applied, or the original; it is decoded and
        /// processed on this thread.
        ///
        /// Returns a preview in the memory cache only if no layer has the image; see
        /// ``/FirnImage/ImageContainer/isPreview``. Removes an entry that cannot be decoded.
        ///
        /// - Parameter caches: the layers to read. Default: all. Blocks on the disk unless it is `.memory`.
        /// - Returns: `nil` also if the bytes on disk are not an image, or a processor fails.
        public func cachedImage(for request: ImageRequest, caches: Set<ImageResponse.CacheType> = .all)
            -> ImageContainer?
        {
            let request = pipeline.keyed(request)
            if caches.contains(.memory), let container = pipeline.cached(request) { return container }
            if caches.includeDisk, let container = imageOnDisk(request) { return container }
            return caches.contains(.memory) ? previewInMemory(request) : nil
        }

        private func previewInMemory(_ request: ImageRequest) -> ImageContainer? {
            pipeline.lookUp(request).flatMap { $0.isPreview ? $0 : nil }
        }

        /// Stores an image as if it had been loaded: in the memory cache, in the bitmap store, and, encoded by the
        /// pipeline's ``ImagePipeline/Configuration/makeImageEncoder``, in the data cache. Skips caches that the
        /// pipeline does not have. A failed store is reported to the delegate and to observers.
        ///
        /// A preview (``/FirnImage/ImageContainer/isPreview``) is stored in memory alone. It ends no load: it is shown
        /// as a preview, and the load replaces it. An image without processors and target size replaces the original on
        /// disk.
        ///
        /// - Parameter caches: the layers to write. Default: all. Blocks on the disk unless it is `.memory`.
        public func storeCachedImage(
            _ container: ImageContainer, for request: ImageRequest, caches: Set<ImageResponse.CacheType> = .all
        ) {
            let request = pipeline.keyed(request)
            if caches.contains(.memory), request.writesMemory {
                layers.imageCache(for: request)?[request.imageCacheKey] = container
            }
            guard caches.includeDisk, request.options.writesDisk, !container.isPreview else { return }
            engine.dropStores(of: .bitmap(request.imageCacheKey))
            engine.dropStores(of: .entry(request.processedDataCacheKey))
            engine.store.keep(container, for: request)
        }

        /// Removes the image of a request from memory, from the bitmap store and from the data cache. Also removes the
        /// original and the images after some of the processors, the partial body of a cancelled load, the tiles of the
        /// whole image, and the record of a recent failure.
        ///
        /// Images of other sizes, and with other processors, stay in memory, where they may serve the next load;
        /// ``removeImages(for:caches:)-(ImageRequest,_)`` removes them, too. An entry that cannot be removed from disk
        /// stays, without an error.
        ///
        /// - Parameter caches: the layers to change. Default: all. Blocks on the disk unless it is `.memory`.
        public func removeCachedImage(for request: ImageRequest, caches: Set<ImageResponse.CacheType> = .all) {
            let request = pipeline.keyed(request)
            if caches.includeDisk { forget(request, caches) }
            if caches.contains(.memory) { layers.imageCache(for: request)?[request.imageCacheKey] = nil }
            guard caches.includeDisk else { return }
            if let sent = request.dataRequest {
                engine.partialBodies.drop(sent)
                engine.failures?.forget(sent)
            }
            try? layers.bitmapStore(for: request)?.remove(request.imageCacheKey)
            try? layers.bitmapStore(for: request)?.remove(request.pyramidKey)
            for key in [request.dataCacheKey] + request.processedImages.map(\.key) {
                layers.removeEntry(key, of: request)
            }
        }

        /// Removes everything that was made of a request's source: the original; the images in all sizes, regions and
        /// pixel formats, processed or not; the partial body of a cancelled load; the tiles; and the record of a recent
        /// failure.
        ///
        /// Running loads of the source do not enter `caches`, and later requests do not join them. An entry that cannot
        /// be removed from disk stays, without an error. A data cache of the program removes the original and the
        /// images that lead to the request's own, and others only with ``/FirnData/DataCaching/removeEntries(where:)``.
        ///
        /// - Parameters:
        ///   - request: any request for the source. Its size and processors do not matter.
        ///   - caches: the layers to change. Default: all. Blocks on the disk unless it is `.memory`: reads the header
        ///     of every file in the caches.
        public func removeImages(for request: ImageRequest, caches: Set<ImageResponse.CacheType> = .all) {
            let request = pipeline.keyed(request)
            let key = request.dataCacheKey
            let isMeant: (String) -> Bool = { ImageRequest.Identities.isKey($0, of: key) }
            if caches.includeDisk {
                engine.writer.forget(
                    caches, loads: { $0.dataCacheKey == key }, stores: { $0.request.dataCacheKey == key })
            }
            if caches.contains(.memory) { layers.imageCache(for: request)?.removeImages { isMeant($0.string) } }
            guard caches.includeDisk else { return }
            removeCachedImage(for: request, caches: .disk)
            _ = try? layers.bitmapStore(for: request)?.removeAll { isMeant($0.key) }
            try? layers.dataCache(for: request)?.removeEntries(where: isMeant)
        }

        /// Removes everything that was made of an address; see ``removeImages(for:caches:)-(ImageRequest,_)``.
        public func removeImages(for url: URL, caches: Set<ImageResponse.CacheType> = .all) {
            removeImages(for: ImageRequest(url: url), caches: caches)
        }

        /// Returns the image at an address, without processors; see ``cachedImage(for:caches:)-(ImageRequest,_)``.
        public func cachedImage(for url: URL, caches: Set<ImageResponse.CacheType> = .all) -> ImageContainer? {
            cachedImage(for: ImageRequest(url: url), caches: caches)
        }

        /// Returns whether a cache has the image at an address, without processors; see
        /// ``containsCachedImage(for:caches:)-(ImageRequest,_)``.
        public func containsCachedImage(for url: URL, caches: Set<ImageResponse.CacheType> = .all) -> Bool {
            containsCachedImage(for: ImageRequest(url: url), caches: caches)
        }

        /// Removes the image at an address, without processors; see
        /// ``removeCachedImage(for:caches:)-(ImageRequest,_)``. ``removeImages(for:caches:)-(URL,_)`` removes all
        /// sizes.
        public func removeCachedImage(for url: URL, caches: Set<ImageResponse.CacheType> = .all) {
            removeCachedImage(for: ImageRequest(url: url), caches: caches)
        }

        /// Drops the pending stores that are removed with the image of a request, and keeps running loads of its source
        /// from entering `caches`.
        private func forget(_ request: ImageRequest, _ caches: Set<ImageResponse.CacheType>) {
            let key = request.dataCacheKey
            var names: Set<PendingStore.Name> = [.entry(key), .bitmap(request.imageCacheKey)]
            for product in request.processedImages { names.insert(.entry(product.key)) }
            engine.writer.forget(caches) {
                $0.dataCacheKey == key
            } stores: { store in
                store.names.contains { names.contains($0) } || store.names.isEmpty && store.request.dataCacheKey == key
            }
        }

        /// Returns whether a cache has the image of a request, or can make it without a load. A preview does not count,
        /// and bytes on disk are not checked.
        ///
        /// - Parameter caches: the layers to read. Default: all. Blocks on the disk unless it is `.memory`.
        public func containsCachedImage(for request: ImageRequest, caches: Set<ImageResponse.CacheType> = .all) -> Bool
        {
            let request = pipeline.keyed(request)
            if caches.contains(.memory), pipeline.cached(request) != nil { return true }
            guard caches.includeDisk else { return false }
            if containsData(for: request) || layers.storedImage(for: request) != nil { return true }
            guard request.options.readsDisk else { return false }
            return request.processedImages.contains { layers.hasEntry($0.key, for: request) }
        }

        // MARK: Bytes

        /// Returns the bytes of a request on disk; `nil` if there are none.
        public func cachedData(for request: ImageRequest) -> DataCacheEntry? { entry(pipeline.keyed(request)) }

        /// Stores bytes on disk, as if they had been loaded. They are not checked.
        ///
        /// - Throws: ``/FirnData/DataCachingError``. An older entry, or none, then remains.
        public func storeCachedData(_ entry: DataCacheEntry, for request: ImageRequest) throws(DataCachingError) {
            let request = pipeline.keyed(request)
            guard request.options.writesDisk else { return }
            engine.dropStores(of: .entry(request.dataCacheKey))
            try layers.dataCache(for: request)?.store(entry, for: request.dataCacheKey)
        }

        /// Returns whether the disk has bytes of a request.
        public func containsData(for request: ImageRequest) -> Bool {
            let request = pipeline.keyed(request)
            return request.options.readsDisk && layers.hasEntry(request.dataCacheKey, for: request)
        }

        /// Removes the bytes of a request from disk.
        public func removeCachedData(for request: ImageRequest) { removeCachedImage(for: request, caches: .disk) }

        /// Removes everything from the configuration's caches. With `.disk`, also removes the bytes of
        /// abandoned transfers and the memory of recent failures, and the images of running loads are not stored.
        public func removeAll(caches: Set<ImageResponse.CacheType> = .all) {
            if caches.includeDisk { engine.writer.forget(caches, loads: { _ in true }, stores: { _ in true }) }
            if caches.contains(.memory) { pipeline.configuration.imageCache?.removeAll() }
            guard caches.includeDisk else { return }
            engine.partialBodies.removeAll()
            pipeline.forgetFailures()
            try? pipeline.configuration.partialDataCache?.removeAll()
            try? pipeline.configuration.dataCache?.removeAll()
            try? pipeline.configuration.bitmapStore?.removeAll()
        }

        // MARK: Keys

        /// Returns the key of a request's image in the memory cache.
        public func makeImageCacheKey(for request: ImageRequest) -> ImageCacheKey {
            pipeline.keyed(request).imageCacheKey
        }

        /// Returns the key of a request's bytes in the data cache.
        public func makeDataCacheKey(for request: ImageRequest) -> String { pipeline.keyed(request).dataCacheKey }

        private func imageOnDisk(_ request: ImageRequest) -> ImageContainer? {
            if let container = layers.storedImage(for: request) { return container }
            if request.processors.isEmpty, let part = engine.pyramids.tiles.tiledImage(for: request) { return part }
            guard request.options.readsDisk else { return nil }
            // Before the original, since fewer steps are left.
            for product in request.processedImages {
                guard let (entry, key) = layers.cachedEntry(product.key, for: request) else { continue }
                let bytes = FetchedBytes(entry.data, diskKey: key)
                if let made = engine.renderer.image(of: bytes, for: request.rest(after: product)) { return made }
            }
            guard let (entry, key) = layers.cachedEntry(request.dataCacheKey, for: request) else { return nil }
            return engine.renderer.image(of: FetchedBytes(entry.data, diskKey: key), for: request)
        }

        private func entry(_ request: ImageRequest) -> DataCacheEntry? {
            guard request.options.readsDisk else { return nil }
            return layers.cachedEntry(request.dataCacheKey, for: request)?.entry
        }
    }
}

extension Set<ImageResponse.CacheType> {
    /// Decoded images in memory.
    public static var memory: Set { [.memory] }
    /// The caches on disk: bytes, and decoded images in the bitmap store. They are used together, if a set has one.
    public static var disk: Set { [.disk, .bitmap] }
    /// All caches.
    public static var all: Set { [.memory, .disk, .bitmap] }

    var includeDisk: Bool { contains(.disk) || contains(.bitmap) }
}
