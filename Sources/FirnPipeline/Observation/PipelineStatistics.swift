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
    /// Bytes those transfers brought.
    public var bytesLoaded = 0
    /// Bytes that came and were dropped: of transfers that were cancelled, failed, or had to begin anew. What is kept for
    /// others to go on from counts once it is dropped unused.
    public var bytesWasted = 0
    /// Bytes of transfers that were given up, from which others went on.
    public var bytesResumed = 0
    /// How often a transfer was paused for a more urgent one, or by its user.
    public var transfersPaused = 0
    /// How often a paused transfer went on.
    public var transfersResumed = 0
    /// Previews that were delivered.
    public var previews = 0
    /// Files, `data:` addresses and bytes at hand that were read.
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
    /// Lookups that the data cache failed to answer, which then counted as misses.
    public var failedLookups = 0

    /// Nothing done yet.
    public init() {}
}
