import FirnData
import FirnImage
import FoundationEssentials

/// Keeps the bytes of a picture, or the picture anew encoded, in the data cache. A cache that fails loses an entry, never
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
        if case .part(let part) = work.input { return keep(part, done) }
        guard let cache = environment.dataCache(for: request) else { return done(.left) }
        let found: (DataCacheEntry, String)?
        do throws(DataCachingError) { found = try entry(work) } catch { return done(.failed(error)) }
        guard let (entry, key) = found else { return done(.left) }
        cache.stage(entry, for: key) { error in done(error.map { .failed($0) } ?? .kept) }
    }

    /// Keeps the first bytes of a body, or drops them: no entry of anybody's.
    private func keep(_ part: PartialPart, _ done: @escaping @Sendable (Ending) -> Void) {
        guard let shelf = environment.partialDataCache.map({ PartialShelf(cache: $0) }) else { return done(.left) }
        switch part {
        case .keep(let segment): shelf.keep(segment) { error in done(error.map { .failed($0) } ?? .left) }
        case .drop(let request):
            shelf.drop(request)
            done(.left)
        }
    }

    /// What is to be kept, and under which key.
    private func entry(_ work: JobWork) throws(DataCachingError) -> (DataCacheEntry, String)? {
        let request = work.request
        switch work.input {
        case .bytes(let bytes):
            // Nobody has decoded those of a transfer that was let finish: at least they have to look like a picture.
            if bytes.takeStore(), !isPicture(bytes, request) { return nil }
            guard let data = kept(bytes.joined(), for: request) else { return nil }
            return (DataCacheEntry(data: data, headers: bytes.response?.headers ?? HTTPFields()), request.dataCacheKey)
        case .picture(let origin, let bytes):
            guard let encoder = environment.encoder(origin.container, for: request) else { return nil }
            let encoded: Data
            do throws(EncodingError) {
                encoded = try encoder.encode(origin.container.image)
            } catch { throw DataCachingError("\(request): \(error)") }
            guard let data = kept(encoded, for: request) else { return nil }
            return (DataCacheEntry(data: data, headers: fields(of: bytes.response)), request.madeDataCacheKey)
        case .none, .arriving, .part: return nil
        }
    }

    /// What was said of the original, but for what holds of its bytes alone.
    private func fields(of response: DataResponse?) -> HTTPFields {
        var fields = response?.headers ?? HTTPFields()
        for name in ["Content-Type", "Content-Length", "Content-Encoding", "Content-Range", "Accept-Ranges"] {
            fields[name] = nil
        }
        return fields
    }

    private func isPicture(_ bytes: FetchedBytes, _ request: ImageRequest) -> Bool {
        guard let head = try? bytes.head(ImageFormat.sniffLength) else { return false }
        return environment.decoder(head, bytes.response, for: request) != nil
    }
}
