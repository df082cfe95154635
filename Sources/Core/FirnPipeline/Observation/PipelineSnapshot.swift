/// The state of a pipeline at one point in time: queued and running work, the use of memory, and counts of what it has
/// done since it was created.
public struct PipelineSnapshot: Sendable, CustomStringConvertible {
    package struct Queue: Hashable, Sendable {
        package let stage: PipelineEvent.Stage
        /// Jobs that could start, or that only paused tasks wait for.
        package internal(set) var queued = 0
        package internal(set) var running = 0
        package internal(set) var paused = 0
        /// Started decodes that wait for bytes or for memory.
        package internal(set) var waiting = 0
    }

    package struct Job: Hashable, Sendable {
        package let number: PipelineEvent.Number
        package let stage: PipelineEvent.Stage
        /// The request that it was created for.
        package let source: String
        /// Its priority; `nil` if no task waits for it.
        package let priority: ImageRequest.Priority?
        package let tasks: Int
        /// The time since the start of its stage.
        package let age: Duration
        /// True if it is paused, or waits for bytes or memory.
        package let isWaiting: Bool
    }

    /// A count for each stage, in the order of a request.
    package let queues: [Queue]
    /// Jobs that have started, the oldest first; at most ``jobLimit``.
    package let jobs: [Job]
    /// Requests that have not ended.
    public let tasks: Int
    /// The estimated bytes of running decodes.
    public let decodingBytes: Int
    /// Bytes of abandoned transfers that are kept to be resumed.
    public let partialBytes: Int
    /// The bytes of each user of the memory budget; `nil` for a pipeline without a budget.
    package let memory: MemoryUsage?
    package let statistics: PipelineStatistics

    /// The largest number of listed jobs.
    public static let jobLimit = 100

    /// A few lines of text for logs: without user names, passwords and secrets in queries.
    public var description: String {
        let redaction = AddressRedaction()
        var lines = ["tasks: \(tasks)"]
        for queue in queues {
            var parts = ["\(queue.running) running", "\(queue.queued) queued"]
            if queue.paused > 0 { parts.append("\(queue.paused) paused") }
            if queue.waiting > 0 { parts.append("\(queue.waiting) waiting") }
            lines.append("\(queue.stage): " + parts.joined(separator: ", "))
        }
        var bytes = "memory: decodes \(decodingBytes) B, partial bodies \(partialBytes) B"
        if let memory {
            bytes +=
                ", caches \(memory.kept) B, animations \(memory.animations) B, "
                + "budget \(memory.total) of \(memory.limit) B"
        }
        lines.append(bytes)
        lines.append(
            "so far: \(statistics.memoryHits) memory hits, \(statistics.diskHits) disk hits, "
                + "\(statistics.transfers) transfers "
                + "(\(statistics.bytesLoaded) B, \(statistics.bytesWasted) B wasted), "
                + "\(statistics.decodes) decodes, \(statistics.processes) processed, \(statistics.stores) stored")
        for job in jobs {
            let state = job.isWaiting ? "waits" : "runs"
            lines.append(
                "#\(job.number) \(job.stage) \(state) \(job.age.nanoseconds / 1_000_000) ms: "
                    + redaction.address(job.source)
            )
        }
        return lines.joined(separator: "\n")
    }

    // Counts since the pipeline was created.

    /// Requests that were served from the memory cache.
    public var memoryHits: Int { statistics.memoryHits }
    /// Requests that the memory cache did not serve.
    public var memoryMisses: Int { statistics.memoryMisses }
    /// Downloads that the data cache avoided.
    public var diskHits: Int { statistics.diskHits }
    /// Requests that were served from the bitmap store.
    public var bitmapHits: Int { statistics.bitmapHits }
    /// Images written to the bitmap store.
    public var bitmapStores: Int { statistics.bitmapStores }
    /// Transfers started, by the loader or a request's closure.
    public var transfers: Int { statistics.transfers }
    /// Stale images on disk that their source confirmed.
    public var revalidations: Int { statistics.revalidations }
    /// Stale images on disk that served because their source failed.
    public var staleHits: Int { statistics.staleHits }
    /// Bytes received by those transfers.
    public var bytesLoaded: Int { statistics.bytesLoaded }
    /// Bytes that were received and discarded: of transfers that were cancelled, failed, or had to restart. Bytes that
    /// are kept for a resumption count when they are discarded unused.
    public var bytesWasted: Int { statistics.bytesWasted }
    /// Bytes of abandoned transfers that later transfers resumed from.
    public var bytesResumed: Int { statistics.bytesResumed }
    /// The number of pauses of transfers, for a more urgent one or by the caller.
    public var transfersPaused: Int { statistics.transfersPaused }
    /// The number of resumptions of paused transfers.
    public var transfersResumed: Int { statistics.transfersResumed }
    /// Previews that were delivered.
    public var previews: Int { statistics.previews }
    /// Files, `data:` addresses and bytes in memory that were read.
    public var localReads: Int { statistics.localReads }
    /// Requests that joined the running work of another.
    public var coalesced: Int { statistics.coalesced }
    /// Images decoded.
    public var decodes: Int { statistics.decodes }
    /// Processor steps run.
    public var processes: Int { statistics.processes }
    /// Entries written to the data cache.
    public var stores: Int { statistics.stores }
    /// Entries that the data cache or the bitmap store could not store, or dropped because too many waited.
    public var failedStores: Int { statistics.failedStores }
    /// Lookups at which the data cache failed, which count as misses.
    public var failedLookups: Int { statistics.failedLookups }
}
