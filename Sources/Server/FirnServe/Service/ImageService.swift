@_exported public import Firn
import FirnReport
import FirnSync
import Logging
import NIOCore
import Synchronization

/// Makes each result once and caches it: the path from a request to bytes, for every language.
final class ImageService: Sendable {
    /// The parts that a reload replaces.
    private let live: Locked<(settings: ServeSettings, renderer: Renderer)>
    /// Receives the events of the pipeline.
    private let observer: (any PipelineObserver)?
    private let spans: SpanExporter?
    private let now: @Sendable () -> Int
    private let refreshes = Locked(RefreshList())
    /// The current settings.
    var settings: ServeSettings { live.withLock { $0.settings } }
    /// The time limit of a request. Not inlined: the settings would be part of the memory of waiting requests.
    var timeLimit: Duration { @inline(never) get { live.withLock { $0.settings.timeLimit } } }
    private var renderer: Renderer { live.withLock { $0.renderer } }
    let files: LocalFiles
    /// The known properties of sources, by their keys.
    private let described = Locked(BoundedMap<String, SourceInfo>(limit: 4096))
    /// Results by key. A result larger than an eighth of the limit is not cached.
    private let memory: Locked<BoundedMap<String, ServedResult>>
    private let watermarks = WatermarkStore()
    private let disk: DataCache?
    let purges: Purges
    /// True if the last result could not be stored on disk.
    private let isDiskFailing = Atomic(false)
    private let logger: Logger
    /// The results of other servers; `nil` for a single server.
    private let fleet: FleetResults?
    /// Asks the fleet's stores once for equal requests.
    private let flights = SingleFlight<String, ServedResult, ServeError>(cancelled: .clientClosed)
    private let admission: Locked<AdmissionQueue>
    /// A source of each host that did not respond in time, by scheme, host and port; at most 256.
    private let slow = Locked<[String: SourceReference]>([:])
    private let counters = Locked(ServiceCounters())
    private let memoryHits = CoreCounter()
    private let repeated = CoreCounter()
    private let compared = CoreCounter()

    /// Creates a service with a pipeline of its own.
    ///
    /// - Parameters:
    ///   - observer: receives the events of the pipeline. Default: none.
    ///   - logger: logs when a store or the disk starts to fail, and when it works again.
    ///   - spans: exports the spans of refreshed results. Default: `nil` for none.
    ///   - now: the seconds since 1970. Default: the system's clock.
    init(
        _ settings: ServeSettings, observer: (any PipelineObserver)? = nil, logger: Logger = Logger(label: "firn"),
        spans: SpanExporter? = nil, now: @escaping @Sendable () -> Int = ServeClock.seconds
    ) {
        self.observer = observer
        self.logger = logger
        self.spans = spans
        self.now = now
        live = Locked((settings, Renderer(settings, observer: observer)))
        files = LocalFiles(root: settings.localRoot, freshness: settings.fileFreshness)
        memory = Locked(BoundedMap(limit: settings.resultMemory, largest: settings.resultMemory / 8))
        disk = settings.cacheDirectory.map {
            DataCache(directory: "\($0)/results", isShared: settings.isCacheShared)
        }
        fleet = FleetResults(settings, logger: logger)
        purges = Purges(settings, store: settings.purgeStore, logger: logger)
        admission = Locked(AdmissionQueue(limits: settings.admission))
    }

    /// Uses other settings for later requests. Running requests keep theirs.
    func use(_ settings: ServeSettings) {
        let current = self.settings
        // A new pipeline loses the connections of the old one, so it is made only if the loader changes.
        let needsPipeline =
            current.network != settings.network || current.limits != settings.limits
            || current.timeLimit != settings.timeLimit
            || current.sourceFields.map(\.name) != settings.sourceFields.map(\.name)
            || current.iiif.sources != settings.iiif.sources || current.s3Sources != settings.s3Sources
        let renderer = needsPipeline ? Renderer(settings, observer: observer) : renderer
        renderer.use(settings.admission)
        live.withLock { $0 = (settings, renderer) }
        admission.withLock { $0.limits = settings.admission }
        fleet?.use(secrets: settings.storeSecrets)
        purges.use(secrets: settings.storeSecrets)
    }

