import Firn
import FirnReport

/// The bodies in a cache folder: complete ones, or parts of those that are still arriving.
struct DataCacheStore: CacheStore {
    let cache: DataCache
    /// The nouns for one and for several.
    let names: (one: String, many: String)

    func counted(_ count: Int) -> String { CountText.text(count, names.one, names.many) }

    func statistics() throws(CacheFailure) -> DataCacheStatistics {
        try telling { () throws(DataCachingError) in try cache.statistics() }
    }

    func entries() throws(CacheFailure) -> [DataCacheRecord] {
        try telling { () throws(DataCachingError) in try cache.entries() }
    }

    func size() throws(CacheFailure) -> StoreSize {
        let statistics = try statistics()
        return StoreSize(count: statistics.count, bytes: statistics.bytes)
    }

    func verify(removing: Bool) throws(CacheFailure) -> [CacheProblem] {
        try telling { () throws(DataCachingError) in try cache.verify(removing: removing) }
    }

    func clear(_ filter: CacheFilter, at now: Duration) throws(CacheFailure) -> Int {
        try telling { () throws(DataCachingError) in
            guard filter.isEmpty else {
                return try cache.removeAll {
                    filter.means(key: $0.key, created: $0.created, used: $0.used, at: now)
                }
            }
            let count = try cache.statistics().count
            try cache.removeAll()
            return count
        }
    }

    private func telling<Output>(
        _ body: () throws(DataCachingError) -> Output
    ) throws(CacheFailure) -> Output {
        do throws(DataCachingError) { return try body() } catch { throw CacheFailure(message: error.message) }
    }
}
