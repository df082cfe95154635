import FirnSync
import Synchronization

/// Starts transfers by the loader or by a closure of the request, and turns their ends into outcomes. Blocks no
/// thread.
///
/// A class, since every running transfer refers to it.
final class TransferStage: Sendable {
    private let caches: PipelineCaches
    var freshness: FreshnessRules? { caches.freshness }
    private let opener: TransferOpener
    private let decoders: DecoderChoice
    /// Recent failures; `nil` if they are not remembered.
    private let failures: FailureCache?
    /// Stores the bytes of cancelled transfers; `nil` to drop them.
    let partialBodies: PartialBodyStore?
    /// The policy for failed requests.
    let retries: DataRetryPolicy
    /// See ``ImagePipeline/Configuration/unknownContentLimit``.
    let unknownContentLimit: Int
    private let maximumBytes: Int
    /// The downloads that may serve loads of the same resource; none if requests share no work.
    private let downloads = Locked<[ResourceKey: FileDownload]>([:])
    /// True once there was one, so that loads of other programs take no lock.
    private let hasDownloads = Atomic(false)
    private let isCoalescing: Bool

    init(
        _ configuration: ImagePipeline.Configuration, _ caches: PipelineCaches, _ opener: TransferOpener,
        _ decoders: DecoderChoice, _ failures: FailureCache?, partialBodies: PartialBodyStore?
    ) {
        self.caches = caches
        self.opener = opener
        self.decoders = decoders
        self.failures = failures
        self.partialBodies = partialBodies
        retries = configuration.retries
        unknownContentLimit = configuration.unknownContentLimit
        maximumBytes = configuration.limits.maximumBytes
        isCoalescing = configuration.isTaskCoalescingEnabled
    }

    /// Starts the transfer of a job.
    ///
    /// - Returns: `pending` if `observer` receives the end later.
    func run(_ started: StartedJob, observer: any TransferObserver) -> StageOutcome {
        let (job, ticket) = (started.job, started.ticket)
        guard let transfer = job.transfer else { return .notNeeded }
        if case .download(let download) = job.work { return run(started, transfer, into: download, observer) }
        if let failure = failures?.failure(for: job.request) {
            if let bytes = replacement(for: failure, job, false) { return .done(.bytes(bytes)) }
            if let refusal = Refusal(failure, job.stale, nil), observer.transferHasViewers(ticket) {
                return .refused(refusal)
            }
            return .failed(ImageLoadingError(failure, for: job.request))
        }
        let mayStore = job.request.options.writesDisk && caches.hasDataCache(for: job.request)
        let context = BodyTransfer.Context(started, self, observer, mayStore: mayStore)
        let end = transfer.begin(
            context, limit: maximumBytes, priority: DataPriority(rawValue: started.level) ?? .normal)
        return end.map { outcome(of: $0) } ?? .pending
    }

    /// Starts the transfer of a download. Opens its file. Recent failures of loads do not count for it.
    private func run(
        _ started: StartedJob, _ transfer: BodyTransfer, into download: FileDownload, _ observer: any TransferObserver
    ) -> StageOutcome {
        let file: FilePart
        do throws(ImageLoadingError) { file = try download.begin(transfer) } catch { return .failed(error) }
        // The response to a range lacks fields that a load needs.
        if isCoalescing, file.count == 0 {
            downloads.withLock { $0[started.job.request.identities.resource] = download }
            hasDownloads.store(true, ordering: .relaxed)
        }
        let context = BodyTransfer.Context(started, self, observer, file: file)
        let end = transfer.begin(context, limit: .max, priority: DataPriority(rawValue: started.level) ?? .normal)
        return end.map { outcome(of: $0) } ?? .pending
    }

    /// Notes that a download serves no loads any longer.
    func ended(_ download: FileDownload) {
        let key = download.request.identities.resource
        downloads.withLock { if $0[key] === download { $0[key] = nil } }
    }