    /// The counts so far.
    var statistics: ServiceCounters {
        var counters = counters.withLock { $0 }
        admission.withLock { admission in
            counters.running = admission.count
            counters.waiting = admission.requests
            counters.shared = admission.joined
        }
        counters.memoryHits = memoryHits.total
        counters.repeated = repeated.total
        counters.compared = compared.total
        counters.purges = purges.recorded.total
        counters.memoryBytes = memory.withLock { $0.cost }
        counters.storeWaits = fleet?.waited ?? 0
        counters.storeFaults = fleet?.faults ?? [:]
        counters.decoderDeaths = DecoderDeaths.count
        counters.spans = spans?.counts ?? SpanExporter.Counts()
        let (renderer, most) = live.withLock { ($0.renderer, $0.settings.admission.perHost) }
        counters.computing = renderer.computing
        counters.places = slow.withLock { slow in
            let places = slow.compactMapValues { renderer.places(for: $0) }.filter { $0.value < most }
            slow = slow.filter { places[$0.key] != nil }
            return places
        }
        return counters
    }

    /// Returns a result from memory if it may be served. A stale result is made again in the background.
    ///
    /// - Parameters:
    ///   - condition: what the result must meet, if the source was checked earlier. Default: nothing, if the source was
    ///     checked now.
    ///   - isCompared: whether the request has the same bytes as an earlier one. Default: false.
    func cached(_ job: ResultJob, _ condition: ResponseCondition? = nil, isCompared: Bool = false) -> ServedResult? {
        let job = purges.revised(job)
        guard condition == nil || job.allSources(files.isCurrent),
            let result = memory.withLock({ $0.value(for: job.memoryKey) }), result.revision == job.revision,
            condition?.isMet(by: result) ?? true, isServed(result, job)
        else { return nil }
        memoryHits.count()
        if condition != nil { repeated.count() }
        if isCompared { compared.count() }
        return result
    }

    /// Counts a response that was sent again without checking its result and source.
    func countCompared() {
        memoryHits.count()
        repeated.count()
        compared.count()
    }

    /// The time for which a local file counts as unchanged.
    var fileFreshness: Duration { files.freshness }

    /// Returns the result of a job: from memory, from a store, or made now, once for all waiting requests.
    ///
    /// - Parameter client: the address of the client, for the limit per client.
    /// - Throws: ``ServeError``: 429 at once if there is too much work; 4xx and 5xx for sources.
    func result(of job: ResultJob, client: String) async throws(ServeError) -> ServedResult {
        if let result = cached(job) { return result }
        let job = purges.revised(job)
        try admit(job, job.key, client)
        defer { release(job.key) }
        guard let fleet else { return try await make(job) { [self] in fromDisk(job) } }
        return try await flights.value(for: job.key) { [self] () async throws(ServeError) in
            let stored = try? await BlockingCall.run { _ in self.fromDisk(job) }
            if let result = stored ?? nil { return result }
            return try await shared(job, fleet) { [self] in isServed($0, job) }
        }
    }

    /// Returns a result from the fleet's stores, or makes it for all servers.
    private func shared(
        _ job: ResultJob, _ fleet: FleetResults, isRefresh: Bool = false,
        isServed: @escaping @Sendable (ServedResult) -> Bool
    ) async throws(ServeError) -> ServedResult {
        let progress = WorkProgress({ 0 })
        let (result, isStored) = try await fleet.result(
            for: job.key, lifetime: storeLifetime, progress: progress, isServed: isServed,
            { [self] () async throws(ServeError) in try await make(job, isRefresh: isRefresh, progress: progress) })
        if isStored {
            counters.withLock { $0.storeHits += 1 }
            try? await BlockingCall.run { _ in self.keep(result, of: job) }
        }
        return result
    }

    /// The time that the fleet's stores keep a result: as long as it may be served.
    private var storeLifetime: Duration { settings.resultLifetime + settings.staleLifetime }

