/// The counts of a ``PipelineSnapshot``, which documents them.
package struct PipelineStatistics: Hashable, Sendable {
    package var memoryHits = 0
    package var memoryMisses = 0
    package var diskHits = 0
    package var bitmapHits = 0
    package var bitmapStores = 0
    package var transfers = 0
    package var revalidations = 0
    package var staleHits = 0
    package var bytesLoaded = 0
    package var bytesWasted = 0
    package var bytesResumed = 0
    package var transfersPaused = 0
    package var transfersResumed = 0
    package var previews = 0
    package var localReads = 0
    package var coalesced = 0
    package var decodes = 0
    package var processes = 0
    package var stores = 0
    package var failedStores = 0
    package var failedLookups = 0

    package init() {}
}
