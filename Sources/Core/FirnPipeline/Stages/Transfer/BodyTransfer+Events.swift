// Events of the loader and the reports to the observer.
extension BodyTransfer {
    /// Handles an event of a connection.
    ///
    /// - Parameter freshness: set if the time of a response matters.
    func receive(_ event: DataEvent, _ number: UInt32, _ freshness: FreshnessRules?) {
        switch event {
        case .response(let response):
            // Order: without the lock, since policies are code of the program.
            let judged = freshness.map { meaning(of: response, $0) } ?? ResponseMeaning()
            follow(withState { $0.take(response, number, judged) })
            if response.sentFields != nil, let context = withState({ $0.context }) {
                context.observer.transferSelects(context.ticket, context.job, response)
            }
            tellReaders()
        case .chunk(let data):
            // Order: the check for `isWatched` follows the count of the bytes; see `watch`.
            follow(withState { $0.take(data, number) { self.isWatched } })
            tellReaders()
        case .end(let error):
            // Order: without the lock, since loaders are code of the program.
            let metrics = withState({ $0.handle })?.value.metrics
            follow(withState { $0.take(end: error, number, metrics) })
        }
    }

    private func meaning(of response: DataResponse, _ freshness: FreshnessRules) -> ResponseMeaning {
        let (job, isRefuted) = withState { ($0.context?.job, $0.isStaleRefuted) }
        var meaning = ResponseMeaning(moment: freshness.moment)
        guard let job else { return meaning }
        meaning.forbidsKeeping = response.isJudged || freshness.forbidsKeeping(response, for: job.request)
        if response.status == 304, !isRefuted, let stale = job.stale {
            meaning.refutesStale = freshness.isRefuted(stale, by: response, for: job.request)
        }
        return meaning
    }

    /// Performs the effects of an event. Called without the lock.
    private func follow(_ due: State.Effects) {
        if due.isUnproven, endUnknown() { return perform(due.call ?? withState { $0.nextCall() }) }
        if due.spills { spill() }
        if due.isStorable { storeEarly() }
        if due.isOver, let end = withState({ $0.takeEnd() }) { finish(end) }
        if let report = due.report { notify(report) }
        perform(due.call)
        if let time = due.wait { wait(time) }
    }

    /// Ends the transfer if no decoder recognizes its bytes.
    ///
    /// - Returns: whether the transfer is over.
    private func endUnknown() -> Bool {
        let (head, response, context) = withState { ($0.machine.head, $0.machine.response, $0.context) }
        guard let context, context.observer.transferIsUnknown(context.ticket, context.job, head: head, response) else {
            return false
        }
        let error = UnknownContent.error(head)
        let (isSettled, end) = withState { state in
            let isReported = state.settle(unknown: error)
            return (state.outcome != nil, isReported ? state.takeEnd() : nil)
        }
        if let end { finish(end) }
        return isSettled
    }

    private func spill() {
        let (part, context) = withState { ($0.takeSegment(), $0.context) }
        if let part, let context { context.observer.transferSpilled(part, of: context.job) }
    }

    /// Passes bytes to the data cache while more arrive.
    private func storeEarly() {
        let (begins, edition, head, response, context) = withState {
            ($0.beginsEarlyStore(), $0.machine.edition, $0.machine.head, $0.machine.response, $0.context)
        }
        if begins, let context {
            let body = context.stage.arrivingBody(of: context.job, head: head, response)
            withState { $0.store(in: body, edition) }?.drop()
        }
        if let part = withState({ $0.takeStorable() }) { part.body.append(part.chunks, at: part.offset) }
    }

    private func wait(_ time: Duration) {
        guard let context = withState({ $0.context }) else { return }
        let number = context.observer.transferWaits(context.ticket, for: time)
        change { machine, request in machine.waitNoted(number, request()) }
    }

    func notify(_ report: State.Report) {
        let (observer, ticket, job) = (report.context.observer, report.context.ticket, report.context.job)
        if report.isInheritance { observer.transferBegan(ticket, with: report.completed, total: report.total) }
        if report.isResponse { observer.transferResponded(ticket, job) }
        if report.isArrival { observer.transferArrived(ticket, job, completed: report.completed, total: report.total) }
        if report.isProgress { observer.transferProgressed(ticket, completed: report.completed, total: report.total) }
    }

    func finish(_ end: End) {
        conclude(end)
        let context = end.context
        context.observer.transferEnded(context.ticket, context.job, context.stage.outcome(of: end))
    }

    /// Stops previews and stores partial bytes.
    func conclude(_ end: End) {
        end.previews?.cancellation.cancel()
        end.tally.unneeded?.drop()
        if let remains = end.tally.remains { end.context.keep(remains) }
    }

    // Calls to the loader: one at a time, without the lock.

    /// Makes a call, then the calls that became due during it.
    func perform(_ first: TransferMachine.Call?) {
        var next = first
        while let call = next {
            switch call {
            case .open(let offset, let number):
                let (context, rest, priority) = withState { state in
                    (
                        state.context,
                        offset > 0 ? state.machine.rest(of: state.context?.job.request.dataRequest) : nil,
                        state.machine.sentPriority
                    )
                }
                // The transfer was cancelled and has reported its end.
                guard let context else { return }
                next = connect(number, context, rest: rest, priority)
                continue
            case .pause: handle?.pause()
            case .resume: handle?.resume()
            case .cancel: handle?.cancel()
            case .prioritise(let priority): handle?.setPriority(priority)
            case .close: withState { $0.closing.take() }?.value.cancel()
            }
            next = withState { state in
                state.machine.called()
                return state.nextCall()
            }
        }
    }

    var handle: (any DataTransfer)? { withState { $0.handle }?.value }

    /// Opens a connection.
    ///
    /// - Returns: the call that is due next.
    func connect(
        _ number: UInt32, _ context: Context, rest: DataRequest?, _ priority: DataPriority
    ) -> TransferMachine.Call? {
        let freshness = context.stage.freshness
        var stale: StaleBytes?
        if let moment = freshness?.moment {
            stale = withState { state in
                state.times.requested = moment
                return state.isStaleRefuted ? nil : context.job.stale
            }
        }
        let handle = context.stage.open(
            context.job.request, rest: rest, checking: stale, priority: priority, intoFile: context.file != nil,
            isFirst: number == 0
        ) {
            self.receive($0, number, freshness)
        }
        let (opened, next) = withState { state in
            let opened = state.machine.opened(number)
            if case .used = opened { state.handle = Box(handle) }
            return (opened, state.nextCall())
        }
        if case .useless = opened { handle.cancel() }
        return next
    }
}

extension BodyTransfer.Context {
    /// Stores bytes that another transfer can continue from.
    func keep(_ body: PartialBody) {
        guard !job.isForgotten(.disk), let request = job.request.dataRequest else { return }
        stage.partialBodies?.keep(body, of: request)
    }
}
