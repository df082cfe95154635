import Firn

/// A store in a cache's folder.
protocol CacheStore {
    /// Returns a count with a noun: `3 entries`.
    func counted(_ count: Int) -> String
    /// Returns the size of the store.
    func size() throws(CacheFailure) -> StoreSize
    /// Checks every file; see `DataCache.verify(removing:)`.
    func verify(removing: Bool) throws(CacheFailure) -> [CacheProblem]
    /// Removes the selected files.
    ///
    /// - Returns: the number of removed files.
    func clear(_ filter: CacheFilter, at now: Duration) throws(CacheFailure) -> Int
}

/// The size of a store.
struct StoreSize {
    let count: Int
    let bytes: Int
}

/// The error of a store, in one line.
struct CacheFailure: Error {
    let message: String
}
