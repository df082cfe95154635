import FirnData
import FirnImage
import FoundationEssentials

extension BodyTransfer {
    struct State {
        var machine = TransferMachine()
        /// The connection in use.
        var handle: (any DataTransfer)?
        /// The one to be let go of.
        private var closing: (any DataTransfer)?
        /// Set while the transfer runs.
        private(set) var job: Job?
        /// While the loader is starting, the end is kept for the worker that started it, which goes on by itself.
        private(set) var isStarting = true
        /// Whether bytes that arrive may be worth writing to the disk.
        private var maySpill = false
        private var toldAnswers = 0
        /// How many bytes there were when the table was told last; a negative number while it has not been.
        private var told = -1
        private(set) var outcome: Outcome?
        /// Whether an image has been made of the bytes there are.
        var isUsed = false
        /// How many of the bytes were handed to the keeper, if they were.
        private var handedOver: Int?
        private var tally = Tally()
        /// The body whose content was looked at.
        private var provenEdition: UInt32?
        /// What of the bytes is on disk, or on its way there.
        private var spill = PartialSpill()
        /// When the source was asked last, and when it answered.
        var times = AnswerTimes()
        /// Whether the source has said that it has other bytes than those that are kept: it is asked again without
        /// conditions.
        private(set) var isStaleRefuted = false
        /// Whether the bytes may be kept once the transfer has ended before its time.
        private var mayKeepBytes = true
        /// The latest previews; set while some are wanted.
        var previews: LatestPreviews?
    }

    /// What an answer's head says beside its body, as far as somebody wants to know.
    struct AnswerMeaning {
        /// When it came, in nanoseconds since 1970.
        var moment: Int64 = 0
        /// Nothing of it may be kept.
        var forbidsKeeping = false
        /// It is a 304 about other bytes than the kept ones.
        var refutesStale = false
    }

    enum Outcome {
        case bytes(FetchedBytes)
        indirect case failure(DataLoadingError)
        /// No decoder recognizes the bytes.
        indirect case unknown(ImageDecodingError)
    }
}

extension BodyTransfer.State {
    /// What became of bytes that are not in the outcome.
    struct Tally {
        var lost = 0
        var kept = 0
        /// Whether nothing of a body came.
        var isEmpty = false
        /// Whether there are bytes on disk that are of no more use.
        var leavesSegments = false
        /// Whether the source has said that kept bytes hold no longer.
        var isStaleRefuted = false
        /// For another transfer to go on from.
        var remains: PartialBody?
    }

    /// What the observer is to be told.
    struct News {
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
    struct Due {
        var call: TransferMachine.Call?
        var news: News?
        /// There are enough bytes to tell whether they can be an image, and nobody has looked yet.
        var isUnproven = false
        /// There are bytes that may be worth writing to the disk.
        var spills = false
        /// The transfer has come to its end by this event.
        var isOver = false
        /// The source is asked again after so long.
        var wait: Duration?
    }

    /// Whom to tell of the end, and of what.
    struct Over {
        let job: BodyTransfer.Job
        let outcome: BodyTransfer.Outcome
        let tally: Tally
        let previews: LatestPreviews?
    }

    // MARK: From the start to the end

    mutating func begin(
        _ work: JobWork, _ ticket: JobTicket, mayStore: Bool, _ stage: TransferStage, _ observer: any TransferObserver,
        _ limit: Int, _ priority: DataPriority, with body: PartialBody?, isWatched: Bool
    ) -> (call: TransferMachine.Call?, news: News?, priority: DataPriority) {
        maySpill = mayStore && stage.keeper?.shelf != nil
        job = BodyTransfer.Job(stage: stage, observer: observer, work: work, ticket: ticket, mayStore: mayStore)
        machine.begin(limit: limit, priority: priority, with: body, work.request.dataRequest)
        if let body {
            spill.begin(
                with: body.kept, chunks: machine.chunks.count, count: machine.count, edition: machine.edition)
        }
        if machine.phase == .over { settle(machine.isCancelled ? BodyTransfer.cancelled : nil) }
        return (nextCall(), takeInheritance(isWatched: isWatched), machine.toldPriority)
    }

    /// The loader has been asked.
    ///
    /// - Returns: what has become of the transfer, if it is over.
    mutating func hasStarted(_ news: inout News?) -> Over? {
        isStarting = false
        news = takeNews(isWatched: false)
        return takeOver()
    }

    mutating func nextCall() -> TransferMachine.Call? {
        let call = machine.nextCall()
        if case .close = call { (closing, handle) = (handle, nil) }
        return call
    }

    /// The connection to be let go of.
    mutating func takeClosing() -> (any DataTransfer)? {
        defer { closing = nil }
        return closing
    }

    // MARK: What the loader says

    mutating func take(_ response: DataResponse, _ number: UInt32, _ meaning: BodyTransfer.AnswerMeaning) -> Due {
        times.answered = meaning.moment
        mayKeepBytes = !meaning.forbidsKeeping
        if meaning.refutesStale, machine.askAgain(number) {
            isStaleRefuted = true
            return due()
        }
        let error = machine.take(response, number, job?.work.request.dataRequest)
        return due(isOver: error != nil && settle(error))
    }

