import FirnSync

/// Writes originals, encoded images and bitmaps to the disk caches. An error loses an entry but fails no load.
struct StoreStage {
    let caches: PipelineCaches
    let decoders: DecoderChoice
    /// Stores the first bytes of bodies while they arrive.
    let partialSegments: PartialSegmentCache?

    /// Passes an entry to the cache, which may write it later.
    ///
    /// - Parameter done: called once, on any thread, possibly after this has returned.
    func run(_ store: PendingStore, done: @escaping @Sendable (StoreResult) -> Void) {
        let (content, request) = (store.content, store.request)
        switch content {
        case .part(.forget):
            caches.removeEntry(request.dataCacheKey, of: request)
            return done(.skipped)
        case .part(.drop(let request)):
            if store.begin() { partialSegments?.drop(request) }
            return done(.skipped)
        case .part(.keep(let segment)):
            guard let segments = partialSegments, store.begin() else { return done(.skipped) }
            return segments.keep(segment) { error in done(error.map { .failed($0) } ?? .skipped) }
        case .bitmap(let origin):
            // A region is quickly made again from tiles.
            let isOfTiles = request.region != nil && request.processors.isEmpty && caches.hasPyramid(request)
            if isOfTiles { return done(.skipped) }
            return done(store.begin() ? self.store(origin.container, of: request) : .skipped)
        case .outdated:
            removeOutdated(request)
            return done(.skipped)
        case .original, .encoded: break
        }
        var arriving: ArrivingBody? = if case .original(let bytes) = content { bytes.arriving } else { nil }
        defer { arriving?.drop() }
        guard let cache = caches.dataCache(for: request) else { return done(.skipped) }
        let found: (DataCacheEntry, String)?
        do throws(DataCachingError) { found = try entry(toStore: store) } catch { return done(.failed(error)) }
        guard let (entry, key) = found, store.begin() else { return done(.skipped) }
        // Requests of one key differ only by what a delegate adds.
        guard caches.choices != nil, let stored = StoredResponse(entry), !stored.selecting.isEmpty else {
            let ended: @Sendable (DataCachingError?) -> Void = { error in done(error.map { .failed($0) } ?? .stored) }
            guard let body = arriving.take(), let cache = cache as? DataCache else {
                return cache.stage(entry, for: key, done: ended)
            }
            return cache.stage(entry, for: key, with: body, done: ended)
        }
        do throws(DataCachingError) {
            try ResponseStore.keep(entry, selecting: stored.selecting, for: key, in: cache)
            done(.stored)
        } catch { done(.failed(error)) }
    }

    /// Removes the images of replaced sources, all in one reading of the disk.
    ///
    /// Order: stores run one after the other, so no image of the new version is stored yet.
    private func removeOutdated(_ request: ImageRequest) {
        let keys = caches.outdated.withLock { $0 }
        if keys.isEmpty { return }
        let isOutdated: (String) -> Bool = { key in
            !keys.contains(key) && keys.contains { ImageRequest.Identities.isKey(key, of: $0) }
        }
        // A bitmap of the original size has the key of the source itself.
        _ = try? caches.bitmapStore(for: request)?.removeAll { keys.contains($0.key) || isOutdated($0.key) }
        if caches.dataCachePolicy.keepsProcessed {
            try? caches.dataCache(for: request)?.removeEntries(where: isOutdated)
        }
        caches.outdated.withLock { $0.subtract(keys) }
    }

    /// Returns the entry to store, and its key; `nil` for none.
    private func entry(toStore store: PendingStore) throws(DataCachingError) -> (DataCacheEntry, String)? {
        let (content, request) = (store.content, store.request)
        guard let bytes = content.source else { return nil }
        // The bytes of a transfer that was completed without tasks were not decoded. Their format has to be recognized.
        if content.isOriginal, bytes.takeStore(), !isImage(bytes, request) { return nil }
        guard let data = try caches.data(of: store) else { return nil }
        let kept = kept(data, for: request)
        let key = content.isOriginal ? request.dataCacheKey : request.processedDataCacheKey
        let freshness = caches.freshness?.freshness(of: bytes, for: request)
        if freshness?.mayKeep == false {
            // An older entry is out of date.
            caches.removeEntry(key, of: request)
            return nil
        }
        return kept.map {
            (caches.entry($0, of: bytes, freshness?.stored, isOriginal: key == request.dataCacheKey), key)
        }
    }

