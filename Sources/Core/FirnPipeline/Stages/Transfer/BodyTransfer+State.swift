extension BodyTransfer {
    struct State {
        var machine = TransferMachine()
        var handle: Box<any DataTransfer>?
        var closing: Box<any DataTransfer>?
        /// Set while the transfer runs.
        private(set) var context: Context?
        /// True if `begin` is running. It then returns the end, and the observer is not called.
        private(set) var isStarting = true
        /// True if arriving bytes may be written to disk.
        private var maySpill = false
        private var reportedResponses = 0
        /// The number of bytes at the last report; negative before the first.
        private var reportedBytes = -1
        /// True if the arriving bytes of a short body are reported only once.
        private(set) var isQuiet = false
        private(set) var outcome: Outcome?
        /// True if an image was made of the bytes so far.
        var isUsed = false
        /// The number of bytes that the store of partial bodies received; `nil` if it received none.
        private var handedOver: Int?
        private var tally = BodyTransfer.Tally()
        /// The edition whose content was checked.
        private var provenEdition: UInt32?
        /// The bytes that are on disk or being written.
        private var spill = PartialSpill()
        /// The file in the data cache that gets the arriving bytes.
        private var early = EarlyStore()
        /// The time when the request was last sent, and when the response arrived.
        var times = ResponseTimes()
        /// True if the source has other bytes than the stored ones. The next request is unconditional then.
        private(set) var isStaleRefuted = false
        /// True if partial bytes may be stored if the transfer fails.
        private var mayKeepBytes = true
        /// The latest previews, if previews were requested.
        var previews: LatestPreviews?
    }

    /// The meaning of a response's header fields for stored bytes.
    struct ResponseMeaning {
        /// The time of the response, in nanoseconds since 1970.
        var moment: Int64 = 0
        /// True if no part of the response may be stored.
        var forbidsKeeping = false
        /// True if the response is a 304 for other bytes than the stored ones.
        var refutesStale = false
    }

    enum Outcome: Sendable {
        case bytes(FetchedBytes)
        indirect case failure(DataLoadingError)
        /// No decoder recognizes the bytes.
        indirect case unknown(ImageError)
    }

    /// Byte counts of a transfer that are not in its outcome.
    struct Tally: Sendable {
        /// True if the data cache may store the bytes.
        var mayStore = false
        var lost = 0
        var kept = 0
        /// True if no byte of a body arrived.
        var isEmpty = false
        /// True if segments on disk are no longer needed.
        var leavesSegments = false
        /// True if the source has other bytes than the stored ones.
        var isStaleRefuted = false
        /// The bytes that another transfer can continue from.
        var remains: PartialBody?
        /// A file of the data cache that is no longer needed.
        var unneeded: ArrivingBody?
    }
}

extension BodyTransfer.State {
    struct Report {
        let context: BodyTransfer.Context
        /// True if the transfer begins with bytes of an earlier one.
        var isInheritance = false
        var isResponse = false
        var isArrival = false
        var isProgress = false
        let completed: Int
        let total: Int?
    }

    struct Effects {
        var call: TransferMachine.Call?
        var report: Report?
        /// True if enough bytes arrived to recognize the format, and they were not checked yet.
        var isUnproven = false
        /// True if there may be bytes to write to disk.
        var spills = false
        /// True if there are bytes for the data cache.
        var isStorable = false
        var isOver = false
        /// The time before the next request.
        var wait: Duration?
    }

    // MARK: From the start to the end

    mutating func begin(
        _ context: BodyTransfer.Context, _ limit: Int, _ priority: DataPriority, with body: PartialBody?,
        isWatched: Bool
    ) -> (call: TransferMachine.Call?, report: Report?, priority: DataPriority) {
        maySpill = context.mayStore && context.stage.partialBodies?.hasSegments == true
        self.context = context
        if let file = context.file {
            machine.begin(into: file, priority: priority, context.job.request.dataRequest)
        } else {
            machine.begin(limit: limit, priority: priority, with: body, context.job.request.dataRequest)
        }
        if let body {
            spill.begin(
                with: body.kept, chunks: machine.chunks.count, count: machine.count, edition: machine.edition)
        }
        if machine.phase == .over { settle(machine.isCancelled ? .cancelled : nil) }
        return (nextCall(), takeInheritance(isWatched: isWatched), machine.sentPriority)
    }

    /// Ends the start phase: from now on the observer receives reports and the end.
    ///
    /// - Returns: the end, if the transfer is over.
    mutating func hasStarted(_ report: inout Report?, isWatched: Bool) -> BodyTransfer.End? {
        isStarting = false
        report = takeReport(isWatched: isWatched, isChunk: false)
        return takeEnd()
    }

