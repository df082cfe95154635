import Firn

/// One of the stores that may lie in a cache's folder.
protocol CacheStore {
    /// What it holds, counted: `3 entries`.
    func counted(_ count: Int) -> String
    /// What is there.
    func size() throws(CacheFailure) -> StoreSize
    /// Proves every file; see `DataCache.verify(removing:)`.
    func verify(removing: Bool) throws(CacheFailure) -> [CacheProblem]
    /// Removes what the filter means.
    ///
    /// - Returns: how many that were.
    func clear(_ filter: CacheFilter, at now: Duration) throws(CacheFailure) -> Int
}

/// How much a store holds.
struct StoreSize {
    let count: Int
    let bytes: Int
}

/// Why a store could not be looked after, in one line.
struct CacheFailure: Error {
    let message: String
}
