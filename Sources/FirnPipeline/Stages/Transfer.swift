import FirnData
import FirnImage
import FirnSync
import FoundationEssentials
import Synchronization

/// Collects what the loader delivers into a chain of chunks; can be paused, and cancelled before, while and after it runs.
///
/// The shell of ``TransferCourse``: holds it under a lock, calls the loader without it, one call at a time.
///
/// Invariant: the outcome is settled exactly once, and nothing follows it.
final class Transfer: Sendable {
    /// Whose bytes they are. A class, since it is handed about more often than it is made.
    final class Job: Sendable {
        let stage: TransferStage
        let observer: any TransferObserver
        let ticket: JobTicket
        let work: JobWork
        let mayStore: Bool

        init(
            stage: TransferStage, observer: any TransferObserver, ticket: JobTicket, work: JobWork, mayStore: Bool
        ) {
            self.stage = stage
            self.observer = observer
            self.ticket = ticket
            self.work = work
            self.mayStore = mayStore
        }
    }

    private let lock = InlineLock()
    // Safety: touched only while `lock` is held.
    @exclusivity(unchecked) nonisolated(unsafe) private var guarded = State()
    private static let cancelled = DataLoadingError(.cancelled, "the transfer was cancelled")
    private let watched = Atomic<Bool>(false)
    private let lost = Atomic<Int>(0)
    private let gained = Atomic<Int>(0)

    /// The state, behind its lock.
    struct Guarded {
        fileprivate let transfer: Transfer

        @inline(__always)
        func withLock<Result>(_ body: (inout State) -> Result) -> Result {
            transfer.lock.withLock { body(&transfer.guarded) }
        }
    }

    var state: Guarded { @inline(__always) get { Guarded(transfer: self) } }

    /// Bytes so far, and how many there will be. From now on the observer is told of every chunk.
    ///
    /// Order: watched first, so that what arrives after the count was read is told.
    func watch() -> (completed: Int, total: Int?) {
        watched.store(true, ordering: .sequentiallyConsistent)
        return state.withLock { ($0.course.count, $0.course.response?.expectedLength) }
    }

    /// A picture has been made of the bytes there are: they were not wasted, whatever becomes of the rest.
    func noteUse() { state.withLock { $0.isUsed = true } }

    /// Bytes that came and were dropped, once the transfer is over.
    var wasted: Int { lost.load(ordering: .relaxed) }

    /// Bytes of a transfer that did not run to its end, but were of use.
    var kept: Int { gained.load(ordering: .relaxed) }

    // MARK: What the engine wants

    /// Starts the loader.
    ///
    /// - Returns: the outcome if the transfer is over already, else `pending`.
    func begin(_ job: Job, limit: Int, priority: DataPriority) -> StageOutcome {
        if let failure = job.stage.environment.failures?.failure(for: job.work.request) {
            job.work.fail(ImageLoadingError(failure, source: job.work.request.description))
            return .failed
        }
        let body = job.stage.keeper?.take(for: job.work.request)
        let (call, inheritance) = state.withLock { state in
            state.job = job
            state.course.begin(limit: limit, priority: priority, with: body, job.work.request.dataRequest)
            state.spill.begin(
                with: body?.kept, chunks: state.course.chunks.count, count: state.course.count,
                edition: state.course.edition)
            if state.course.phase == .over { _ = state.settle(state.course.isCancelled ? Transfer.cancelled : nil) }
            let isWatched = watched.load(ordering: .sequentiallyConsistent)
            return (state.nextCall(), state.takeInheritance(isWatched: isWatched))
        }
        // Order: before the source can answer, so that what comes then is counted as more.
        if let inheritance { tell(inheritance) }
        perform(call)
        let (outcome, news) = state.withLock { state in
            state.isStarting = false
            if state.outcome != nil { state.job = nil }
            return (state.outcome.map { ($0, state.tally) }, state.takeNews(isWatched: false))
        }
        if let outcome { return settle(job, outcome.0, outcome.1) }
        if let news { tell(news) }
        return .pending
    }

    /// Stops reading; the connection stays.
    func pause(number: UInt64) { change { course, _ in course.pause(number: number) } }

    /// Goes on after a pause, over the same connection or another.
    func resume(number: UInt64) { change { course, request in course.resume(number: number, request()) } }

    /// Lets go of a paused transfer's connection, if the rest of the bytes can be had without the first.
    ///
    /// - Returns: whether it has none any more.
    @discardableResult
    func release(number: UInt64) -> Bool {
        var isDetached = false
        change { course, request in
            course.release(number: number, request())
            isDetached = course.phase == .detached
        }
        return isDetached
    }

    func prioritise(_ level: Int, number: UInt64) {
        guard let priority = DataPriority(rawValue: level) else { return }
        change { course, _ in course.prioritise(priority, number: number) }
    }

    /// Nobody needs the bytes any more.
    ///
    /// Order: they are handed over before this returns, so that whoever asks again finds them.
    func cancel() {
        let (call, over, job, remains) = state.withLock { state in
            let job = state.job
            let remains = state.handOver(after: Transfer.cancelled)
            let isOver = state.course.cancel()
            let over = isOver ? state.settle(Transfer.cancelled) : nil
            return (state.nextCall(), over, job, remains)
        }
        if let remains, let job { keep(remains, of: job.work, job.stage) }
        perform(call)
        if let over { tell(over) }
    }

