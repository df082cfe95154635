import Firn
import FirnReport

/// The bodies in a cache folder: complete ones, or parts of those that are still arriving.
struct DataCacheStore: CacheStore {
    let cache: DataCache
    /// The nouns for one and for several.
    let names: (one: String, many: String)

    func counted(_ count: Int) -> String { CountText.text(count, names.one, names.many) }

    func statistics() throws(CacheFailure) -> CacheStatistics {
        do throws(DataCachingError) { return try cache.statistics() } catch { throw CacheFailure(error) }
    }

    func entries() throws(CacheFailure) -> [DataCacheRecord] {
        do throws(DataCachingError) { return try cache.entries() } catch { throw CacheFailure(error) }
    }

    func size() throws(CacheFailure) -> StoreSize {
        let statistics = try statistics()
        return StoreSize(count: statistics.count, bytes: statistics.bytes)
    }

    func verify(removing: Bool) throws(CacheFailure) -> [CacheProblem] {
        do throws(DataCachingError) { return try cache.verify(removing: removing) } catch { throw CacheFailure(error) }
    }

    func removeAll() throws(CacheFailure) {
        do throws(DataCachingError) { try cache.removeAll() } catch { throw CacheFailure(error) }
    }

    func removeAll(where isUnwanted: (DataCacheRecord) -> Bool) throws(CacheFailure) -> Int {
        do throws(DataCachingError) { return try cache.removeAll(where: isUnwanted) } catch {
            throw CacheFailure(error)
        }
    }
}
