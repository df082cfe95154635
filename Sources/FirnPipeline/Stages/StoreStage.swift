import FirnData
import FirnImage

/// Keeps the bytes of a picture in the data cache. A cache that fails loses an entry, never a load.
struct StoreStage {
    let environment: StageEnvironment

    /// - Returns: whether the entry was kept.
    func run(_ work: JobWork) -> StageOutcome {
        guard case .bytes(let bytes) = work.input, let cache = environment.dataCache else { return .failed }
        // Nobody has decoded those of a transfer that was let finish: at least they have to look like a picture.
        if bytes.takeStore(), !isPicture(bytes) {
            work.input = .none
            return .finished
        }
        let entry = DataCacheEntry(data: bytes.joined(), headers: bytes.response?.headers ?? HTTPFields())
        return (try? cache.store(entry, for: work.request.dataCacheKey)) == nil ? .failed : .finished
    }

    private func isPicture(_ bytes: FetchedBytes) -> Bool {
        guard let head = try? bytes.head(ImageFormat.sniffLength) else { return false }
        return environment.decoders.contains { $0.recognises(head) != nil }
    }
}
