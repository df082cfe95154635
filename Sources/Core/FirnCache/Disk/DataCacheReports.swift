/// The size of a ``DataCache`` or an ``ImageCache``, and its counts since it was created.
public struct CacheStatistics: Hashable, Sendable {
    /// The number of entries, of a data cache those known to this process.
    public var count: Int
    /// Bytes of the entries: of their files, or of their pixels.
    public var bytes: Int
    /// Lookups that found an entry.
    public var hits: Int
    /// Lookups that found no entry.
    public var misses: Int
    /// Entries that were stored. Only a data cache counts them.
    public var stores = 0
    /// Entries that were evicted because of a limit or a trim.
    public var evictions: Int
    /// Files that were removed because they were incomplete, damaged or foreign.
    public var damaged = 0
    /// Counts of all processes since the directory was created, as far as recorded; see ``DataCache/flush()``.
    package var totals = DataCacheTotals()
}

/// Counts of the processes that share a cache's directory.
package struct DataCacheTotals: Hashable, Sendable {
    /// Lookups that found an entry.
    package var hits: UInt64 = 0
    /// Lookups that found no entry.
    package var misses: UInt64 = 0
    /// Entries that were stored.
    package var stores: UInt64 = 0
    /// Entries that were evicted because of a limit.
    package var evictions: UInt64 = 0

    mutating func add(_ others: DataCacheTotals) {
        hits &+= others.hits
        misses &+= others.misses
        stores &+= others.stores
        evictions &+= others.evictions
    }
}
