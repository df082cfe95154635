import FirnCache
import FirnData
import FoundationEssentials

/// Bytes of the data cache that are no longer fresh, and how they may still be used.
final class StaleBytes: Sendable {
    let data: Data
    let key: String
    let stored: StoredResponse
    /// True if their image may be shown as a preview until the response arrives.
    let mayShow: Bool
    /// True if they may be the result if the source fails.
    let mayServeOnError: Bool

    init(data: Data, key: String, stored: StoredResponse, mayShow: Bool, mayServeOnError: Bool) {
        self.data = data
        self.key = key
        self.stored = stored
        self.mayShow = mayShow
        self.mayServeOnError = mayServeOnError
    }

    /// Returns the bytes; stale unless `known` is given.
    func bytes(_ rules: FreshnessRules, _ known: BytesFreshness? = nil, mayStore: Bool = false) -> FetchedBytes {
        var response = rules.response(of: known?.stored ?? stored, count: data.count)
        response.url = stored.url
        let stale = BytesFreshness(until: 0, mayShowStale: mayShow, stored: stored, isStale: true)
        return FetchedBytes(
            chunks: [data], count: data.count, response: response, cacheType: .disk, diskKey: key, mayStore: mayStore,
            known: known ?? stale)
    }
}
