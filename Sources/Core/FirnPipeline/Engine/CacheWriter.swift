import FirnSync

/// Decides which results of jobs the caches store, and runs the stores. No task waits for a store.
struct CacheWriter: Sendable {
    let shell: TableShell
    let caches: PipelineCaches
    let stage: StoreStage
    let pyramids: PyramidBuilds

    /// Removes the images of the bytes that a reload has replaced, once the new bytes have arrived.
    ///
    /// Order: before the first image of the new version enters a cache.
    func dropOldVersion(_ job: EngineJob, _ outcome: StageOutcome) {
        guard let old = job.oldVersion, case .done(let product?) = outcome, product.source.cacheType == nil, old.take()
        else { return }
        // Stores without a name are of partial bodies, which the reload itself may just have dropped.
        _ = caches.pending.drop { !$0.names.isEmpty && $0.request.dataCacheKey == job.request.dataCacheKey }
        dropImages(of: job.request)
    }

    /// Removes the images of a source from memory, and marks those on disk as outdated.
    private func dropImages(of request: ImageRequest) {
        let key = request.dataCacheKey
        caches.imageCache(for: request)?.removeImages { ImageRequest.Identities.isKey($0.string, of: key) }
        guard caches.keepsBitmaps || caches.dataCachePolicy.keepsProcessed else { return }
        caches.outdated.withLock { _ = $0.insert(key) }
        shell.changeIfOpen { $0.addStore(PendingStore(.outdated, for: request), caches.pending) }
    }

    /// Drops the images of an address that an unsafe request has changed (RFC 9111 §4.4). Its bytes in the data cache
    /// are removed already.
    func invalidate(_ address: String) {
        let resource = WebAddress.resource(of: address)
        let isMeant: (ImageRequest) -> Bool = { request in
            request.dataRequest.map { WebAddress.resource(of: $0.url) == resource } ?? false
        }
        forget(.all, loads: isMeant) { isMeant($0.request) }
        dropImages(of: ImageRequest(dataRequest: DataRequest(url: address)))
    }

    /// Drops pending stores, and keeps running loads from entering caches when they end. Tasks that are added later do
    /// not join these loads. Returns when no cache is being called for a dropped store.
    ///
    /// Order: called before anything is removed from the caches.
    /// - Parameters:
    ///   - caches: the caches that the loads may not enter.
    ///   - isLoad: whether the load of a request is meant.
    ///   - isStore: whether a pending store is meant.
    func forget(
        _ caches: Set<ImageResponse.CacheType>, loads isLoad: (ImageRequest) -> Bool,
        stores isStore: (PendingStore) -> Bool
    ) {
        // Order: under the lock of the table, under which stores are added.
        let dropped = shell.change { state in
            let closed = state.table.close(where: { isLoad($0.request) }, orWith: { isLoad($0.request) })
            for job in closed { job.forget(caches) }
            return self.caches.pending.drop(where: isStore)
        }
        pyramids.cancel(where: isLoad)
        for store in dropped { store.waitForCall() }
    }

    /// Puts the image of a job into the memory cache, and requests a store of its bitmap.
    ///
    /// Order: before the job leaves the table, so that a concurrent request finds one or the other.
    /// - Parameter endings: the tasks that end with it.
    func cacheImage(of job: EngineJob, _ outcome: StageOutcome, for endings: some Collection<ImageTask>) {
        guard !endings.isEmpty, case .done(.image(let origin, _)?) = outcome, origin.container.freshNanoseconds != .min
        else { return }
        cacheImage(origin.container, for: endings, of: job)
        storeBitmap(origin, of: job, for: endings)
    }

    /// Puts the stale image of a refused task into the memory cache, where later views find it. The refusal removes its
    /// bytes from the data cache.
    func keepStale(_ container: ImageContainer, for task: ImageTask, of job: EngineJob) {
        let request = task.request
        guard caches.keepsImages, caches.imageCache(for: request)?[request.imageCacheKey] == nil else {
            return
        }
        cacheImage(container, for: [task], of: job)
    }

    /// Puts an image into the memory caches of tasks, unless the job was forgotten.
    func cacheImage(_ container: ImageContainer, for endings: some Collection<ImageTask>, of job: EngineJob) {
        if job.isForgotten(.memory) { return }
        setImage(container, for: endings)
        // A removal in the meantime has not seen the image.
        if job.isForgotten(.memory) { setImage(nil, for: endings) }
    }

    private func setImage(_ container: ImageContainer?, for endings: some Collection<ImageTask>) {
        var last: ImageCacheKey?
        for task in endings where task.request.writesMemory && task.request.imageCacheKey != last {
            caches.imageCache(for: task.request)?[task.request.imageCacheKey] = container
            last = task.request.imageCacheKey
        }
    }