    mutating func nextCall() -> TransferMachine.Call? {
        let call = machine.nextCall()
        if case .close = call { (closing, handle) = (handle, nil) }
        return call
    }

    // MARK: Events of the loader

    mutating func take(_ response: DataResponse, _ number: UInt32, _ meaning: BodyTransfer.ResponseMeaning) -> Effects {
        times.responded = meaning.moment
        mayKeepBytes = !meaning.forbidsKeeping
        if meaning.refutesStale, machine.requestAgain(number) {
            isStaleRefuted = true
            return effects()
        }
        let error = machine.take(response, number, context?.job.request.dataRequest)
        return effects(isOver: error != nil && settle(error))
    }

    mutating func take(_ data: Data, _ number: UInt32, isWatched: () -> Bool) -> Effects {
        switch machine.take(data, number) {
        case .none: return effects()
        case .grown:
            var effects = effects(spills: maySpill && outcome == nil, isWatched: isWatched())
            effects.isUnproven = takeUnproven()
            effects.isStorable = isStorable
            return effects
        case .over(let error):
            return effects(isOver: settle(error))
        }
    }

    mutating func take(end error: DataLoadingError?, _ number: UInt32, _ metrics: TransferMetrics?) -> Effects {
        if let metrics { machine.measured(metrics) }
        // The end of a download is no failure of the source.
        if error?.underlying is DownloadFollower.Left { machine.wasHeldBack = true }
        let ending = machine.end(
            error, number, took: metrics, retrying: context?.stage.retries ?? .none,
            random: .random(in: 0..<1), context?.job.request.dataRequest)
        switch ending {
        case .none: return effects()
        case .waits(let time):
            var effects = effects()
            effects.wait = time
            return effects
        case .over(let error):
            return effects(isOver: settle(error))
        }
    }

    /// Returns whether to check the content now: once for each body, as soon as there are enough bytes.
    private mutating func takeUnproven() -> Bool {
        guard outcome == nil, let limit = context?.stage.unknownContentLimit, limit > 0,
            machine.count >= limit, provenEdition != machine.edition, !machine.drains
        else { return false }
        provenEdition = machine.edition
        return true
    }

    private mutating func effects(isOver: Bool = false, spills: Bool = false, isWatched: Bool = false) -> Effects {
        Effects(
            call: nextCall(), report: takeReport(isWatched: isWatched), spills: spills, isOver: isOver)
    }

    // MARK: Reports

    /// The number of new bytes between two reports: smaller for a short body, which ends soon.
    private var reportStep: Int {
        guard let expected = machine.response?.expectedLength, expected < 256 << 10 else { return 64 << 10 }
        return 8 << 10
    }

    /// Returns the bytes to write to disk now.
    mutating func takeSegment() -> PartialPart? {
        guard outcome == nil, let context, maySpill, mayKeepBytes else { return nil }
        return spill.next(machine, context.job.request.dataRequest).map { .keep($0) }
    }

    /// True if there are enough bytes for the data cache.
    private var isStorable: Bool {
        early.isDue(machine) && outcome == nil && mayKeepBytes && context?.mayStore == true
    }

    /// Returns whether the body has no file in the data cache yet.
    mutating func beginsEarlyStore() -> Bool { isStorable && early.begin(machine) }

    /// Sets the file of a body; `nil` if the data cache does not store it while it arrives.
    ///
    /// - Returns: the file of an earlier body.
    mutating func store(in body: ArrivingBody?, _ edition: UInt32) -> ArrivingBody? {
        guard outcome == nil else { return body }
        return early.set(body, edition)
    }

    mutating func takeStorable() -> EarlyStore.Part? { isStorable ? early.next(machine) : nil }

    /// The report of inherited bytes, which precedes the request.
    private mutating func takeInheritance(isWatched: Bool) -> Report? {
        guard outcome == nil, machine.count > 0, let context else { return nil }
        reportedBytes = machine.count
        return Report(
            context: context, isInheritance: true, isProgress: isWatched,
            completed: machine.count, total: machine.response?.expectedLength)
    }

    /// Returns whether to report the bytes of an unwatched body: a short one is reported once, when half of it is
    /// there.
    ///
    /// Its decode ends no sooner if it begins earlier, but the table must know how long the rest takes.
    private mutating func isHalf() -> Bool {
        guard let context, let total = machine.response?.expectedLength, isQuiet || reportedBytes < 0 else {
            return true
        }
        let rest = total - machine.count
        guard rest < context.quietBytes else { return true }
        isQuiet = true
        return reportedBytes < 0 && rest > 0 && machine.count >= rest
    }

