/// How much may be at work at once, and what else of the table's policy can be set. May change while jobs run.
struct StageLimits: Hashable, Sendable {
    /// Decoding and processing together: they need a core each.
    var computing: Int
    /// Reads of files and of the data cache.
    var reading: Int
    /// Transfers under way. Their slots are held from start to end, though no worker waits for them.
    var transferring: Int
    /// Transfers under way from one host.
    var transferringPerHost = 6
    /// Slots of transfers that levels 0 and 1 (prefetching) leave free. One slot is theirs in any case.
    var reservedTransfers = 2
    /// Writes to the data cache.
    var storing: Int
    /// Previews of kept images that are no longer fresh.
    var previewing = 1
    /// Images' worth of bytes that may wait for a decoder before no more are fetched.
    var backlog: Int
    /// Writes that may wait before no more bytes are fetched.
    var storeBacklog: Int
    /// Bytes that decodes may hold at once; one decode alone may exceed it.
    var decodingBytes: Int

    /// Nothing new starts; what runs goes on.
    var isSuspended = false
    /// Stages in which nothing new starts.
    var suspended: StageSet = []
    /// Which of equally urgent jobs comes first.
    var order = JobOrder.firstInFirstOut
    /// Whether a running transfer may be paused for a more urgent one.
    var pausesTransfers = true
    /// How long a transfer is paused before its connection is given up: as long as servers mostly wait at least.
    var holdTime = Duration.seconds(5)
    /// Whether a transfer that no task waits for any more may finish, if that takes less time than a new request.
    var finishesNearlyDone = true
    /// How fast transfers may start that do not run to their end; `nil` for as fast as they come.
    var rate: TransferRate? = TransferRate()
    /// Decodes of bytes that still arrive, at once: each holds a decoder and what it has decoded so far.
    var sessions = 8
    /// A decode begins before its bytes are there if at least so many are still to come.
    var leastEarlyBytes = 64 << 10
    /// It also begins if the rest will take at least this long, in nanoseconds; 0 if time does not count. Previews wait
    /// for a rest that takes this long.
    var previewTime: Moment = 250_000_000

    /// Every so many starts that pass an older job, the oldest is started instead.
    static let passes = 64

    /// Transfers of levels 0 and 1 at once.
    var lowTransfers: Int { max(min(1, transferring), transferring - reservedTransfers) }

    /// How long a transfer is paused before its connection is given up.
    var holdNanoseconds: Int64 {
        let (seconds, attoseconds) = holdTime.components
        let (scaled, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return isTooLong ? .max : scaled &+ attoseconds / 1_000_000_000
    }
}

/// How fast transfers may start: `burst` at once, and `perSecond` more in a second.
///
/// A transfer that runs to its end gives its start back, so only starts that are cancelled count.
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