    /// Returns a transfer over the bytes of a running download of the same resource; `nil` if there is none.
    private func follow(
        _ request: ImageRequest, _ priority: DataPriority, _ receive: @escaping @Sendable (DataEvent) -> Void
    ) -> DownloadFollower? {
        guard hasDownloads.load(ordering: .relaxed),
            let download = downloads.withLock({ $0[request.identities.resource] })
        else { return nil }
        let follower = DownloadFollower(
            download, at: freshness?.moment, accepts: { [opener] in opener.selection(of: request, by: $0) == nil },
            receive)
        return download.add(follower, priority) ? follower : nil
    }

    /// Returns the outcome of a transfer that is over. Writes the counts of its bytes into the job.
    func outcome(of end: BodyTransfer.End) -> StageOutcome {
        let (job, observer) = (end.context.job, end.context.observer)
        job.wastedBytes = end.tally.lost
        job.keptBytes = end.tally.kept
        switch end.outcome {
        case .bytes(let bytes):
            if end.tally.leavesSegments, let request = job.request.dataRequest {
                observer.transferSpilled(.drop(request), of: job)
            }
            let isConfirmed = job.stale != nil && !end.tally.isStaleRefuted
            return .done(.bytes(isConfirmed ? revalidated(bytes, job) : bytes))
        case .failure(let error) where end.context.file != nil:
            return .failed(ImageLoadingError(error, for: job.request))
        case .failure(let error):
            if let refusal = Refusal(error, job.stale, end.tally), observer.transferHasViewers(end.context.ticket) {
                return .refused(refusal)
            }
            return failure(error, end.tally, job, observer)
        case .unknown(let error):
            return .failed(ImageLoadingError(error, at: .decoding, source: job.request.description))
        }
    }

    /// Returns the failure of a refused request, whose stale image has been shown.
    func outcome(of refusal: Refusal, for job: EngineJob, _ observer: any TransferObserver) -> StageOutcome {
        guard let tally = refusal.tally else { return .failed(ImageLoadingError(refusal.error, for: job.request)) }
        return failure(refusal.error, tally, job, observer)
    }

    private func failure(
        _ error: DataLoadingError, _ tally: BodyTransfer.Tally, _ job: EngineJob, _ observer: any TransferObserver
    ) -> StageOutcome {
        var hasOlder =
            job.stale != nil || !job.request.options.readsDisk && caches.hasDataCache(for: job.request)
        if case .status(let status) = error.cause, ResponseStatus.endsOlder(status), tally.mayStore,
            job.stale != nil || !job.request.options.readsDisk
        {
            // Removes the entry, so that it does not replace a later failure of the source.
            observer.transferSpilled(.forget, of: job)
            hasOlder = false
        }
        failures?.note(error, for: job.request, hasOlder: hasOlder)
        if tally.isEmpty, !tally.isStaleRefuted, let bytes = replacement(for: error, job, tally.mayStore) {
            return .done(.bytes(bytes))
        }
        return .failed(ImageLoadingError(error, for: job.request))
    }

    /// The received bytes, or the stored ones if the source has confirmed them.
    private func revalidated(_ bytes: FetchedBytes, _ job: EngineJob) -> FetchedBytes {
        guard let stale = job.stale, let response = bytes.response, response.status == 304,
            let rules = freshness
        else { return bytes }
        let known = rules.confirmed(stale, by: response, bytes.times ?? ResponseTimes(), for: job.request)
        return stale.bytes(rules, known, mayStore: bytes.mayStore)
    }

    /// The stored bytes if they may be used instead of a failed transfer.
    private func replacement(for error: DataLoadingError, _ job: EngineJob, _ mayStore: Bool) -> FetchedBytes? {
        guard let stale = job.stale, let rules = freshness else { return nil }
        // Some loaders report a 304 as an error.
        if error.cause == .status(304), stale.stored.redirects.isEmpty {
            let moment = rules.moment
            let nothing = DataResponse(url: stale.stored.url, status: 304)
            let times = ResponseTimes(requested: moment, responded: moment)
            return stale.bytes(
                rules, rules.confirmed(stale, by: nothing, times, for: job.request), mayStore: mayStore)
        }
        return error.isOutage && stale.mayServeOnError ? stale.bytes(rules, rules.standIn(stale)) : nil
    }

