import Firn
import FirnSync

/// A data cache that records its first failure for a message, since a failing cache does not fail a load.
final class FailureRecordingCache: DataCaching {
    private let cache: DataCache
    private let first = Locked<DataCachingError?>(nil)

    init(_ cache: DataCache) { self.cache = cache }

    /// Writes staged entries and counts. Blocks.
    func flush() { cache.flush() }

    /// The first failure.
    var failure: DataCachingError? { first.withLock { $0 } }

    func entry(for key: String) throws(DataCachingError) -> DataCacheEntry? {
        do throws(DataCachingError) { return try cache.entry(for: key) } catch { throw noted(error) }
    }

    func contains(_ key: String) -> Bool { cache.contains(key) }

    func store(_ entry: DataCacheEntry, for key: String) throws(DataCachingError) {
        do throws(DataCachingError) { try cache.store(entry, for: key) } catch { throw noted(error) }
    }

    func stage(_ entry: DataCacheEntry, for key: String, done: @escaping @Sendable (DataCachingError?) -> Void) {
        cache.stage(entry, for: key) { error in done(error.map { self.noted($0) }) }
    }

    func remove(_ key: String) throws(DataCachingError) {
        do throws(DataCachingError) { try cache.remove(key) } catch { throw noted(error) }
    }

    func removeAll() throws(DataCachingError) {
        do throws(DataCachingError) { try cache.removeAll() } catch { throw noted(error) }
    }

    func removeEntries(where isUnwanted: (String) -> Bool) throws(DataCachingError) {
        do throws(DataCachingError) { try cache.removeEntries(where: isUnwanted) } catch { throw noted(error) }
    }

    private func noted(_ error: DataCachingError) -> DataCachingError {
        first.withLock { if $0 == nil { $0 = error } }
        return error
    }
}
