package import FirnData

/// The size of a ``DataCache``, and its counts since it was created.
public struct DataCacheStatistics: Hashable, Sendable {
    /// Entries, as far as this process knows.
    public var count: Int
    /// Bytes of their files.
    public var bytes: Int
    /// Lookups that found an entry.
    public var hits: Int
    /// Lookups that found none.
    public var misses: Int
    /// Entries stored.
    public var stores: Int
    /// Entries removed because of a limit.
    public var evictions: Int
    /// Files removed because they were torn, damaged or foreign.
    public var damaged: Int
    /// What all processes have counted since the directory was made, as far as they have told; see ``DataCache/flush()``.
    package var totals = DataCacheTotals()
}

/// What processes have counted that share a cache's directory.
package struct DataCacheTotals: Hashable, Sendable {
    /// Lookups that found an entry.
    package var hits: UInt64 = 0
    /// Lookups that found none.
    package var misses: UInt64 = 0
    /// Entries stored.
    package var stores: UInt64 = 0
    /// Entries removed because of a limit.
    package var evictions: UInt64 = 0

    /// Nothing, or what is given.
    package init(hits: UInt64 = 0, misses: UInt64 = 0, stores: UInt64 = 0, evictions: UInt64 = 0) {
        self.hits = hits
        self.misses = misses
        self.stores = stores
        self.evictions = evictions
    }

    mutating func add(_ others: DataCacheTotals) {
        hits &+= others.hits
        misses &+= others.misses
        stores &+= others.stores
        evictions &+= others.evictions
    }
}

/// One entry of a ``DataCache``, without its body.
package struct DataCacheRecord: Hashable, Sendable {
    /// Its key.
    package var key: String
    /// Its file.
    package var path: String
    /// Header fields stored with it.
    package var headers: HTTPHeaderFields
    /// Bytes of its body.
    package var bodyBytes: Int
    /// Bytes of its file.
    package var fileBytes: Int
    /// When it was stored, since 1970.
    package var created: Duration
    /// When it was last known to be used, since 1970; see ``DataCacheLimits/useInterval``.
    package var used: Duration
}
