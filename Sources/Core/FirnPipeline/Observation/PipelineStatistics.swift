/// Counts of what a pipeline has done since it was created.
public struct PipelineStatistics: Hashable, Sendable {
    /// Requests that were served from the memory cache.
    public var memoryHits = 0
    /// Requests that the memory cache did not serve.
    public var memoryMisses = 0
    /// Downloads that the data cache avoided.
    public var diskHits = 0
    /// Requests that were served from the bitmap store.
    public var bitmapHits = 0
    /// Images written to the bitmap store.
    public var bitmapStores = 0
    /// Transfers started, by the loader or a request's closure.
    public var transfers = 0
    /// Stale images on disk that their source confirmed.
    public var revalidations = 0
    /// Stale images on disk that served because their source failed.
    public var staleHits = 0
    /// Bytes received by those transfers.
    public var bytesLoaded = 0
    /// Bytes that were received and discarded: of transfers that were cancelled, failed, or had to restart. Bytes that
    /// are kept for a resumption count when they are discarded unused.
    public var bytesWasted = 0
    /// Bytes of abandoned transfers that later transfers resumed from.
    public var bytesResumed = 0
    /// The number of pauses of transfers, for a more urgent one or by the caller.
    public var transfersPaused = 0
    /// The number of resumptions of paused transfers.
    public var transfersResumed = 0
    /// Previews that were delivered.
    public var previews = 0
    /// Files, `data:` addresses and bytes in memory that were read.
    public var localReads = 0
    /// Requests that joined the running work of another.
    public var coalesced = 0
    /// Images decoded.
    public var decodes = 0
    /// Processor steps run.
    public var processes = 0
    /// Entries written to the data cache.
    public var stores = 0
    /// Entries that the data cache or the bitmap store could not store, or dropped because too many waited.
    public var failedStores = 0
    /// Lookups at which the data cache failed, which count as misses.
    public var failedLookups = 0

    /// Creates statistics of zero.
    public init() {}
}