    private func keep(_ result: ServedResult, of job: ResultJob) {
        // A purge has made it a miss meanwhile.
        guard purges.revised(job).key == job.key else { return }
        remember(result, of: job)
        guard let disk else { return }
        let failure = disk.store(result, for: job.key)
        if let failure {
            let event = PipelineEvent.Kind.dataCacheFailed(failure, job.source.request())
            observer?.pipeline(didObserve: PipelineEvent(time: .nanoseconds(MonotonicClock.now()), kind: event))
        }
        let changes = isDiskFailing.exchange(failure != nil, ordering: .relaxed) != (failure != nil)
        guard changes else { return }
        if let failure {
            logger.warning("cache: results are not kept on disk", metadata: ["reason": "\(failure.message)"])
        } else {
            logger.info("cache: results are kept on disk again")
        }
    }

    private func remember(_ result: ServedResult, of job: ResultJob) {
        if memory.withLock({ $0.store(result, of: job) }) { counters.withLock { $0.purgedHits += 1 } }
    }

    /// Returns a result from disk if it may be served. Blocks.
    private func fromDisk(_ job: ResultJob) -> ServedResult? {
        guard let result = disk?.result(for: job.key), isServed(result, job) else { return nil }
        counters.withLock { $0.diskHits += 1 }
        remember(result, of: job)
        return result
    }

    /// Makes and caches a result, unless a server of the fleet knows that its source must not be asked now.
    ///
    /// - Parameters:
    ///   - progress: receives the progress. Default: none.
    ///   - stored: looks up a stored result, on a thread that may block. Default: none.
    private func make(
        _ job: ResultJob, isRefresh: Bool = false, progress: WorkProgress? = nil,
        stored: @escaping @Sendable () -> ServedResult? = { nil }
    ) async throws(ServeError) -> ServedResult {
        var sourceKey: String?
        if fleet != nil, !job.source.isFile { sourceKey = "\(job.source.key)\n\(job.sourceRevision)" }
        if let sourceKey, let failure = await fleet?.failure(of: sourceKey, now: now()) { throw failure }
        // Order: held until the end, so that a reload does not close the pipeline of a running request.
        let renderer = renderer
        defer { withExtendedLifetime(renderer) {} }
        var watermark: Watermark?
        if let requested = job.watermark {
            if let result = (try? await BlockingCall.run { _ in stored() }) ?? nil { return result }
            watermark = try await loaded(requested, renderer)
        }
        // A refresh is not part of the request that started it.
        let (trace, name) = isRefresh ? (spans?.trace(), "refresh") : (Trace.current?.child(), "render")
        let task = Trace.$current.withValue(trace) { [watermark] in
            start(job, watermark, renderer, isRefresh: isRefresh, progress, stored: stored)
        }
        do throws(ServeError) {
            let result: ServedResult = try await task.rendered()
            trace?.end(name)
            return result
        } catch {
            trace?.end(name, error: error.message)
            if error.status == 504, !job.source.isFile {
                slow.withLock { if $0.count < 256 { $0[job.source.origin] = job.source } }
            }
            if let sourceKey { await fleet?.keep(error, of: sourceKey, now: now()) }
            throw error
        }
    }

    // The next two functions are not inlined: their temporary values would be part of the memory of waiting requests.

    @inline(never)
    private func loaded(_ watermark: RequestedWatermark, _ renderer: Renderer) async throws(ServeError) -> Watermark {
        let revision = watermark.source.map { purges.revision(of: $0) } ?? 0
        return try await watermarks.watermark(watermark, renderer, settings, revision: revision, now: now())
    }

