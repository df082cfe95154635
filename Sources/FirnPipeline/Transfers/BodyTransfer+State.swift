import FirnData
import FirnImage
import FoundationEssentials

extension BodyTransfer {
    struct State {
        var machine = TransferMachine()
        /// The connection in use.
        var handle: (any DataTransfer)?
        /// The connection that is to be closed.
        private var closing: (any DataTransfer)?
        /// Set while the transfer runs.
        private(set) var order: Order?
        /// Whether `begin` is still at work. It returns the end then, and the observer gets none.
        private(set) var isStarting = true
        /// Whether bytes that arrive may be written to the disk.
        private var maySpill = false
        private var reportedAnswers = 0
        /// The bytes at the last report; a negative number before the first.
        private var reportedBytes = -1
        private(set) var outcome: Outcome?
        /// Whether an image has been made of the bytes there are.
        var isUsed = false
        /// How many of the bytes the store of partial bodies got; `nil` for none.
        private var handedOver: Int?
        private var tally = BodyTransfer.Tally()
        /// The body whose content was checked.
        private var provenEdition: UInt32?
        /// The bytes that are on disk, or on their way there.
        private var spill = PartialSpill()
        /// When the source was asked last, and when it answered.
        var times = AnswerTimes()
        /// Whether the source has other bytes than the stored ones. It is asked again without conditions then.
        private(set) var isStaleRefuted = false
        /// Whether partial bytes may be kept if the transfer fails.
        private var mayKeepBytes = true
        /// The latest previews; set while some are wanted.
        var previews: LatestPreviews?
    }

    /// What the header fields of a response mean for stored bytes.
    struct AnswerMeaning {
        /// The time of the response, in nanoseconds since 1970.
        var moment: Int64 = 0
        /// Nothing of it may be stored.
        var forbidsKeeping = false
        /// It is a 304 about other bytes than the stored ones.
        var refutesStale = false
    }

    enum Outcome: Sendable {
        case bytes(FetchedBytes)
        indirect case failure(DataLoadingError)
        /// No decoder recognizes the bytes.
        indirect case unknown(ImageDecodingError)
    }

    /// What became of bytes that are not in the outcome.
    struct Tally: Sendable {
        var lost = 0
        var kept = 0
        /// Whether no byte of a body came.
        var isEmpty = false
        /// Whether there are bytes on disk that are of no more use.
        var leavesSegments = false
        /// Whether the source has other bytes than the stored ones.
        var isStaleRefuted = false
        /// The bytes that another transfer can continue from.
        var remains: PartialBody?
    }
}

extension BodyTransfer.State {
    /// A report to the observer.
    struct Report {
        let observer: any TransferObserver
        let ticket: JobTicket
        /// The transfer begins with bytes that another has left.
        var isInheritance = false
        var isAnswer = false
        var isArrival = false
        var isProgress = false
        let completed: Int
        let total: Int?
    }

    /// What follows from an event.
    struct Effects {
        var call: TransferMachine.Call?
        var report: Report?
        /// There are enough bytes to recognize the format, and they were not checked yet.
        var isUnproven = false
        /// There may be bytes to write to the disk.
        var spills = false
        /// The event ended the transfer.
        var isOver = false
        /// How long to wait before the source is asked again.
        var wait: Duration?
    }

    /// The end, and the order that it belongs to.
    struct Over {
        let order: BodyTransfer.Order
        let outcome: BodyTransfer.Outcome
        let tally: BodyTransfer.Tally
        let previews: LatestPreviews?
    }

    // MARK: From the start to the end

    mutating func begin(
        _ order: BodyTransfer.Order, _ limit: Int, _ priority: DataPriority, with body: PartialBody?, isWatched: Bool
    ) -> (call: TransferMachine.Call?, report: Report?, priority: DataPriority) {
        maySpill = order.mayStore && order.source.partialBodies?.segments != nil
        self.order = order
        machine.begin(limit: limit, priority: priority, with: body, order.owner.request.dataRequest)
        if let body {
            spill.begin(
                with: body.kept, chunks: machine.chunks.count, count: machine.count, edition: machine.edition)
        }
        if machine.phase == .over { settle(machine.isCancelled ? BodyTransfer.cancelled : nil) }
        return (nextCall(), takeInheritance(isWatched: isWatched), machine.toldPriority)
    }

    /// Notes that the loader was asked.
    ///
    /// - Returns: the end, if the transfer is over.
    mutating func hasStarted(_ report: inout Report?) -> Over? {
        isStarting = false
        report = takeReport(isWatched: false)
        return takeOver()
    }

    mutating func nextCall() -> TransferMachine.Call? {
        let call = machine.nextCall()
        if case .close = call { (closing, handle) = (handle, nil) }
        return call
    }

    /// Returns the connection that is to be closed.
    mutating func takeClosing() -> (any DataTransfer)? {
        defer { closing = nil }
        return closing
    }

    // MARK: Events of the loader

    mutating func take(_ response: DataResponse, _ number: UInt32, _ meaning: BodyTransfer.AnswerMeaning) -> Effects {
        times.answered = meaning.moment
        mayKeepBytes = !meaning.forbidsKeeping
        if meaning.refutesStale, machine.askAgain(number) {
            isStaleRefuted = true
            return effects()
        }
        let error = machine.take(response, number, order?.owner.request.dataRequest)
        return effects(isOver: error != nil && settle(error))
    }