    /// Returns the file of the data cache for a body that is still arriving; `nil` if it does not store the original,
    /// or if it decides so only at the end.
    func arrivingBody(of job: EngineJob, head: Data, _ response: DataResponse?) -> ArrivingBody? {
        let request = job.request
        guard caches.choices == nil, caches.dataCachePolicy.keepsOriginal(for: CollectionOfOne(request)),
            response?.isJudged != true, !job.isForgotten(.disk),
            let cache = caches.dataCache(for: request) as? DataCache,
            decoders.decoder(head, response, for: request) != nil
        else { return nil }
        return cache.arrivingBody(for: request.dataCacheKey)
    }

    /// Requests the bytes of a request, or a revalidation of the stored ones.
    ///
    /// - Parameters:
    ///   - rest: sent instead of the request if only a part is missing.
    ///   - stale: the stored bytes to revalidate.
    ///   - isForFile: whether the bytes are written into a file: of any length, and as they are at the source.
    ///   - isFirst: whether this is the first connection of its transfer.
    func open(
        _ request: ImageRequest, rest: DataRequest?, checking stale: StaleBytes?, priority: DataPriority,
        intoFile isForFile: Bool = false, isFirst: Bool = false, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        switch request.source {
        case .address(let whole):
            // A transfer that a download has left does not follow it again.
            if isFirst, rest == nil, stale == nil, !isForFile, whole.isPlain,
                let transfer = follow(request, priority, receive)
            {
                return transfer
            }
            if rest == nil, stale == nil, !isForFile, whole.priority == priority, request.options.isTrusted {
                return opener.startLoading(whole, for: request, isWhole: true, receive: receive)
            }
            var sent = rest ?? whole
            if rest == nil, let stale, let rules = freshness {
                sent = rules.check(stale, by: sent, for: request)
            }
            if sent.priority != priority { sent.priority = priority }
            if !request.options.isTrusted { sent.isUntrusted = true }
            if isForFile {
                sent.isUnlimited = true
                // Only the length of a body that is not compressed is known, and only its parts can be requested.
                if sent.headers["Accept-Encoding"] == nil { sent.headers["Accept-Encoding"] = "identity" }
            }
            return opener.startLoading(
                sent, for: request, isWhole: rest == nil && stale == nil && !isForFile, receive: receive)
        case .closure(let body): return ClosureTransfer(body, receive)
        case .bytes(let data): return ClosureTransfer({ data }, receive)
        case .image: return ClosureTransfer({ Data() }, receive)
        }
    }
}

/// The refusal of a request by its source, while a stale image can still be shown.
///
/// A refusal says nothing about the image, so a view keeps its present one. The tasks end with the error once they have
/// the stale image as their preview.
final class Refusal: Sendable {
    let error: DataLoadingError
    let stale: StaleBytes
    /// The byte counts of the transfer; `nil` if the refusal is remembered and no request was sent.
    let tally: BodyTransfer.Tally?
    /// Set if no task needs the stale image any longer.
    let cancellation = CancellationFlag()

    /// Returns nil for another failure, and for stale bytes that must not be shown.
    init?(_ error: DataLoadingError, _ stale: StaleBytes?, _ tally: BodyTransfer.Tally?) {
        guard case .status(let status) = error.cause, ResponseStatus.isRefusal(status), let stale, stale.mayShow else {
            return nil
        }
        // A part of another body, or a confirmation of one, came before the refusal.
        if let tally, !tally.isEmpty || tally.isStaleRefuted { return nil }
        self.error = error
        self.stale = stale
        self.tally = tally
    }
}
