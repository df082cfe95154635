import FirnData
import FirnImage
import FoundationEssentials

// What the loader says, and who is told of it.
extension BodyTransfer {
    /// - Parameter freshness: set where somebody wants to know when answers came.
    func receive(_ event: DataEvent, _ number: UInt32, _ freshness: FreshnessRules?) {
        switch event {
        case .response(let response):
            // Order: judged without the lock, since policies are users' code.
            let judged = freshness.map { meaning(of: response, $0) } ?? AnswerMeaning()
            follow(state.withLock { $0.take(response, number, judged) })
        case .chunk(let data):
            // Order: whether it is watched is asked after the bytes were counted; see `watch`.
            follow(state.withLock { $0.take(data, number) { self.isWatched } })
        case .end(let error):
            // Order: asked without the lock, since loaders are users' code.
            let metrics = handle?.metrics
            follow(state.withLock { $0.take(end: error, number, metrics) })
        }
    }

    private func meaning(of response: DataResponse, _ freshness: FreshnessRules) -> AnswerMeaning {
        let (job, isRefuted) = state.withLock { ($0.job, $0.isStaleRefuted) }
        var meaning = AnswerMeaning(moment: freshness.moment)
        guard let job else { return meaning }
        meaning.forbidsKeeping = freshness.forbidsKeeping(response, for: job.work.request)
        if response.status == 304, !isRefuted, let stale = job.work.stale {
            meaning.refutesStale = freshness.isRefuted(stale, by: response, for: job.work.request)
        }
        return meaning
    }

    /// Does what follows from an event. Called without the lock.
    private func follow(_ due: State.Due) {
        if due.isUnproven, endUnknown() { return perform(due.call ?? state.withLock { $0.nextCall() }) }
        if due.spills { spill() }
        if due.isOver, let over = state.withLock({ $0.takeOver() }) { tell(over) }
        if let news = due.news { tell(news) }
        perform(due.call)
        if let time = due.wait { wait(time) }
    }

    /// Ends the transfer if its bytes cannot become an image.
    ///
    /// - Returns: whether it did.
    private func endUnknown() -> Bool {
        let (head, response, job) = state.withLock { ($0.machine.head, $0.machine.response, $0.job) }
        guard let job, job.observer.transferIsUnknown(job.ticket, head: head, response) else { return false }
        let error = UnknownContent.error(head)
        let (isSettled, over) = state.withLock { state in
            let isTold = state.settle(unknown: error)
            return (state.outcome != nil, isTold ? state.takeOver() : nil)
        }
        if let over { tell(over) }
        return isSettled
    }

    private func spill() {
        let (part, job) = state.withLock { ($0.takeSegment(), $0.job) }
        if let part, let job { job.observer.transferSpilled(part, of: job.work.request) }
    }

    private func wait(_ time: Duration) {
        guard let job = state.withLock({ $0.job }) else { return }
        let number = job.observer.transferWaits(job.ticket, for: time)
        change { machine, request in machine.waitNoted(number, request()) }
    }

    func tell(_ news: State.News) {
        let (observer, ticket) = (news.observer, news.ticket)
        if news.isInheritance { observer.transferBegan(ticket, with: news.completed, total: news.total) }
        if news.isAnswer { observer.transferAnswered(ticket) }
        if news.isArrival { observer.transferArrived(ticket, completed: news.completed, total: news.total) }
        if news.isProgress { observer.transferProgressed(ticket, completed: news.completed, total: news.total) }
    }

    func tell(_ over: State.Over) {
        over.previews?.stop()
        let outcome = settle(over)
        over.job.observer.transferEnded(over.job.ticket, over.job.work, outcome)
    }

    /// Writes into the work what has become of it.
    func settle(_ over: borrowing State.Over) -> StageOutcome {
        if let remains = over.tally.remains { over.job.keep(remains) }
        over.job.work.wastedBytes = over.tally.lost
        over.job.work.keptBytes = over.tally.kept
        switch over.outcome {
        case .bytes(let bytes):
            if over.tally.leavesSegments, let request = over.job.work.request.dataRequest {
                over.job.observer.transferSpilled(.drop(request), of: over.job.work.request)
            }
            let isConfirmed = over.job.work.stale != nil && !over.tally.isStaleRefuted
            over.job.work.product = .bytes(isConfirmed ? over.job.stage.settled(bytes, over.job.work) : bytes)
            return .finished
        case .failure(let error):
            return fail(over.job, error, mayStandIn: over.tally.isEmpty && !over.tally.isStaleRefuted)
        case .unknown(let error):
            over.job.work.fail(ImageLoadingError(error, source: over.job.work.request.description))
            return .failed
        }
    }

    private func fail(_ job: Job, _ error: DataLoadingError, mayStandIn: Bool) -> StageOutcome {
        let work = job.work
        job.stage.environment.failures?.note(error, for: work.request)
        if case .status(let status) = error.cause, ResponseStatus.endsOlder(status), job.mayStore,
            work.stale != nil || !work.request.options.readsDisk
        {
            // What was kept must not come back when the source fails.
            job.observer.transferSpilled(.forget, of: work.request)
        }
        if mayStandIn, let stale = job.stage.standIn(for: error, work, job.mayStore) {
            work.product = .bytes(stale)
            return .finished
        }
        work.fail(ImageLoadingError(error, for: work.request))
        return .failed
    }
}

extension BodyTransfer.Job {
    /// Keeps bytes for another transfer to go on from.
    func keep(_ body: PartialBody) {
        guard let request = work.request.dataRequest else { return }
        stage.keeper?.keep(body, of: request)
    }
}
