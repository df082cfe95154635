import FirnSync

extension ImagePipeline {
    /// The limits and the order of concurrent work. Set them in the configuration, or change them at any time through
    /// ``ImagePipeline/scheduling``.
    public struct Scheduling: Hashable, Sendable {
        /// The number of decodes and processor steps at once. Default: the number of cores, at most 4.
        ///
        /// While a list of the pipeline's images scrolls, at most one less than the number of cores, but at least one,
        /// start: see `BindingContext.isScrolling`.
        public var computingLimit = min(4, Machine.cores)
        /// The number of concurrent reads of files and of the data cache. Default: 2.
        public var readingLimit = 2
        /// The number of concurrent transfers. Default: 6, as in browsers for one host.
        public var transferLimit = 6
        /// The number of concurrent transfers from one host (scheme, name and port). Default: 6.
        public var transferLimitPerHost = 6
        /// True if the newest request of the same priority starts first: for lists that are scrolled fast. Default:
        /// false; the oldest starts first. Neither order starves a request: every 64th start that passes an older
        /// request takes the oldest.
        public var startsNewestFirst = false
        /// True if no new work starts. Running work continues. Default: false.
        public var isSuspended = false
        /// True if a running transfer is paused if one of higher priority needs its slot or its bandwidth. It resumes
        /// from the byte that it reached, on its connection if that is within 5 s. Default: true.
        public var isPreemptionEnabled = true
        /// The starts of transfers a second to which bursts of transfers that are started and cancelled at once are
        /// limited, as in a list that is scrolled fast (token bucket, 25 starts at once). Transfers that run to their
        /// end are never limited. Default: 80.
        public var rateLimit = 80

        // MARK: Constants, which only tests and FirnMigration change

        /// The number of stale cached images that are decoded at once as previews, in addition to ``computingLimit``.
        /// Default: 1, because one decode is about as fast as a response. Loads and ``ImagePipeline/flush()`` do not
        /// wait for them.
        package var previewingLimit = 1
        /// True if hosts share the transfers: requests of equal priority take turns by host and bytes (deficit round
        /// robin), and time-outs before the first byte halve the number of a host's transfers, down to 1. Up to 64
        /// bodies may then wait for a core. For servers. Cannot be changed later, and overrides
        /// ``startsNewestFirst``. Default: false.
        package var sharesTransfersByHost = false
        /// The bytes that bodies of transfers may hold in memory until they are decoded. Beyond it, transfers are held
        /// back, all but one. Counts downloads into files, too. Default: no limit.
        package var bodyMemoryLimit = Int.max
        /// The number of concurrent reads from one file system, for requests that name it. Default: no limit.
        package var readingLimitPerFileSystem = Int.max
        /// The number of transfer slots that requests of priority `low` and below, such as prefetching, leave free.
        /// They can always use one slot. Default: 2.
        package var reservedTransfers = 2
        /// The estimated bytes that decodes may hold at once; a single decode may exceed it. Default: 72 MiB, enough
        /// for two progressive photographs of 12 megapixels or dozens of baseline ones. More raises the peak but not
        /// the speed.
        package var decodingMemoryLimit = 72 << 20
        /// The stages in which no new work starts. Default: none.
        package var suspendedStages: Set<PipelineEvent.Stage> = []
        /// The time for which a transfer is paused before its connection is closed. Default: 5 s.
        package var pausedConnectionTimeout = Duration.seconds(5)
        /// True if a cancelled transfer is completed into the data cache if its rest would arrive sooner than the first
        /// byte of a new one. Default: true.
        package var finishesNearlyDoneTransfers = true
        /// True if bursts of transfers that are started and cancelled at once, as in a list that is scrolled fast, are
        /// rate-limited (token bucket). Transfers that run to their end never are. Default: true.
        package var isRateLimiterEnabled = true
        /// The capacity of the token bucket, in starts. Default: 25.
        package var rateLimitBurst = 25
        /// The shortest expected time to the end of a transfer for which a preview is decoded. Default: 250 ms, because
        /// a preview that is replaced sooner is not seen.
        ///
        /// The time is estimated from the rate of the transfer so far. A transfer without a byte for this long counts
        /// as slow. With `.zero` only ``previewByteThreshold`` decides.
        package var previewTimeThreshold = Duration.milliseconds(250)
        /// The fewest missing bytes for which a decode starts before the transfer ends, and for which a preview is
        /// decoded while the rate of the transfer is unknown. Default: 64 KiB, which usually arrive before a decode of
        /// the first bytes ends. Fewer are enough if the rest takes at least ``previewTimeThreshold``. A task without
        /// subscribers to its progress or previews needs twice as many to start.
        package var previewByteThreshold = 64 << 10
        /// The number of partial bodies of cancelled or interrupted transfers that are kept in memory to be resumed; 0
        /// for none. Default: 32.
        ///
        /// Only bodies of at least 16 KiB are kept whose server accepts ranges and sent a strong validator. The oldest
        /// is evicted first. All are dropped under memory pressure, and when ``ImagePipeline/Cache/removeAll(caches:)``
        /// empties the disk cache.
        package var partialBodyLimit = 32
        /// The total bytes of the partial bodies in memory. Default: 8 MiB.
        package var partialBytesLimit = 8 << 20
        /// The time for which a partial body in memory can be resumed. Default: 5 minutes.
        package var partialBodyLifetime = Duration.seconds(300)

