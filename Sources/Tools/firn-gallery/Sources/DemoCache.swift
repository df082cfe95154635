#if GTK
import Dispatch
import Firn
import FirnSync

/// A data cache in a temporary folder: after closing it writes nothing more.
final class DemoCache: DataCaching {
    private let cache: DataCache
    private let isClosed = Locked(false)
    private let stores = DispatchGroup()

    init(folder: String) { cache = DataCache(directory: folder) }

    /// Refuses new entries and waits for running writes.
    func close() {
        isClosed.withLock { $0 = true }
        stores.wait()
    }

    func entry(for key: String) throws(DataCachingError) -> DataCacheEntry? { try cache.entry(for: key) }

    func contains(_ key: String) -> Bool { cache.contains(key) }

    func store(_ entry: DataCacheEntry, for key: String) throws(DataCachingError) {
        // Order: counted under the lock, so that either closing waits for it, or it sees that the cache is closed.
        let isTaken = isClosed.withLock { isClosed in
            if !isClosed { stores.enter() }
            return !isClosed
        }
        guard isTaken else { throw DataCachingError("the demonstration is over") }
        defer { stores.leave() }
        try cache.store(entry, for: key)
    }

    func remove(_ key: String) throws(DataCachingError) { try cache.remove(key) }

    func removeAll() throws(DataCachingError) { try cache.removeAll() }
}
#endif
