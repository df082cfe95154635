import Firn

/// A store in a cache's folder.
protocol CacheStore {
    /// The record of an entry.
    associatedtype Record: CacheStoreRecord

    /// Returns a count with a noun: `3 entries`.
    func counted(_ count: Int) -> String
    /// Returns the size of the store.
    func size() throws(CacheFailure) -> StoreSize
    /// Checks every file; see `DataCache.verify(removing:)`.
    func verify(removing: Bool) throws(CacheFailure) -> [CacheProblem]
    /// Removes all entries.
    func removeAll() throws(CacheFailure)
    /// Removes the entries for which `isUnwanted` returns true.
    ///
    /// - Returns: the number of removed entries.
    func removeAll(where isUnwanted: (Record) -> Bool) throws(CacheFailure) -> Int
}

extension CacheStore {
    /// Removes the selected files.
    ///
    /// - Returns: the number of removed files.
    func clear(_ filter: CacheFilter, at now: Duration) throws(CacheFailure) -> Int {
        guard filter.isEmpty else {
            return try removeAll {
                filter.means(key: $0.key, created: $0.created, used: $0.used, at: now)
            }
        }
        // What cannot be counted can still be removed.
        let count = (try? size().count) ?? 0
        try removeAll()
        return count
    }
}

/// The facts about an entry that a ``CacheFilter`` selects by.
protocol CacheStoreRecord {
    var key: String { get }
    var created: Duration { get }
    var used: Duration { get }
}

extension DataCacheRecord: CacheStoreRecord {}
extension BitmapStoreRecord: CacheStoreRecord {}

/// The size of a store.
struct StoreSize {
    let count: Int
    let bytes: Int
}

/// The error of a store, in one line.
struct CacheFailure: Error {
    let message: String

    init(message: String) { self.message = message }

    init(_ error: DataCachingError) { message = error.message }

    init(_ error: BitmapStoringError) { message = error.message }
}
