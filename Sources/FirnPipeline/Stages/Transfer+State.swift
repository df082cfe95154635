import FirnData
import FoundationEssentials

extension Transfer {
    struct State {
        var course = TransferCourse()
        /// The connection in use, or the one to be closed.
        var handle: (any DataTransfer)?
        /// Set while the transfer runs.
        var job: Job?
        /// While the loader is starting, the end is kept for the worker that started it, which goes on by itself.
        var isStarting = true
        var toldAnswers = 0
        /// How many bytes there were when the table was told last; a negative number while it has not been.
        var told = -1
        var outcome: Result<FetchedBytes, DataLoadingError>?
        /// Whether a picture has been made of the bytes there are.
        var isUsed = false
        /// How many of the bytes were handed to the keeper, if they were.
        var handedOver: Int?
        var tally = Tally()
        /// What of the bytes is on disk, or on its way there.
        var spill = PartialSpill()
        /// When the source was asked last, and when it answered.
        var times = AnswerTimes()
        /// The latest previews; set while some are wanted.
        var previews: PreviewShelf?
    }
}

extension Transfer.State {
    /// What became of bytes that are not in the outcome.
    struct Tally {
        var lost = 0
        var kept = 0
        /// Whether nothing of a body came.
        var isEmpty = false
        /// For another transfer to go on from.
        var remains: PartialBody?
        /// Whether there are bytes on disk that are of no more use.
        var leavesSegments = false
    }

    /// How many new bytes are worth telling the table: few of a short body, whose end is near at once.
    private var worthTelling: Int {
        guard let expected = course.response?.expectedLength, expected < 256 << 10 else { return 64 << 10 }
        return 8 << 10
    }

    /// A call of the loader with what it takes.
    struct Call {
        let kind: TransferCourse.Call
        var handle: (any DataTransfer)?
        var job: Transfer.Job?
        var rest: DataRequest?
        var priority = DataPriority.normal
    }

    mutating func nextCall() -> Call? {
        guard let kind = course.nextCall() else { return nil }
        var call = Call(kind: kind)
        switch kind {
        case .open(let offset, _):
            call.job = job
            call.priority = course.priority
            if offset > 0 { call.rest = course.rest(of: job?.work.request.dataRequest) }
        case .close:
            call.handle = handle
            handle = nil
        case .pause, .resume, .cancel, .prioritise: call.handle = handle
        }
        return call
    }

    /// The bytes that are to be written to the disk now.
    mutating func takeSegment() -> PartialPart? {
        guard outcome == nil, let job, job.mayStore, job.stage.keeper?.shelf != nil else { return nil }
        return spill.next(course, job.work.request.dataRequest).map { .keep($0) }
    }

    /// What the observer is to be told, if anything.
    struct News {
        let job: Transfer.Job
        /// The transfer begins with bytes that another has left.
        var isInheritance = false
        var isAnswer = false
        var isArrival = false
        var isProgress = false
        let completed: Int
        let total: Int?
    }

    /// What the observer is to be told before the source is asked, if there are bytes already.
    mutating func takeInheritance(isWatched: Bool) -> News? {
        guard outcome == nil, let job, course.count > 0 else { return nil }
        told = course.count
        return News(
            job: job, isInheritance: true, isProgress: isWatched, completed: course.count,
            total: course.response?.expectedLength)
    }

    /// What another transfer can go on from, once this one ends with `error`; handed over once.
    mutating func handOver(after error: DataLoadingError) -> PartialBody? {
        // Order: before the outcome takes the chunks.
        guard outcome == nil, handedOver == nil, !isUsed, let job, job.stage.keeper != nil,
            let body = course.remains(after: error, of: job.work.request.dataRequest),
            body.count >= PartialLimits.leastBytes
        else { return nil }
        handedOver = body.count
        return body
    }

    /// - Parameter isWatched: whether somebody wants to know of every chunk, and this is one.
    mutating func takeNews(isWatched: Bool) -> News? {
        guard outcome == nil, let job else { return nil }
        var isAnswer = false
        var isArrival = false
        if !isStarting {
            isAnswer = course.answers > toldAnswers
            toldAnswers = course.answers
            // Less than at the last time: all has begun anew.
            isArrival =
                course.count > 0 && (told < 0 || course.count < told || course.count - told >= worthTelling)
            if isArrival { told = course.count }
        }
        guard isAnswer || isArrival || isWatched else { return nil }
        return News(
            job: job, isAnswer: isAnswer, isArrival: isArrival, isProgress: isWatched, completed: course.count,
            total: course.response?.expectedLength)
    }

    /// Whom to tell of the end.
    struct Over {
        let job: Transfer.Job
        let outcome: Result<FetchedBytes, DataLoadingError>
        let tally: Tally
        let previews: PreviewShelf?
    }

    /// Ends the transfer: well if there is no error.
    ///
    /// - Returns: `nil` if the worker that starts it will see the outcome by itself.
    mutating func settle(_ error: DataLoadingError?) -> Over? {
        guard outcome == nil, let job else { return nil }
        let outcome: Result<FetchedBytes, DataLoadingError>
        tally.lost = course.wasted
        tally.isEmpty = course.count == 0 && course.wasted == 0
        if let error {
            outcome = .failure(error)
            tally.remains = handOver(after: error)
            if let handedOver {
                tally.lost += course.count - handedOver
            } else if isUsed {
                tally.kept = course.count
            } else {
                tally.lost += course.count
            }
            _ = course.takeChunks()
        } else {
            tally.leavesSegments = spill.segments > 0
            let chunks = course.takeChunks()
            outcome = .success(
                FetchedBytes(
                    chunks: chunks, count: course.count, response: course.response, mayStore: job.mayStore,
                    times: times))
        }
        self.outcome = outcome
        // The handle of a connection that is still to be closed stays until that is done.
        if !course.isClosing { handle = nil }
        let previews = self.previews
        self.previews = nil
        guard !isStarting else { return nil }
        self.job = nil
        return Over(job: job, outcome: outcome, tally: tally, previews: previews)
    }
}