    /// The report of bytes that arrived before the transfer was watched; `nil` if they were reported.
    mutating func takeSilence() -> Report? {
        guard outcome == nil, !isStarting, isQuiet else { return nil }
        (isQuiet, reportedBytes) = (false, -1)
        return machine.count > 0 ? takeReport(isWatched: true) : nil
    }

    /// The report that is due; `nil` for none.
    ///
    /// - Parameters:
    ///   - isWatched: whether every chunk is reported.
    ///   - isChunk: whether this call is for a chunk. Default: true.
    private mutating func takeReport(isWatched: Bool, isChunk: Bool = true) -> Report? {
        let isProgress = isWatched && isChunk
        guard outcome == nil, !isStarting || isProgress else { return nil }
        var isResponse = false
        var isArrival = false
        if !isStarting {
            isResponse = machine.responses > reportedResponses
            reportedResponses = machine.responses
            // Fewer bytes than at the last report: the body was restarted.
            isArrival =
                machine.count > 0
                && (reportedBytes < 0 || machine.count < reportedBytes || machine.count - reportedBytes >= reportStep)
            if isArrival, !isWatched { isArrival = isHalf() }
            if isArrival { reportedBytes = machine.count }
        }
        guard isResponse || isArrival || isProgress, let context else { return nil }
        return Report(
            context: context, isResponse: isResponse, isArrival: isArrival,
            isProgress: isProgress, completed: machine.count, total: machine.response?.expectedLength)
    }

    // MARK: The end

    /// Returns the bytes that another transfer can continue from after an end with `error`. Returns them only once.
    mutating func handOver(after error: DataLoadingError) -> PartialBody? {
        // Order: before the outcome takes the chunks.
        guard outcome == nil, handedOver == nil, !isUsed, mayKeepBytes, !machine.drains, let context,
            context.stage.partialBodies != nil,
            let body = machine.remains(after: error, of: context.job.request.dataRequest),
            body.count >= PartialLimits.minimumBytes
        else { return nil }
        handedOver = body.count
        return body
    }

    /// Ends the transfer once, with its bytes if there is no error.
    ///
    /// - Returns: whether the observer receives the end; false while `begin` is running, which returns it.
    @discardableResult
    mutating func settle(_ error: DataLoadingError?) -> Bool {
        guard outcome == nil, let context else { return false }
        tally.mayStore = context.mayStore
        tally.lost = machine.wasted
        tally.isStaleRefuted = isStaleRefuted
        tally.isEmpty = machine.count == 0 && machine.wasted == 0
        let arriving = early.body(of: machine.edition)
        if let error {
            tally.unneeded = arriving
            tally.remains = handOver(after: error)
            if let handedOver {
                tally.lost += machine.count - handedOver
            } else if isUsed || machine.drains {
                tally.kept = machine.count
            } else {
                tally.lost += machine.count
            }
            return settle(.failure(error))
        }
        tally.leavesSegments = spill.segments > 0
        let bytes = FetchedBytes(
            chunks: machine.drains ? [] : machine.takeChunks(), count: machine.count, response: machine.response,
            mayStore: context.mayStore && machine.response?.isJudged != true, times: times, arriving: arriving)
        return settle(.bytes(bytes))
    }

    private mutating func settle(_ outcome: BodyTransfer.Outcome) -> Bool {
        self.outcome = outcome
        // The chunks of a transfer into a file are still to be written.
        if !machine.drains { _ = machine.takeChunks() }
        // `nextCall` needs the handle of a connection that is still to be closed.
        if !machine.isClosing { handle = nil }
        return !isStarting
    }

    /// Ends the transfer because no decoder recognizes its bytes.
    ///
    /// - Returns: like ``settle(_:)``.
    mutating func settle(unknown error: ImageError) -> Bool {
        guard outcome == nil, context != nil, machine.dropContent() else { return false }
        tally.lost = machine.wasted + machine.count
        tally.unneeded = early.body(of: machine.edition)
        return settle(.unknown(error))
    }

    /// Returns the end to the first caller; `nil` to later ones, or if there is no outcome.
    mutating func takeEnd() -> BodyTransfer.End? {
        guard let outcome, let context = context.take() else { return nil }
        return BodyTransfer.End(context: context, outcome: outcome, tally: tally, previews: previews.take())
    }
}
