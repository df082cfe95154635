/// The limits and policies of the table. May change while jobs run.
struct StageLimits: Hashable, Sendable {
    /// Concurrent decodes and processor runs, together: each needs a core.
    var computing: Int
    /// Reads of files and of the data cache.
    var reading: Int
    /// Concurrent transfers. They hold their slots from start to end, though no worker waits for them.
    var transferring: Int
    /// Concurrent transfers from one host.
    var transferringPerHost = 6
    /// Transfer slots that levels 0 and 1 (prefetching) leave free. They may always use one slot.
    var reservedTransfers = 2
    /// Writes to the data cache.
    var storing: Int
    /// Concurrent previews of stale images.
    var previewing = 1
    /// Bodies that may wait for a decode before no more are fetched.
    var backlog: Int
    /// Stores that may wait before no more bytes are fetched.
    var storeBacklog: Int
    /// Bytes that decodes may hold at once; one decode alone may exceed it.
    var decodingBytes: Int

    /// Nothing new starts; running jobs continue.
    var isSuspended = false
    /// Stages in which nothing new starts.
    var suspended: StageSet = []
    /// The order of equally urgent jobs.
    var order = JobOrder.firstInFirstOut
    /// Whether a running transfer may be paused for a more urgent one.
    var pausesTransfers = true
    /// How long a transfer is paused before its connection is released: about as long as most servers keep one open.
    var holdTime = Duration.seconds(5)
    /// Whether a transfer without waiting tasks may finish if that takes less time than a new request.
    var finishesNearlyDone = true
    /// The rate limit for transfers that do not run to their end; `nil` for no limit.
    var rate: TransferRate? = TransferRate()
    /// Concurrent early decodes: each holds a decoder and its pixels so far.
    var sessions = 8
    /// An early decode starts if at least this many bytes are missing.
    var leastEarlyBytes = 64 << 10
    /// It also starts if the rest takes at least this long, in nanoseconds; 0 turns this rule off. Previews are made
    /// only if the rest takes this long.
    var previewTime: Moment = 250_000_000

    /// The number of starts that may pass an older job before the oldest one is started instead.
    static let passes = 64

    /// Concurrent transfers of levels 0 and 1.
    var lowTransfers: Int { max(min(1, transferring), transferring - reservedTransfers) }

    /// How long a transfer is paused before its connection is released.
    var holdNanoseconds: Int64 {
        let (seconds, attoseconds) = holdTime.components
        let (scaled, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return isTooLong ? .max : scaled &+ attoseconds / 1_000_000_000
    }
}

/// A rate limit: `burst` starts at once, and `perSecond` more in a second.
///
/// A transfer that runs to its end returns its token, so only cancelled starts count.
struct TransferRate: Hashable, Sendable {
    var perSecond = 80.0
    var burst = 25.0
}

/// A set of stages.
struct StageSet: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The set of one stage.
    init(_ stage: JobStage) { rawValue = 1 << stage.rawValue }
}