    /// Starts to make a result.
    @inline(never)
    private func start(
        _ job: ResultJob, _ watermark: Watermark?, _ renderer: Renderer, isRefresh: Bool, _ progress: WorkProgress?,
        stored: @escaping @Sendable () -> ServedResult?
    ) -> ImageTask {
        let task = renderer.task(job, watermark, isRefresh: isRefresh, stored: stored) {
            [self] data, type, isPartial, response in
            counters.withLock { $0.made += 1 }
            let now = now()
            let result = ServedResult(
                body: ByteBuffer(bytes: data), mediaType: type, entityTag: ServedResult.entityTag(of: data),
                made: now, isPartial: isPartial, terms: SourceTerms(response, of: job.source, settings, now: now))
            if result.mayKeep { keep(result, of: job) }
            return result
        }
        // Only transfers can hang: reading files, decoding and encoding count as progress.
        let isFile = job.source.isFile
        progress?.withLock {
            $0 = { isFile || task.currentProgress.fraction == 1 ? nil : task.currentProgress.completed }
        }
        return task
    }

    // MARK: Stale results

    /// Returns whether a cached result may be served. Makes a stale result again in the background.
    private func isServed(_ result: ServedResult, _ job: ResultJob) -> Bool {
        // Each version of a file has its own results.
        if job.allSources(\.isFile) { return true }
        switch age(result) {
        case .fresh: return true
        case .stale:
            refresh(job)
            return true
        case .expired: return false
        }
    }

    private func age(_ result: ServedResult) -> ResultAge {
        let settings = settings
        return ResultAge(result, now: now(), lifetime: settings.resultLifetime, stale: settings.staleLifetime)
    }

    /// Makes a result again for later requests, unless that was tried recently.
    private func refresh(_ job: ResultJob) {
        guard refreshes.withLock({ $0.begin(job.key, now: now()) }) else { return }
        Task { [self] in
            let key = "refresh \(job.key)"
            guard (try? admit(job, key, "refresh")) != nil else { return }
            defer { release(key) }
            // After an error the stale result stays.
            guard let fleet else { return _ = try? await make(job, isRefresh: true) }
            // One server of the fleet makes it again, the others take the result.
            _ = try? await shared(job, fleet, isRefresh: true) { [self] in age($0) == .fresh }
        }
    }

    private func admit(_ job: ResultJob, _ key: String, _ client: String) throws(ServeError) {
        // Order: counted outside of the lock, and only if it decides.
        let isFull = admission.withLock { $0.count >= min($0.limits.total, $0.limits.perClient) }
        let computing = isFull ? renderer.computing : nil
        do throws(AdmissionError) {
            try admission.withLock { queue throws(AdmissionError) in
                try queue.take(key, client: client, host: job.source.host, computing: computing)
            }
        } catch {
            counters.withLock { $0.refusals[error, default: 0] += 1 }
            throw .busy(error.rawValue)
        }
    }

    private func release(_ key: String) {
        guard admission.withLock({ $0.release(key) }) else { return }
        Task {
            // The rest of the work ends, too.
            try? await Task.sleep(for: .seconds(1))
            // The heap keeps what is below a block in use: 1,000 slow sources left 80 MiB.
            _ = try? await BlockingCall.run { _ in ProcessHeap.trim() }
        }
    }

    /// Returns the properties of a source, which are read once for each version.
    ///
    /// - Parameter takesParts: whether the limits for files that are decoded in parts apply.
    func describe(_ source: SourceReference, takesParts: Bool) async throws(ServeError) -> SourceInfo {
        let revision = purges.revision(of: source)
        let key = "\(takesParts ? "parts:" : "")\(revision)\n\(source.key)"
        if let info = described.withLock({ $0.value(for: key) }) { return info }
        let renderer = renderer
        defer { withExtendedLifetime(renderer) {} }
        let info: SourceInfo = try await renderer.description(
            of: source, revision, takesParts: takesParts
        ).rendered()
        described.withLock { $0.store(info, for: key) }
        return info
    }
}

/// The recently refreshed results. Limits retries against a failing source.
struct RefreshList: Sendable {
    /// The time of the last try for each key, in seconds since 1970.
    private var tried = BoundedMap<String, Int>(limit: 4096)
    /// The time between two tries, in seconds.
    static let pause = 10

    /// Returns whether the result of a key should be made again now.
    mutating func begin(_ key: String, now: Int) -> Bool {
        if let last = tried.value(for: key), last <= now, now - last < RefreshList.pause { return false }
        tried.store(now, for: key)
        return true
    }
}