    /// Requests a store, unless the job was forgotten. Called under the lock of the table.
    private func add(
        _ content: StoredContent, for request: ImageRequest, of job: EngineJob, _ state: inout TableState
    ) {
        if !job.isForgotten(.disk) { return state.addStore(PendingStore(content, for: request), caches.pending) }
        // No task has ended with the bytes yet, so no closure waits for the store.
        if case .original(let bytes) = content { _ = bytes.noteStored(.skipped) }
    }

    /// Requests a store of the bitmap for each key of the tasks that end with it.
    private func storeBitmap(
        _ origin: ImageResponse.Origin, of job: EngineJob, for endings: some Collection<ImageTask>
    ) {
        // A bitmap does not say which request it belongs to.
        guard caches.keepsBitmaps, !origin.container.varies else { return }
        // An image of the memory cache was stored before.
        if case .useMemoryImage = job.work { return }
        var last: ImageCacheKey?
        for task in endings where task.request.options.writesDisk && task.request.imageCacheKey != last {
            guard !task.request.wantsBytes, caches.bitmapStore(for: task.request) != nil else { continue }
            last = task.request.imageCacheKey
            shell.changeIfOpen { add(.bitmap(origin), for: task.request, of: job, &$0) }
        }
    }

    /// Adds the stores of a job's product that the policy requires. Called under the lock of the table.
    ///
    /// - Parameter ended: the tasks that end with the job.
    func addStores(
        of job: EngineJob, _ outcome: StageOutcome, _ ended: ArraySlice<ImageTask>,
        isUnwanted: Bool, _ state: inout TableState
    ) {
        guard case .done(let product?) = outcome else { return }
        let policy = caches.dataCachePolicy
        if case .bytes(let bytes) = product {
            // The bytes of a transfer that was completed without waiting tasks.
            if isUnwanted, bytes.mayStore, policy != .storeEncodedImages {
                add(.original(bytes), for: job.request, of: job, &state)
            }
            return
        }
        let bytes = product.source
        guard policy.keepsProcessed else {
            if bytes.takeStore() { add(.original(bytes), for: job.request, of: job, &state) }
            return
        }
        let isAnimation = bytes.isAnimation
        if bytes.mayStore, isAnimation || policy.keepsOriginal(for: ended.lazy.map(\.request)), bytes.takeStore() {
            add(.original(bytes), for: job.request, of: job, &state)
        }
        guard case .image(let origin, _) = product, !isAnimation, !origin.container.isPreview else { return }
        var last: String?
        for task in ended {
            let request = task.request
            guard policy.encodes(request), request.options.writesDisk, request.isKeptOnDisk, !request.wantsBytes,
                // The file of a processed image has no gain map.
                !request.options.contains(.includeGainMap),
                // An image that was read from the data cache is already stored.
                task.route.place != .processed, request.isProcessed || !bytes.isFromDisk,
                request.processedDataCacheKey != last
            else { continue }
            last = request.processedDataCacheKey
            add(.encoded(origin, bytes), for: request, of: job, &state)
        }
    }

    /// Stores bytes that are the result of tasks without a decode, if a decoder recognizes their first bytes.
    func store(_ bytes: FetchedBytes, of job: EngineJob) {
        let request = job.request
        guard bytes.mayStore, caches.dataCachePolicy != .storeEncodedImages,
            stage.isImage(bytes, request), bytes.takeStore()
        else { return }
        shell.changeIfOpen { add(.original(bytes), for: request, of: job, &$0) }
    }

    /// Stores or drops the first bytes of a body.
    func store(_ part: PartialPart, of job: EngineJob) {
        shell.changeIfOpen { add(.part(part), for: job.request, of: job, &$0) }
    }

    /// Runs a store. The cache may write later.
    func run(_ store: PendingStore) -> StageOutcome {
        let (content, request) = (store.content, store.request)
        let result = Locked<StoreResult?>(nil)
        stage.run(store) { [caches] ending in
            // Order: first, since a delegate that hears of a failure may remove entries.
            store.end()
            if case .failed(let error) = ending { caches.report(error, of: request) }
            result.withLock { $0 = ending }
            caches.pending.written(store, ending)
        }
        // Order: after the cache has the content, so that a lookup finds one or the other.
        store.end()
        caches.pending.remove(store)
        if case .original(let bytes) = content {
            // A cache returns an entry as soon as it has accepted it, even if it writes it later.
            let known = result.withLock { $0 } ?? .stored
            for body in bytes.noteStored(known) { body(known) }
        }
        return .done(nil)
    }
}
