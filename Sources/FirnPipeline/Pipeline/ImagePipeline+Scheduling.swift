import FirnData

extension ImagePipeline {
    /// The limits and the order of concurrent work. Set in the configuration, and changed at any time by
    /// ``ImagePipeline/scheduling``.
    public struct Scheduling: Hashable, Sendable {
        /// Which of equally urgent requests comes first.
        package enum Order: Sendable {
            /// In the order in which they were asked for; the default.
            case firstInFirstOut
            /// What was asked for last: for lists that are scrolled fast.
            case lastInFirstOut
        }

        /// A part of a request's way.
        package enum Stage: Sendable, CaseIterable {
            /// Files and the data cache are read.
            case reading
            /// Bytes are loaded.
            case transfer
            /// Images are decoded.
            case decoding
            /// Processors run.
            case processing
            /// Kept images that are no longer fresh are made ready to be shown while their source is asked. Previews of
            /// images that still arrive are part of `decoding`.
            case previewing
            /// Bytes are kept in the data cache.
            case storing
        }

        /// Decodes and processor steps at once. Default: the machine's cores, at most 4.
        public var computingLimit = min(4, Machine.cores)
        /// Reads of files and of the data cache at once. Default: 2.
        public var readingLimit = 2
        /// Previews of kept images that are no longer fresh, made at once, beside ``computingLimit``. Default: 1, since
        /// one decodes as fast as most lines answer. Neither loads nor ``ImagePipeline/flush()`` wait for them.
        public var previewingLimit = 1
        /// Transfers at once. Default: 6, as browsers have them for one host.
        public var transferLimit = 6
        /// Transfers at once from one host: one scheme, name and port. Default: 6.
        public var transferLimitPerHost = 6
        /// Slots of transfers that priorities up to `low`, prefetching, leave free for others; one slot they always have.
        /// Default: 2.
        public var reservedTransfers = 2
        /// Bytes that decodes may hold at once, by estimate; one decode alone may exceed it. Default: 72 MiB: two progressive
        /// photographs of 12 megapixels, or dozens of others, fit; more at once would raise the peak and not the speed.
        public var decodingMemoryLimit = 72 << 20

        /// Whether the newest of equally urgent requests starts first: for lists that are scrolled fast. Default: no, the
        /// oldest does.
        public var startsNewestFirst: Bool {
            get { order == .lastInFirstOut }
            set { order = newValue ? .lastInFirstOut : .firstInFirstOut }
        }
        /// Which of equally urgent requests comes first. In either order nobody waits forever: every 64th start that
        /// passes an older one takes the oldest.
        package var order = Order.firstInFirstOut
        /// Whether no new work starts. Running work goes on.
        public var isSuspended = false
        /// Stages in which nothing new starts. Default: none.
        package var suspendedStages: Set<Stage> = []

        /// Whether a running transfer is paused when one of higher priority needs its slot or its bandwidth; it goes on
        /// from the byte it reached. Default: yes.
        public var isPreemptionEnabled = true
        /// How long a transfer is paused before its connection is given up. Default: 5 s.
        public var pausedConnectionTimeout = Duration.seconds(5)
        /// Whether a cancelled transfer, whose rest would come sooner than the first byte of a new one, runs to its end,
        /// into the data cache. Default: yes.
        public var finishesNearlyDoneTransfers = true
        /// Whether transfers that are started and cancelled again at once, as by a list that is scrolled fast, are slowed
        /// down. Transfers that run to their end never are. Default: yes.
        public var isRateLimiterEnabled = true
        /// The most such starts in a second. Default: 80.
        public var rateLimit = 80
        /// The most such starts at once. Default: 25.
        public var rateLimitBurst = 25