        /// Creates the defaults.
        public init() {}
    }

    /// The limits of concurrent work. A change applies to everything that has not started.
    public var scheduling: Scheduling {
        get { engine.shell.scheduling }
        set { engine.changeScheduling { $0 = newValue } }
    }

    /// The number of tasks that compute or wait for a core; the others wait for a source. Visits every job.
    package var computingTasks: Int { engine.shell.read { $0.table.tasksComputing() } }

    /// Returns the number of transfers that may run at once from the host of a request: fewer than
    /// ``Scheduling/transferLimitPerHost`` if the host has not responded in time. `nil` if no transfer is needed.
    package func transferPlaces(for request: ImageRequest) -> Int? {
        request.identities.host.map { host in engine.shell.read { $0.table.places(of: host) } }
    }

    /// Counts a list that starts or stops to scroll. While there is one, decodes and processors leave a core free.
    package func listScrolls(_ isScrolling: Bool) { engine.shell.changeIfOpen { $0.listScrolls(isScrolling) } }
}

extension ImagePipeline.Scheduling {
    var partialLimits: PartialLimits {
        var limits = PartialLimits()
        limits.count = max(0, partialBodyLimit)
        limits.bytes = max(0, partialBytesLimit)
        limits.time = max(.zero, partialBodyLifetime).nanoseconds
        return limits
    }

    /// The limits of the job table.
    var stageLimits: StageLimits {
        var limits = StageLimits(
            computing: max(1, computingLimit), reading: max(1, readingLimit), transferring: max(1, transferLimit),
            storing: 1, backlog: max(1, min(computingLimit, 1 << 20)) * 4, storeBacklog: 64,
            decodingBytes: max(0, decodingMemoryLimit))
        limits.transferringPerHost = max(1, transferLimitPerHost)
        limits.sharesByHost = sharesTransfersByHost
        limits.heldBytes = max(0, bodyMemoryLimit)
        limits.readingPerHost = max(1, readingLimitPerFileSystem)
        // Enough bodies that no core waits for the first bytes of the next ones.
        if sharesTransfersByHost { limits.backlog = max(limits.backlog, min(64, transferLimit / 4)) }
        limits.reservedTransfers = max(0, reservedTransfers)
        limits.previewing = max(1, previewingLimit)
        limits.previewTime = max(.zero, previewTimeThreshold).nanoseconds
        limits.minimumEarlyBytes = max(1, previewByteThreshold)
        limits.isSuspended = isSuspended
        for stage in JobStage.allCases where suspendedStages.contains(stage) {
            limits.suspended.formUnion(StageSet(stage))
        }
        limits.order = startsNewestFirst && !sharesTransfersByHost ? .lastInFirstOut : .firstInFirstOut
        limits.pausesTransfers = isPreemptionEnabled
        limits.holdTime = max(.zero, pausedConnectionTimeout).nanoseconds
        limits.finishesNearlyDone = finishesNearlyDoneTransfers
        limits.rate =
            isRateLimiterEnabled
            ? TransferRate(perSecond: Double(max(1, rateLimit)), burst: Double(max(1, rateLimitBurst))) : nil
        return limits
    }
}
