/// The current size of a ``DataCache`` or ``ImageCache``, and its counts since it was created.
public struct CacheStatistics: Hashable, Sendable {
    /// The number of entries; for a data cache, those known to this process.
    public var count: Int
    /// The bytes of all entries: file sizes for a data cache, pixels for an image cache.
    public var bytes: Int
    /// Lookups that found an entry.
    public var hits: Int
    /// Lookups that found no entry.
    public var misses: Int
    /// Entries that were stored. Only a data cache counts these.
    public var stores = 0
    /// Entries evicted because of a limit or a trim.
    public var evictions: Int
    /// Files removed because they were incomplete, damaged or foreign.
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
    /// Entries evicted because of a limit.
    package var evictions: UInt64 = 0

    mutating func add(_ others: DataCacheTotals) {
        hits &+= others.hits
        misses &+= others.misses
        stores &+= others.stores
        evictions &+= others.evictions
    }
}