        /// How long the rest of an image must be expected to take for a preview of it to be made. Default: 250 ms,
        /// since a preview that is replaced sooner is not seen.
        ///
        /// The rest is estimated by the pace of its transfer so far. A transfer that has been silent for this long
        /// counts as slow, whatever its pace was before. `.zero`: time does not count, ``previewByteThreshold`` alone
        /// decides.
        public var previewTimeThreshold = Duration.milliseconds(250)
        /// How many bytes must be still to come for a decode to begin before all of them are there, and for a preview
        /// while the pace of the transfer is not known. Default: 64 KiB, which mostly arrive before a decode of the
        /// first bytes is done. Where the rest takes at least ``previewTimeThreshold``, fewer will do.
        public var previewByteThreshold = 64 << 10

        /// How many bodies of transfers that were cancelled, or lost their connection, are kept in memory, for whoever asks
        /// again to go on from; 0 for none. Only such as their server can send the rest of, proved to be the same by a strong
        /// validator, and only from 16 KiB on. The oldest leaves first; all leave when memory is short, and when the disk
        /// cache is emptied by ``ImagePipeline/Cache/removeAll(caches:)``. Default: 32.
        public var partialBodyLimit = 32
        /// Bytes that they may have together. Default: 8 MiB.
        public var partialBytesLimit = 8 << 20
        /// How long each may be used. Default: 5 minutes.
        public var partialBodyLifetime = Duration.seconds(300)

        /// Creates the defaults.
        public init() {}
    }
}

extension ImagePipeline.Scheduling {
    var isAnythingSuspended: Bool { isSuspended || !suspendedStages.isEmpty }

    mutating func resumeAll() {
        isSuspended = false
        suspendedStages = []
    }

    /// What is kept of transfers that were given up.
    var partialLimits: PartialLimits {
        var limits = PartialLimits()
        limits.count = max(0, partialBodyLimit)
        limits.bytes = max(0, partialBytesLimit)
        limits.time = max(.zero, partialBodyLifetime).nanoseconds
        return limits
    }

    /// The same as the table knows it.
    var stageLimits: StageLimits {
        var limits = StageLimits(
            computing: max(1, computingLimit), reading: max(1, readingLimit), transferring: max(1, transferLimit),
            storing: 1, backlog: max(1, min(computingLimit, 1 << 20)) * 4, storeBacklog: 64,
            decodingBytes: max(0, decodingMemoryLimit))
        limits.transferringPerHost = max(1, transferLimitPerHost)
        limits.reservedTransfers = max(0, reservedTransfers)
        limits.previewing = max(1, previewingLimit)
        limits.previewTime = max(.zero, previewTimeThreshold).nanoseconds
        limits.leastEarlyBytes = max(1, previewByteThreshold)
        limits.isSuspended = isSuspended
        for stage in suspendedStages { limits.suspended.formUnion(StageSet(stage.jobStage)) }
        limits.order = order == .firstInFirstOut ? .firstInFirstOut : .lastInFirstOut
        limits.pausesTransfers = isPreemptionEnabled
        limits.holdTime = max(.zero, pausedConnectionTimeout)
        limits.finishesNearlyDone = finishesNearlyDoneTransfers
        limits.rate =
            isRateLimiterEnabled
            ? TransferRate(perSecond: Double(max(1, rateLimit)), burst: Double(max(1, rateLimitBurst))) : nil
        return limits
    }
}

extension ImagePipeline.Scheduling.Stage {
    fileprivate var jobStage: JobStage {
        switch self {
        case .reading: .read
        case .transfer: .transfer
        case .decoding: .decode
        case .processing: .process
        case .previewing: .preview
        case .storing: .store
        }
    }
}

extension ImagePipeline {
    /// The limits of concurrent work. A change applies to everything that has not started.
    public var scheduling: Scheduling {
        get { runner.scheduling }
        set { runner.scheduling = newValue }
    }

    /// Whether nothing new starts; what runs goes on. Images in the memory cache are found all the same.
    public var isSuspended: Bool {
        get { scheduling.isSuspended }
        set { runner.changeScheduling { $0.isSuspended = newValue } }
    }
}