    private func change(_ body: (inout TransferCourse, () -> DataRequest?) -> Void) {
        let call = state.withLock { state in
            let work = state.job?.work
            body(&state.course, { work?.request.dataRequest })
            return state.nextCall()
        }
        perform(call)
    }

    // MARK: Calls of the loader

    /// Makes a call, and those that become due meanwhile.
    private func perform(_ first: State.Call?) {
        var next = first
        while let call = next {
            next = nil
            switch call.kind {
            case .open(_, let number):
                guard let job = call.job else { return }
                if let moment = job.stage.environment.freshness?.moment {
                    state.withLock { $0.times.requested = moment }
                }
                let handle = job.stage.start(job.work, rest: call.rest, priority: call.priority) {
                    self.receive($0, number)
                }
                var opened = TransferCourse.Opened.over
                (opened, next) = state.withLock { state in
                    let opened = state.course.opened(number)
                    if case .used = opened { state.handle = handle }
                    return (opened, state.nextCall())
                }
                if case .useless = opened { handle.cancel() }
                continue
            case .pause: call.handle?.pause()
            case .resume: call.handle?.resume()
            case .cancel, .close: call.handle?.cancel()
            case .prioritise(let priority): call.handle?.setPriority(priority)
            }
            next = state.withLock { state in
                state.course.called()
                return state.nextCall()
            }
        }
    }

    // MARK: What the loader says

    private func receive(_ event: DataEvent, _ number: UInt32) {
        var over: State.Over?
        var isChunk = false
        var wait: (job: Job, time: Duration)?
        var metrics: TransferMetrics?
        // Order: asked without the lock, since loaders are users' code.
        if case .end = event { metrics = state.withLock({ $0.handle })?.metrics }
        let moment = answerTime(event)
        let (call, news, segment) = state.withLock { state in
            switch event {
            case .response(let response):
                state.times.answered = moment
                let error = state.course.take(response, number, state.job?.work.request.dataRequest)
                over = error.flatMap { state.settle($0) }
            case .chunk(let data):
                switch state.course.take(data, number) {
                case .none: break
                case .grown: isChunk = true
                case .over(let error): over = state.settle(error)
                }
            case .end(let error):
                let environment = state.job?.stage.environment
                state.course.measured(metrics)
                let ending = state.course.end(
                    error, number, retrying: environment?.retries ?? .none, random: environment?.random() ?? 0,
                    state.job?.work.request.dataRequest)
                switch ending {
                case .none: break
                case .waits(let time): wait = state.job.map { ($0, time) }
                case .over(let error): over = state.settle(error)
                }
            }
            // Order: asked after the bytes were counted; see `watch`.
            let isWatched = isChunk && watched.load(ordering: .sequentiallyConsistent)
            let segment = isChunk ? state.takeSegment().flatMap { part in state.job.map { (part, $0) } } : nil
            return (state.nextCall(), state.takeNews(isWatched: isWatched), segment)
        }
        if let (part, job) = segment { job.observer.transferSpilled(part, of: job.work.request) }
        if let over { tell(over) }
        if let news { tell(news) }
        perform(call)
        if let wait {
            let number = wait.job.observer.transferWaits(wait.job.ticket, for: wait.time)
            change { course, request in course.waitNoted(number, request()) }
        }
    }

    /// When an answer came, if anybody wants to know.
    private func answerTime(_ event: DataEvent) -> Int64 {
        guard case .response = event, let job = state.withLock({ $0.job }) else { return 0 }
        return job.stage.environment.freshness?.moment ?? 0
    }

    private func tell(_ news: State.News) {
        let job = news.job
        if news.isInheritance {
            job.observer.transferBegan(job.ticket, with: news.completed, total: news.total)
        }
        if news.isAnswer { job.observer.transferAnswered(job.ticket) }
        if news.isArrival { job.observer.transferArrived(job.ticket, completed: news.completed, total: news.total) }
        if news.isProgress { job.observer.transferProgressed(job.ticket, completed: news.completed, total: news.total) }
    }

    private func tell(_ over: State.Over) {
        over.previews?.stop()
        let outcome = settle(over.job, over.outcome, over.tally)
        over.job.observer.transferEnded(over.job.ticket, over.job.work, outcome)
    }

    private func keep(_ body: PartialBody, of work: JobWork, _ stage: TransferStage) {
        guard let request = work.request.dataRequest else { return }
        stage.keeper?.keep(body, of: request)
    }

    private func settle(
        _ job: Job, _ outcome: Result<FetchedBytes, DataLoadingError>, _ tally: State.Tally
    ) -> StageOutcome {
        let work = job.work
        if let remains = tally.remains { keep(remains, of: work, job.stage) }
        if tally.lost > 0 { lost.store(tally.lost, ordering: .relaxed) }
        if tally.kept > 0 { gained.store(tally.kept, ordering: .relaxed) }
        switch outcome {
        case .success(let bytes):
            if tally.leavesSegments, let request = work.request.dataRequest {
                job.observer.transferSpilled(.drop(request), of: work.request)
            }
            work.product = .bytes(job.stage.settled(bytes, work))
            return .finished
        case .failure(let error):
            job.stage.environment.failures?.note(error, for: work.request)
            if tally.isEmpty, let stale = job.stage.standIn(for: error, work, job.mayStore) {
                work.product = .bytes(stale)
                return .finished
            }
            work.fail(ImageLoadingError(error, source: work.request.description))
            return .failed
        }
    }
}
