/// The limits and policies of the table. Can be changed while jobs run.
struct StageLimits: Hashable, Sendable {
    /// Concurrent decodes and processor runs, together, since each needs a core.
    var computing: Int
    /// Concurrent reads of files and of the data cache.
    var reading: Int
    /// Concurrent transfers. They hold their slots from start to end, although no worker blocks for them.
    var transferring: Int
    /// Concurrent transfers from one host.
    var transferringPerHost = 6
    /// True if the hosts of a level take turns, and time-outs lower the number of a host's transfers. For servers,
    /// whose sources are many and may be dead; see ``HostRegistry``. Not for `lastInFirstOut` order.
    var sharesByHost = false
    /// The bytes that bodies may hold until they are decoded; a single transfer may exceed it. See `JobTable+Held`.
    var heldBytes = Int.max
    /// Concurrent reads from one file system that is a host.
    var readingPerHost = Int.max
    /// Transfer slots that levels 0 and 1 (prefetching) leave free. These levels may always use one slot.
    var reservedTransfers = 2
    /// Concurrent writes to the data cache.
    var storing: Int
    /// Concurrent previews of stale images.
    var previewing = 1
    /// The number of bodies that may wait for a decode. Above it no more are fetched.
    var backlog: Int
    /// The number of stores that may wait. Above it no more bytes are fetched.
    var storeBacklog: Int
    /// The number of bytes that decodes may hold at once; a single decode may exceed it.
    var decodingBytes: Int

    /// True if no job starts. Running jobs continue.
    var isSuspended = false
    /// Stages in which no job starts.
    var suspended: StageSet = []
    var order = JobOrder.firstInFirstOut
    /// True if a running transfer may be paused for a more urgent one.
    var pausesTransfers = true
    /// The time that a transfer is paused before its connection is released, in nanoseconds: about as long as most
    /// servers keep one open.
    var holdTime: Moment = 5_000_000_000
    /// True if a transfer without waiting tasks may finish if that takes less time than a new request.
    var finishesNearlyDone = true
    /// The rate limit for transfers that are cancelled or paused; `nil` for no limit.
    var rate: TransferRate? = TransferRate()
    /// Concurrent early decodes: each holds a decoder and its pixels so far.
    var sessions = 8
    /// An early decode starts if at least this many bytes are missing.
    var minimumEarlyBytes = 64 << 10
    /// It also starts if the rest takes at least this long, in nanoseconds; 0 turns this rule off. Previews are made
    /// only if the rest takes this long.
    var previewTime: Moment = 250_000_000

    /// The number of starts that may pass an older job before the oldest one is started instead.
    static let passes = 64

    /// Concurrent transfers of levels 0 and 1.
    var lowTransfers: Int { max(min(1, transferring), transferring - reservedTransfers) }
}

/// A rate limit: `burst` starts at once, and `perSecond` more each second.
///
/// Only transfers that are cancelled or paused use it up; see ``RateLimiter``.
struct TransferRate: Hashable, Sendable {
    var perSecond = 80.0
    var burst = 25.0
}

struct StageSet: OptionSet, Hashable, Sendable {
    let rawValue: UInt8
}

extension StageSet {
    init(_ stage: JobStage) { self.init(rawValue: 1 << stage.rawValue) }
}

enum JobOrder: UInt8, Hashable, Sendable {
    case firstInFirstOut
    /// Newest request first, for lists that are scrolled fast.
    case lastInFirstOut
}
