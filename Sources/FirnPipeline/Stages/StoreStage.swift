import FirnData
import FirnImage

/// Keeps the bytes of a picture in the data cache. A cache that fails loses an entry, never a load.
struct StoreStage {
    let environment: StageEnvironment

    /// - Returns: whether the entry was kept.
    func run(_ work: JobWork) -> StageOutcome {
        if case .picture(let origin, _) = work.input { return store(origin.container, of: work.request) }
        guard case .bytes(let bytes) = work.input, let cache = environment.dataCache(for: work.request) else {
            return .failed
        }
        // Nobody has decoded those of a transfer that was let finish: at least they have to look like a picture.
        if bytes.takeStore(), !isPicture(bytes, work.request) {
            work.input = .none
            return .finished
        }
        guard let data = kept(bytes.joined(), for: work.request) else {
            work.input = .none
            return .finished
        }
        let entry = DataCacheEntry(data: data, headers: bytes.response?.headers ?? HTTPFields())
        return (try? cache.store(entry, for: work.request.dataCacheKey)) == nil ? .failed : .finished
    }

    /// Keeps the picture itself.
    private func store(_ container: ImageContainer, of request: ImageRequest) -> StageOutcome {
        guard let store = environment.bitmapStore(for: request) else { return .failed }
        return (try? store.store(container, for: request.imageCacheKey)) == nil ? .failed : .finished
    }

    private func isPicture(_ bytes: FetchedBytes, _ request: ImageRequest) -> Bool {
        guard let head = try? bytes.head(ImageFormat.sniffLength) else { return false }
        return environment.decoder(head, bytes.response, for: request) != nil
    }
}