    mutating func take(_ data: Data, _ number: UInt32, isWatched: () -> Bool) -> Effects {
        switch machine.take(data, number) {
        case .none: return effects()
        case .grown:
            var effects = effects(spills: maySpill && outcome == nil, isWatched: isWatched())
            effects.isUnproven = takeUnproven()
            return effects
        case .over(let error):
            return effects(isOver: settle(error))
        }
    }

    mutating func take(end error: DataLoadingError?, _ number: UInt32, _ metrics: TransferMetrics?) -> Effects {
        if metrics != nil { machine.measured(metrics) }
        if error == nil, machine.endWhole(number) {
            return effects(isOver: settle(nil))
        }
        let ending = machine.end(
            error, number, took: metrics, retrying: order?.source.retries ?? .none,
            random: order?.source.random() ?? 0, order?.owner.request.dataRequest)
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

    /// Whether to check the content now: once for each body, as soon as there is enough of it.
    private mutating func takeUnproven() -> Bool {
        guard outcome == nil, let limit = order?.source.unknownContentLimit, limit > 0,
            machine.count >= limit, provenEdition != machine.edition
        else { return false }
        provenEdition = machine.edition
        return true
    }

    private mutating func effects(isOver: Bool = false, spills: Bool = false, isWatched: Bool = false) -> Effects {
        Effects(
            call: nextCall(), report: takeReport(isWatched: isWatched), spills: spills, isOver: isOver)
    }

    // MARK: Reports

    /// How many new bytes are worth a report: fewer for a short body, whose end is near.
    private var reportStep: Int {
        guard let expected = machine.response?.expectedLength, expected < 256 << 10 else { return 64 << 10 }
        return 8 << 10
    }

    /// Returns the bytes to write to the disk now.
    mutating func takeSegment() -> PartialPart? {
        guard outcome == nil, let order, maySpill, mayKeepBytes else { return nil }
        return spill.next(machine, order.owner.request.dataRequest).map { .keep($0) }
    }

    /// The report before the source is asked, if there are bytes already.
    private mutating func takeInheritance(isWatched: Bool) -> Report? {
        guard outcome == nil, machine.count > 0, let order else { return nil }
        reportedBytes = machine.count
        return Report(
            observer: order.observer, ticket: order.ticket, isInheritance: true, isProgress: isWatched,
            completed: machine.count, total: machine.response?.expectedLength)
    }

    /// The report that is due, if there is one.
    ///
    /// - Parameter isWatched: whether every chunk is reported, and this is one.
    private mutating func takeReport(isWatched: Bool) -> Report? {
        guard outcome == nil, !isStarting || isWatched else { return nil }
        var isAnswer = false
        var isArrival = false
        if !isStarting {
            isAnswer = machine.answers > reportedAnswers
            reportedAnswers = machine.answers
            // Fewer than at the last report: the body began anew.
            isArrival =
                machine.count > 0
                && (reportedBytes < 0 || machine.count < reportedBytes || machine.count - reportedBytes >= reportStep)
            if isArrival { reportedBytes = machine.count }
        }
        guard isAnswer || isArrival || isWatched, let order else { return nil }
        return Report(
            observer: order.observer, ticket: order.ticket, isAnswer: isAnswer, isArrival: isArrival,
            isProgress: isWatched, completed: machine.count, total: machine.response?.expectedLength)
    }

    // MARK: The end

    /// Returns the bytes that another transfer can continue from once this one ends with `error`. Returns them once.
    mutating func handOver(after error: DataLoadingError) -> PartialBody? {
        // Order: before the outcome takes the chunks.
        guard outcome == nil, handedOver == nil, !isUsed, mayKeepBytes, let order,
            order.source.partialBodies != nil,
            let body = machine.remains(after: error, of: order.owner.request.dataRequest),
            body.count >= PartialLimits.leastBytes
        else { return nil }
        handedOver = body.count
        return body
    }

    /// Ends the transfer once, with its bytes if there is no error.
    ///
    /// - Returns: whether the observer gets the end; false while `begin` is at work, which returns it.
    @discardableResult
    mutating func settle(_ error: DataLoadingError?) -> Bool {
        guard outcome == nil, order != nil else { return false }
        tally.lost = machine.wasted
        tally.isStaleRefuted = isStaleRefuted
        tally.isEmpty = machine.count == 0 && machine.wasted == 0
        if let error {
            tally.remains = handOver(after: error)
            if let handedOver {
                tally.lost += machine.count - handedOver
            } else if isUsed {
                tally.kept = machine.count
            } else {
                tally.lost += machine.count
            }
            _ = machine.takeChunks()
            outcome = .failure(error)
        } else {
            tally.leavesSegments = spill.segments > 0
            outcome = .bytes(
                FetchedBytes(
                    chunks: machine.takeChunks(), count: machine.count, response: machine.response,
                    mayStore: order?.mayStore ?? false, times: times))
        }
        // The handle of a connection that is still to be closed stays until that is done.
        if !machine.isClosing { handle = nil }
        return !isStarting
    }

    /// Ends the transfer: no decoder recognizes its bytes.
    ///
    /// - Returns: as ``settle(_:)``.
    mutating func settle(unknown error: ImageDecodingError) -> Bool {
        guard outcome == nil, order != nil, machine.giveUpContent() else { return false }
        tally.lost = machine.wasted + machine.count
        _ = machine.takeChunks()
        outcome = .unknown(error)
        if !machine.isClosing { handle = nil }
        return !isStarting
    }

    /// Returns the end to the first caller, once there is one.
    mutating func takeOver() -> Over? {
        guard let outcome, order != nil, let order = order.take() else { return nil }
        return Over(order: order, outcome: outcome, tally: tally, previews: previews.take())
    }
}