    mutating func take(_ data: Data, _ number: UInt32, isWatched: () -> Bool) -> Due {
        switch machine.take(data, number) {
        case .none: return due()
        case .grown:
            var due = due(spills: maySpill && outcome == nil, isWatched: isWatched())
            due.isUnproven = takeUnproven()
            return due
        case .over(let error):
            return due(isOver: settle(error))
        }
    }

    mutating func take(end error: DataLoadingError?, _ number: UInt32, _ metrics: TransferMetrics?) -> Due {
        if metrics != nil { machine.measured(metrics) }
        if error == nil, machine.endWhole(number) {
            return due(isOver: settle(nil))
        }
        let ending = machine.end(
            error, number, took: metrics, retrying: job?.stage.environment.retries ?? .none,
            random: job?.stage.environment.random() ?? 0, job?.work.request.dataRequest)
        switch ending {
        case .none: return due()
        case .waits(let time):
            var due = due()
            due.wait = time
            return due
        case .over(let error):
            return due(isOver: settle(error))
        }
    }

    /// Whether the content is to be looked at: once for each body, as soon as there is enough of it.
    private mutating func takeUnproven() -> Bool {
        guard outcome == nil, let limit = job?.stage.environment.unknownContentLimit, limit > 0,
            machine.count >= limit, provenEdition != machine.edition
        else { return false }
        provenEdition = machine.edition
        return true
    }

    private mutating func due(isOver: Bool = false, spills: Bool = false, isWatched: Bool = false) -> Due {
        Due(
            call: nextCall(), news: takeNews(isWatched: isWatched), spills: spills, isOver: isOver)
    }

    // MARK: What is told

    /// How many new bytes are worth telling the table: few of a short body, whose end is near at once.
    private var worthTelling: Int {
        guard let expected = machine.response?.expectedLength, expected < 256 << 10 else { return 64 << 10 }
        return 8 << 10
    }

    /// The bytes that are to be written to the disk now.
    mutating func takeSegment() -> PartialPart? {
        guard outcome == nil, let job, maySpill, mayKeepBytes else { return nil }
        return spill.next(machine, job.work.request.dataRequest).map { .keep($0) }
    }

    /// What the observer is to be told before the source is asked, if there are bytes already.
    private mutating func takeInheritance(isWatched: Bool) -> News? {
        guard outcome == nil, machine.count > 0, let job else { return nil }
        told = machine.count
        return News(
            observer: job.observer, ticket: job.ticket, isInheritance: true, isProgress: isWatched,
            completed: machine.count, total: machine.response?.expectedLength)
    }

    /// What the observer is to be told, if anything.
    ///
    /// - Parameter isWatched: whether somebody wants to know of every chunk, and this is one.
    private mutating func takeNews(isWatched: Bool) -> News? {
        guard outcome == nil, !isStarting || isWatched else { return nil }
        var isAnswer = false
        var isArrival = false
        if !isStarting {
            isAnswer = machine.answers > toldAnswers
            toldAnswers = machine.answers
            // Less than at the last time: all has begun anew.
            isArrival =
                machine.count > 0 && (told < 0 || machine.count < told || machine.count - told >= worthTelling)
            if isArrival { told = machine.count }
        }
        guard isAnswer || isArrival || isWatched, let job else { return nil }
        return News(
            observer: job.observer, ticket: job.ticket, isAnswer: isAnswer, isArrival: isArrival,
            isProgress: isWatched, completed: machine.count, total: machine.response?.expectedLength)
    }

    // MARK: The end

    /// What another transfer can go on from, once this one ends with `error`; handed over once.
    mutating func handOver(after error: DataLoadingError) -> PartialBody? {
        // Order: before the outcome takes the chunks.
        guard outcome == nil, handedOver == nil, !isUsed, mayKeepBytes, let job, job.stage.keeper != nil,
            let body = machine.remains(after: error, of: job.work.request.dataRequest),
            body.count >= PartialLimits.leastBytes
        else { return nil }
        handedOver = body.count
        return body
    }

    /// Ends the transfer, once: well if there is no error.
    ///
    /// - Returns: whether somebody is to be told; not if the worker that starts it will see the end by itself.
    @discardableResult
    mutating func settle(_ error: DataLoadingError?) -> Bool {
        guard outcome == nil, job != nil else { return false }
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
                    mayStore: job?.mayStore ?? false, times: times))
        }
        // The handle of a connection that is still to be closed stays until that is done.
        if !machine.isClosing { handle = nil }
        return !isStarting
    }

    /// Ends the transfer: no decoder recognizes its bytes.
    ///
    /// - Returns: as ``settle(_:)``.
    mutating func settle(unknown error: ImageDecodingError) -> Bool {
        guard outcome == nil, job != nil, machine.giveUpContent() else { return false }
        tally.lost = machine.wasted + machine.count
        _ = machine.takeChunks()
        outcome = .unknown(error)
        if !machine.isClosing { handle = nil }
        return !isStarting
    }

    /// Whom to tell of the end; for the first who asks, once there is one.
    mutating func takeOver() -> Over? {
        guard let outcome, job != nil, let job = job.take() else { return nil }
        return Over(job: job, outcome: outcome, tally: tally, previews: previews.take())
    }
}
