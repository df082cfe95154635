/// Counts of what a pipeline has done since it was created.
public struct PipelineStatistics: Hashable, Sendable {
    /// Requests that were answered from the memory cache.
    public var memoryHits = 0
    /// Requests that the memory cache did not answer.
    public var memoryMisses = 0
    /// Downloads that the data cache spared.
    public var diskHits = 0
    /// Requests that were answered from the bitmap store.
    public var bitmapHits = 0
    /// Images written to the bitmap store.
    public var bitmapStores = 0
    /// Transfers started, by the loader or a request's closure.
    public var transfers = 0
    /// Images on disk that were no longer fresh, of which their source said that they still hold.
    public var revalidations = 0
    /// Images on disk that served although they were no longer fresh, because their source failed.
    public var staleHits = 0
    /// Bytes received by those transfers.
    public var bytesLoaded = 0
    /// Bytes that were received and discarded: of transfers that were cancelled, failed, or had to restart. Bytes that
    /// are kept for a resumption count when they are discarded unused.
    public var bytesWasted = 0
    /// Bytes of transfers that were given up, from which others went on.
    public var bytesResumed = 0
    /// The number of pauses of transfers, for a more urgent one or by the caller.
    public var transfersPaused = 0
    /// The number of resumptions of paused transfers.
    public var transfersResumed = 0
    /// Previews that were delivered.
    public var previews = 0
    /// Files, `data:` addresses and bytes in memory that were read.
    public var localReads = 0
    /// Requests that joined work that was under way for another.
    public var coalesced = 0
    /// Images decoded.
    public var decodes = 0
    /// Processor steps run.
    public var processes = 0
    /// Entries written to the data cache.
    public var stores = 0
    /// Entries that the data cache, or the bitmap store, failed to take, or was too far behind to take.
    public var failedStores = 0
    /// Lookups at which the data cache failed, which count as misses.
    public var failedLookups = 0

    /// Creates statistics of zero.
    public init() {}
}
