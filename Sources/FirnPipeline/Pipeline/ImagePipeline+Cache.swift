public import FirnData
public import FirnImage

extension ImagePipeline {
    /// The pipeline's caches, by request.
    public var cache: Cache { Cache(pipeline: self) }

    /// Reads, writes and removes what the caches of a pipeline have, by request: keys, a delegate's among them, are the
    /// same as for loads. A request's options count: what it may not read is not found, what it may not write is not kept.
    ///
    /// Calls that touch ``Caches/disk`` block on it, and those that make pictures of its bytes decode on the thread of the
    /// caller: not for a thread that draws. They take `.memory` alone if nothing else is said.
    public struct Cache: Sendable {
        let pipeline: ImagePipeline

        /// Layers.
        public struct Caches: OptionSet, Hashable, Sendable {
            /// The bits.
            public let rawValue: Int

            /// Layers from bits.
            public init(rawValue: Int) { self.rawValue = rawValue }

            /// Decoded pictures in memory.
            public static let memory = Caches(rawValue: 1 << 0)
            /// Bytes on disk, and decoded pictures in the bitmap store.
            public static let disk = Caches(rawValue: 1 << 1)
            /// Both.
            public static let all: Caches = [.memory, .disk]
        }

        // MARK: Pictures

        /// The picture of a request in the memory cache; setting `nil` removes it.
        public subscript(request: ImageRequest) -> ImageContainer? {
            get { cachedImage(for: request) }
            nonmutating set {
                if let newValue { storeCachedImage(newValue, for: request) } else { removeCachedImage(for: request) }
            }
        }

        /// The picture of a request: from memory, or decoded and processed as the request says from the bytes on disk.
        ///
        /// - Returns: `nil` also if the bytes on disk are no picture, or a processor fails.
        public func cachedImage(for request: ImageRequest, caches: Caches = .memory) -> ImageContainer? {
            let request = pipeline.keyed(request)
            if caches.contains(.memory), let container = pipeline.cached(request) { return container }
            guard caches.contains(.disk) else { return nil }
            if let container = pipeline.runner.environment.storedPicture(for: request) { return container }
            if let made = made(request) { return made }
            guard let entry = entry(request) else { return nil }
            return pipeline.runner.picture(of: FetchedBytes(entry.data, isFromDisk: true), for: request)
        }

        /// Keeps a picture in the memory cache, as if it had been loaded.
        public func storeCachedImage(_ container: ImageContainer, for request: ImageRequest) {
            let request = pipeline.keyed(request)
            guard request.options.writesMemory else { return }
            pipeline.runner.environment.imageCache(for: request)?[request.imageCacheKey] = container
        }

        /// Removes the picture of a request, and from disk the bytes it was made of.
        ///
        /// Pictures of other sizes, and with other processors, stay in memory and in the bitmap store.
        public func removeCachedImage(for request: ImageRequest, caches: Caches = .memory) {
            let request = pipeline.keyed(request)
            if caches.contains(.memory) {
                pipeline.runner.environment.imageCache(for: request)?[request.imageCacheKey] = nil
            }
            guard caches.contains(.disk) else { return }
            if let sent = request.dataRequest {
                pipeline.runner.keeper.drop(sent)
                pipeline.runner.environment.failures?.forget(sent)
            }
            try? pipeline.runner.environment.bitmapStore(for: request)?.remove(request.imageCacheKey)
            try? dataCache(request)?.remove(request.dataCacheKey)
            if request.isMade { try? dataCache(request)?.remove(request.madeDataCacheKey) }
        }

        /// Whether the memory cache has the picture of a request, or the disk the bytes for it.
        public func containsCachedImage(for request: ImageRequest, caches: Caches = .memory) -> Bool {
            let request = pipeline.keyed(request)
            if caches.contains(.memory), pipeline.cached(request) != nil { return true }
            return caches.contains(.disk) && containsData(for: request)
        }

        // MARK: Bytes

        /// The bytes of a request on disk.
        public func cachedData(for request: ImageRequest) -> DataCacheEntry? { entry(pipeline.keyed(request)) }

        /// Keeps bytes on disk, as if they had been loaded. They are not looked at.
        ///
        /// - Throws: ``/FirnData/DataCachingError``; an older entry, or none, is then there.
        public func storeCachedData(_ entry: DataCacheEntry, for request: ImageRequest) throws(DataCachingError) {
            let request = pipeline.keyed(request)
            guard request.options.writesDisk else { return }
            try dataCache(request)?.store(entry, for: request.dataCacheKey)
        }

        /// Whether the disk has bytes of a request.
        public func containsData(for request: ImageRequest) -> Bool {
            let request = pipeline.keyed(request)
            return request.options.readsDisk && dataCache(request)?.contains(request.dataCacheKey) == true
        }

        /// Removes the bytes of a request from disk.
        public func removeCachedData(for request: ImageRequest) { removeCachedImage(for: request, caches: .disk) }

        /// Removes everything from the configuration's caches; with ``Caches/disk`` also the bytes of transfers that were
        /// given up, and what failed lately.
        public func removeAll(caches: Caches = .all) {
            if caches.contains(.memory) { pipeline.configuration.imageCache?.removeAll() }
            guard caches.contains(.disk) else { return }
            pipeline.runner.keeper.removeAll()
            pipeline.forgetFailures()
            try? pipeline.configuration.partialDataCache?.removeAll()
            try? pipeline.configuration.dataCache?.removeAll()
            try? pipeline.configuration.bitmapStore?.removeAll()
        }

        // MARK: Keys

        /// The key of a request's picture in the memory cache.
        public func makeImageCacheKey(for request: ImageRequest) -> ImageCacheKey {
            pipeline.keyed(request).imageCacheKey
        }

        /// The key of a request's bytes in the data cache.
        public func makeDataCacheKey(for request: ImageRequest) -> String { pipeline.keyed(request).dataCacheKey }

        private func dataCache(_ request: ImageRequest) -> (any DataCaching)? {
            pipeline.runner.environment.dataCache(for: request)
        }

        /// The picture of a request as it was made before.
        private func made(_ request: ImageRequest) -> ImageContainer? {
            let environment = pipeline.runner.environment
            guard environment.dataCachePolicy.keepsMade, request.isMade, request.options.readsDisk,
                let entry = environment.cachedEntry(request.madeDataCacheKey, for: request)
            else { return nil }
            return pipeline.runner.picture(of: FetchedBytes(entry.data, isFromDisk: true), for: request.unmade)
        }

        private func entry(_ request: ImageRequest) -> DataCacheEntry? {
            guard request.options.readsDisk else { return nil }
            return try? dataCache(request)?.entry(for: request.dataCacheKey)
        }
    }
}

extension JobRunner {
    /// The picture that a request makes of bytes, made on this thread; `nil` if it cannot be.
    ///
    /// - Parameter reserve: asked for the memory of the decode; after `false` there is no picture.
    func picture(
        of bytes: FetchedBytes, for request: ImageRequest, reserve: (Int) -> Bool = { _ in true }
    ) -> ImageContainer? {
        var work = JobWork(fetching: request)
        work.product = .bytes(bytes)
        work.isFinished = true
        let steps = request.steps
        for index in 0..<steps.count {
            work = JobWork(steps[index], of: work)
            let outcome =
                switch steps[index] {
                case .plainDecode, .decode: DecodeStage(environment: environment).run(work, reserve: reserve)
                case .process: ProcessStage().run(work)
                }
            guard case .finished = outcome else { return nil }
        }
        if case .picture(let origin, _) = work.product { return origin.container }
        return nil
    }
}