    /// Stores an image that the program has put into the caches, encoded and as a bitmap.
    func keep(_ container: ImageContainer, for request: ImageRequest) {
        if case .failed(let error) = store(container, of: request) { caches.report(error, of: request) }
        guard request.isKeptOnDisk, let cache = caches.dataCache(for: request) else { return }
        do throws(DataCachingError) {
            guard let data = try caches.encoded(container, request) else { return }
            cache.stage(DataCacheEntry(data: data), for: request.processedDataCacheKey) { [caches] error in
                if let error { caches.report(error, of: request) }
            }
        } catch {
            caches.report(error, of: request)
        }
    }

    private func store(_ container: ImageContainer, of request: ImageRequest) -> StoreResult {
        guard let store = caches.bitmapStore(for: request) else { return .skipped }
        do throws(DataCachingError) {
            try store.store(container, for: request.imageCacheKey)
            return .stored
        } catch { return .failed(error) }
    }

    /// Returns whether a decoder recognizes the first bytes.
    func isImage(_ bytes: FetchedBytes, _ request: ImageRequest) -> Bool {
        guard let head = try? bytes.head(ImageFormat.sniffLength) else { return false }
        return decoders.decoder(head, bytes.response, for: request) != nil
    }

    /// Returns the data that the delegate allows to store; all of it without a delegate.
    ///
    /// Stores run one after the other on a thread of the engine. This may block, since no task waits for a store.
    func kept(_ data: Data, for request: ImageRequest) -> Data? {
        guard let choices = caches.choices else { return data }
        let result = BlockingResult<Data?>()
        // Most delegates return at once, on this thread.
        _ = Task.immediateDetached {
            let kept = await choices.delegate.willCache(data: data, for: request, pipeline: choices.pipeline)
            result.set(.success(kept))
        }
        return try? result.wait()
    }
}

extension PipelineCaches {
    /// Returns the data of a store for the data cache; `nil` if there is no encoder for its image.
    fileprivate func data(of store: PendingStore) throws(DataCachingError) -> Data? {
        switch store.content {
        case .original(let bytes): return bytes.joined()
        case .encoded(let origin, _): return try encoded(origin.container, store.request)
        case .bitmap, .part, .outdated: return nil
        }
    }

    /// Returns the encoded image; `nil` if there is no encoder for it.
    fileprivate func encoded(_ container: ImageContainer, _ request: ImageRequest) throws(DataCachingError) -> Data? {
        guard let encoder = encoder(container, for: request) else { return nil }
        do throws(ImageError) {
            return try encoder.encode(container.image)
        } catch { throw DataCachingError("\(request): \(error)") }
    }

    /// Returns the entry of a pending store, as it was loaded: a delegate has not changed it. `nil` if nothing will be
    /// stored.
    func entry(of store: PendingStore) -> DataCacheEntry? {
        guard let freshness = freshness(of: store), let bytes = store.content.source, let data = try? data(of: store)
        else { return nil }
        return entry(data, of: bytes, freshness.stored, isOriginal: store.content.isOriginal)
    }

    /// Returns the freshness of the entry of a pending store; `nil` if nothing will be stored, or if no decode has
    /// verified the bytes yet.
    func freshness(of store: PendingStore) -> BytesFreshness? {
        guard let bytes = store.content.source, !store.content.isOriginal || !bytes.mayStore else { return nil }
        let freshness = self.freshness?.freshness(of: bytes, for: store.request) ?? BytesFreshness()
        return freshness.mayKeep ? freshness : nil
    }

    /// Returns an entry with the header fields for its freshness, without those that describe the original's bytes if
    /// it has others.
    fileprivate func entry(
        _ data: Data, of bytes: FetchedBytes, _ stored: StoredResponse?, isOriginal: Bool
    ) -> DataCacheEntry {
        var headers = stored?.headers ?? bytes.response?.headers ?? HTTPHeaderFields()
        let others = ["Content-Type", "Content-Length", "Content-Encoding", "Content-Range", "Accept-Ranges"]
        if !isOriginal { for name in others { headers[name] = nil } }
        return DataCacheEntry(data: data, headers: headers, metadata: stored?.metadata ?? [:])
    }
}

/// A result that one of Firn's own threads waits for.
final class BlockingResult<Value: Sendable>: Sendable {
    private let result = Locked<Result<Value, ImageLoadingError>?>(nil)
    private let parker = ThreadParker()

    /// Sets the result and wakes the thread. Called once.
    func set(_ value: Result<Value, ImageLoadingError>) {
        result.withLock { $0 = value }
        parker.unpark()
    }

    /// Sleeps until there is a result. Called by one thread.
    func wait() throws(ImageLoadingError) -> Value {
        while true {
            if let result = result.withLock({ $0 }) { return try result.get() }
            _ = parker.park(until: nil)
        }
    }
}
