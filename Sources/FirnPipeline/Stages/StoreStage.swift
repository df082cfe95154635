import FirnData

/// Keeps the bytes of a picture in the data cache. A cache that fails loses an entry, never a load.
struct StoreStage {
    let environment: StageEnvironment

    /// - Returns: whether the entry was kept.
    func run(_ work: JobWork) -> Bool {
        guard case .bytes(let bytes) = work.input, let cache = environment.dataCache(for: work.request),
            let data = kept(bytes.joined(), for: work.request)
        else { return false }
        let entry = DataCacheEntry(data: data, headers: bytes.response?.headers ?? HTTPFields())
        return (try? cache.store(entry, for: work.request.dataCacheKey)) != nil
    }
}
