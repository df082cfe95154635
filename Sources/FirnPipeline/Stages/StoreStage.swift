import FirnData
import FirnImage

/// Keeps the bytes of a picture in the data cache. A cache that fails loses an entry, never a load.
struct StoreStage {
    let environment: StageEnvironment

    /// - Returns: whether the entry was kept.
    func run(_ work: JobWork) -> StageOutcome {
        guard case .bytes(let bytes) = work.input, let cache = environment.dataCache(for: work.request) else {
            return .failed
        }
        // Nobody has decoded those of a transfer that was let finish: at least they have to look like a picture.
        if bytes.takeStore(), !isPicture(bytes, work.request) {
            work.input = .none
            return .finished
        }
        let freshness = environment.freshness?.freshness(of: bytes, for: work.request)
        if freshness?.mayKeep == false {
            // What was kept of the same is out of date by that.
            try? cache.remove(work.request.dataCacheKey)
            work.input = .none
            return .finished
        }
        guard let data = kept(bytes.joined(), for: work.request) else {
            work.input = .none
            return .finished
        }
        let stored = freshness?.stored
        let entry = DataCacheEntry(
            data: data, headers: stored?.headers ?? bytes.response?.headers ?? HTTPFields(),
            metadata: stored?.metadata ?? [:])
        return (try? cache.store(entry, for: work.request.dataCacheKey)) == nil ? .failed : .finished
    }

    private func isPicture(_ bytes: FetchedBytes, _ request: ImageRequest) -> Bool {
        guard let head = try? bytes.head(ImageFormat.sniffLength) else { return false }
        return environment.decoder(head, bytes.response, for: request) != nil
    }
}
