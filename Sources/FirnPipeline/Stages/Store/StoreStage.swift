import FirnData
import FirnImage
import FoundationEssentials

/// Keeps the bytes of an image, or the image anew encoded, in the data cache. A cache that fails loses an entry, never
/// a load.
struct StoreStage {
    let environment: StageEnvironment

    /// What became of an entry.
    enum Ending: Sendable {
        case kept
        /// It was not to be kept after all.
        case left
        case failed(DataCachingError)
    }

    /// Hands an entry to the cache, which may write it later.
    ///
    /// - Parameter done: called once, on any thread, maybe after this has returned.
    func run(_ work: JobWork, done: @escaping @Sendable (Ending) -> Void) {
        let request = work.request
        if case .part(.forget) = work.input {
            try? environment.dataCache(for: request)?.remove(request.dataCacheKey)
            return done(.left)
        }
        if case .part(let part) = work.input { return keep(part, done) }
        if case .pixels(let origin) = work.input { return done(store(origin.container, of: request)) }
        guard let cache = environment.dataCache(for: request) else { return done(.left) }
        let found: (DataCacheEntry, String)?
        do throws(DataCachingError) { found = try entry(work) } catch { return done(.failed(error)) }
        guard let (entry, key) = found else { return done(.left) }
        cache.stage(entry, for: key) { error in done(error.map { .failed($0) } ?? .kept) }
    }

    /// Keeps the first bytes of a body, or drops them: no entry of anybody's.
    private func keep(_ part: PartialPart, _ done: @escaping @Sendable (Ending) -> Void) {
        guard let shelf = environment.partialDataCache.map({ PartialSegmentCache(cache: $0) }) else {
            return done(.left)
        }
        switch part {
        case .keep(let segment): shelf.keep(segment) { error in done(error.map { .failed($0) } ?? .left) }
        case .drop(let request):
            shelf.drop(request)
            done(.left)
        case .forget: done(.left)
        }
    }

    /// What is to be kept, and under which key.
    private func entry(_ work: JobWork) throws(DataCachingError) -> (DataCacheEntry, String)? {
        let request = work.request
        switch work.input {
        case .bytes(let bytes):
            // Nobody has decoded those of a transfer that was let finish: at least they have to look like an image.
            if bytes.takeStore(), !isImage(bytes, request) { return nil }
            return self.entry(kept(bytes.joined(), for: request), of: bytes, request, request.dataCacheKey)
        case .image(let origin, let bytes):
            guard let encoder = environment.encoder(origin.container, for: request) else { return nil }
            let encoded: Data
            do throws(ImageEncodingError) {
                encoded = try encoder.encode(origin.container.image)
            } catch { throw DataCachingError("\(request): \(error)") }
            return self.entry(kept(encoded, for: request), of: bytes, request, request.processedDataCacheKey)
        case .pixels, .none, .arriving, .part: return nil
        }
    }

    /// An entry with what the source said of it, from which can be told how long it serves; `nil` if it may not be
    /// kept.
    private func entry(
        _ data: Data?, of bytes: FetchedBytes, _ request: ImageRequest, _ key: String
    ) -> (DataCacheEntry, String)? {
        let freshness = environment.freshness?.freshness(of: bytes, for: request)
        if freshness?.mayKeep == false {
            // What was kept of the same is out of date by that.
            try? environment.dataCache(for: request)?.remove(key)
            return nil
        }
        guard let data else { return nil }
        let stored = freshness?.stored
        var headers = stored?.headers ?? bytes.response?.headers ?? HTTPHeaderFields()
        if key != request.dataCacheKey { withoutBody(&headers) }
        return (DataCacheEntry(data: data, headers: headers, metadata: stored?.metadata ?? [:]), key)
    }

    /// Keeps an image that the caller has put into the caches, encoded and as it is.
    func keep(_ container: ImageContainer, for request: ImageRequest) {
        if case .failed(let error) = store(container, of: request) { environment.tell(error, of: request) }
        guard request.isKeptOnDisk, let cache = environment.dataCache(for: request),
            let encoder = environment.encoder(container, for: request)
        else { return }
        do throws(ImageEncodingError) {
            let entry = DataCacheEntry(data: try encoder.encode(container.image))
            cache.stage(entry, for: request.processedDataCacheKey) { error in
                if let error { environment.tell(error, of: request) }
            }
        } catch {
            environment.tell(DataCachingError("\(request): \(error)"), of: request)
        }
    }

    /// Keeps the image itself.
    private func store(_ container: ImageContainer, of request: ImageRequest) -> Ending {
        guard let store = environment.bitmapStore(for: request) else { return .left }
        do throws(BitmapStoringError) {
            try store.store(container, for: request.imageCacheKey)
            return .kept
        } catch {
            return .failed(DataCachingError(error.message, code: error.code))
        }
    }

    /// Leaves what was said of the original, but for what holds of its bytes alone.
    private func withoutBody(_ fields: inout HTTPHeaderFields) {
        for name in ["Content-Type", "Content-Length", "Content-Encoding", "Content-Range", "Accept-Ranges"] {
            fields[name] = nil
        }
    }

    private func isImage(_ bytes: FetchedBytes, _ request: ImageRequest) -> Bool {
        guard let head = try? bytes.head(ImageFormat.sniffLength) else { return false }
        return environment.decoder(head, bytes.response, for: request) != nil
    }
}
