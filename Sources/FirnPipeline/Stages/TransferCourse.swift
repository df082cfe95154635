import FirnData
import FoundationEssentials

/// How a transfer stands: what it has, over which connection more comes, and what is to be done with that connection.
///
/// A body may come over several connections, one after the other: a pause that lasts lets go of the first, or its
/// server does, and the rest is fetched by a range request, or all of it anew. Takes what the loader and the engine say;
/// gives the calls to make, one at a time, so that they reach the loader in the order they were decided.
///
/// Invariants:
/// - it is over exactly once, and nothing changes it then;
/// - events of a connection that was given up change nothing;
/// - of a pause, a release and a resumption the one with the highest number counts, whichever comes last.
struct TransferCourse {
    enum Phase: UInt8 {
        /// Not begun.
        case idle
        /// A connection is to be opened.
        case due
        /// The loader is opening it.
        case opening
        case open
        /// Without a connection, because it is paused or waits to be asked for again; what has come is kept.
        case detached
        case over
    }

    /// A call of the loader.
    enum Call {
        /// Ask for the body from a byte on; 0 for all of it.
        case open(from: Int, number: UInt32)
        case pause, resume, cancel
        case prioritise(DataPriority)
        /// Let go of the connection that is of no more use.
        case close
    }

    private(set) var phase = Phase.idle
    /// Number of the connection in use; those of lower numbers were given up.
    private(set) var number: UInt32 = 0
    /// Number of the body: another one once all began anew.
    private(set) var edition: UInt32 = 0
    private(set) var chunks: [Data] = []
    private(set) var count = 0
    /// The answer that the body began with; the length is that of the whole.
    private(set) var response: DataResponse?
    /// How many connections have answered.
    private(set) var answers = 0
    private(set) var isCancelled = false
    /// Bytes that came and were dropped.
    private(set) var wasted = 0

    private var limit = 0
    /// The byte that the present connection begins with.
    private var offset = 0
    /// Bytes that another transfer left, which this one began with.
    private var inherited = 0
    private(set) var isPaused = false
    /// Numbers of the latest orders.
    private var lastOrder: UInt64 = 0
    private var lastPriority: UInt64 = 0
    private var isHeldBack = false
    /// Whether the present connection has ever been held back: then its end may be due to that.
    private var wasHeldBack = false
    private var isCancelTold = false
    private(set) var isClosing = false
    private var measured: TransferMetrics?
    private var isBusy = false
    /// How often the source was asked again after a failure.
    private(set) var retries = 0
    /// Set while it waits to be asked for again: resumptions of higher numbers end the wait, the engine knows of it then.
    private var waitsBeyond: UInt64?
    /// The last connection whose end came.
    private var endedNumber = UInt32.max
    private(set) var priority = DataPriority.normal
    private var toldPriority = DataPriority.normal

    // MARK: What the engine wants

    /// - Parameters:
    ///   - body: what there is already, of a transfer that was given up.
    ///   - request: what the body is asked for with.
    mutating func begin(
        limit: Int, priority: DataPriority, with body: PartialBody? = nil, _ request: DataRequest? = nil
    ) {
        if let body {
            chunks = body.chunks
            count = body.count
            response = body.response
            inherited = count
        }
        guard !isCancelled else { return phase = .over }
        self.limit = limit
        // An order may have come before.
        if lastPriority == 0 { self.priority = priority }
        if count > limit { drop() }
        if count == 0 {
            phase = .due
        } else if isWhole {
            phase = .over
        } else {
            restart(request)
        }
    }

    /// Whether all bytes are there that the source spoke of.
    private var isWhole: Bool { response?.expectedLength == count }

    mutating func pause(number: UInt64) {
        guard isLatest(number) else { return }
        isPaused = true
    }

    /// - Parameter request: what the body was asked for with.
    mutating func resume(number: UInt64, _ request: @autoclosure () -> DataRequest?) {
        guard isLatest(number) else { return }
        isPaused = false
        if phase == .detached, waitsBeyond.map({ number > $0 }) ?? true { restart(request()) }
    }

    /// The engine has taken note that the transfer waits, and gives it a slot again by a resumption of a higher number.
    mutating func waitNoted(_ number: UInt64, _ request: @autoclosure () -> DataRequest?) {
        guard phase == .detached, waitsBeyond != nil else { return }
        waitsBeyond = number
        // Order: the resumption may have come before this.
        if lastOrder > number, !isPaused { restart(request()) }
    }

    /// Lets go of the connection of a paused transfer, if the rest can be had without it.
    mutating func release(number: UInt64, _ request: @autoclosure () -> DataRequest?) {
        guard isLatest(number), isPaused, phase == .open, !isCancelled, rest(of: request()) != nil else { return }
        isClosing = true
        giveUp()
        phase = .detached
    }

    mutating func prioritise(_ priority: DataPriority, number: UInt64) {
        guard number >= lastPriority else { return }
        lastPriority = number
        self.priority = priority
    }

    private mutating func isLatest(_ number: UInt64) -> Bool {
        guard number >= lastOrder else { return false }
        lastOrder = number
        return true
    }

    /// Nobody needs the bytes any more.
    ///
    /// - Returns: whether the transfer is over by that; otherwise its end is still to come from the loader.
    mutating func cancel() -> Bool {
        guard phase != .over else { return false }
        isCancelled = true
        // Without a connection nobody else would end it.
        guard phase == .detached || phase == .due else { return false }
        phase = .over
        return true
    }

    // MARK: What is to be done

    /// The next call to make, without any lock; to be followed by `called` or `opened`. `nil` while another is being made.
    mutating func nextCall() -> Call? {
        guard !isBusy, let call = decide() else { return nil }
        isBusy = true
        return call
    }

    mutating func called() { isBusy = false }

    /// What becomes of a connection that was asked for.
    enum Opened {
        case used
        /// It has ended already.
        case over
        /// It is of no use any more, and is to be let go of.
        case useless
    }

    /// The loader has been asked for a connection.
    mutating func opened(_ number: UInt32) -> Opened {
        isBusy = false
        if number == endedNumber { return .over }
        guard phase == .opening, number == self.number else { return .useless }
        phase = .open
        return .used
    }

    private mutating func decide() -> Call? {
        if isClosing {
            isClosing = false
            return .close
        }
        switch phase {
        case .due:
            phase = .opening
            toldPriority = priority
            return .open(from: offset, number: number)
        case .open:
            if isCancelled, !isCancelTold {
                isCancelTold = true
                return .cancel
            }
            if isPaused != isHeldBack {
                isHeldBack = isPaused
                if isPaused { wasHeldBack = true }
                return isPaused ? .pause : .resume
            }
            if priority != toldPriority {
                toldPriority = priority
                return .prioritise(priority)
            }
            return nil
        case .idle, .opening, .detached, .over: return nil
        }
    }

    // MARK: What the loader says

    private func isPresent(_ number: UInt32) -> Bool {
        number == self.number && (phase == .open || phase == .opening)
    }

    /// - Returns: why the transfer is over, if it is.
    mutating func take(_ response: DataResponse, _ number: UInt32, _ request: @autoclosure () -> DataRequest?)
        -> DataLoadingError?
    {
        guard isPresent(number) else { return nil }
        answers += 1
        if offset > 0, let request = request() {
            let body = self.response.flatMap { ResumableBody($0, to: request) }
            switch body?.judge(response, from: offset) ?? .startsAgain {
            case .goesOn(let total):
                self.response?.expectedLength = total
                return tooLong(total)
            case .replaces: drop()
            case .startsAgain:
                isClosing = phase == .open
                giveUp()
                drop()
                phase = .due
                return nil
            }
        }
        self.response = response
        return response.expectedLength.flatMap { tooLong($0) }
    }

    /// What a chunk changes.
    enum Growth {
        case none
        case grown
        case over(DataLoadingError)
    }

    mutating func take(_ data: Data, _ number: UInt32) -> Growth {
        guard isPresent(number), !data.isEmpty else { return .none }
        guard data.count <= limit - count else {
            return tooLong(.max).map { .over($0) } ?? .none
        }
        chunks.append(data)
        count += data.count
        return .grown
    }

    /// What the end of a connection means.
    enum Ending {
        /// It was given up before, or the transfer goes on over another.
        case none
        /// It is asked for again after a while; until then it has no connection.
        case waits(Duration)
        case over(DataLoadingError?)
    }

    /// - Parameters:
    ///   - retrying: when the source is asked again.
    ///   - random: a random number from 0 up to 1.
    mutating func end(
        _ error: DataLoadingError?, _ number: UInt32, retrying: RetryPolicy = .none,
        random: @autoclosure () -> Double = 0,
        _ request: @autoclosure () -> DataRequest?
    ) -> Ending {
        endedNumber = number
        guard isPresent(number) else { return .none }
        var error = error
        if error == nil, let expected = response?.expectedLength, expected != count {
            error = DataLoadingError(.truncated, "the answer has \(count) of \(expected) bytes")
        }
        guard let error, !isCancelled else {
            phase = .over
            return .over(isCancelled ? error ?? DataLoadingError(.cancelled, "the transfer was cancelled") : nil)
        }
        let delay = request().flatMap {
            retrying.delay(beforeRetry: retries, after: error, method: $0.method, random: random())
        }
        if offset > 0, case .status = error.cause, delay == nil {
            // The server does not like the range. It may like the request.
            giveUp()
            drop()
            phase = .due
        } else if wasHeldBack || isPaused, TransferCourse.isLoss(error) {
            if isWhole {
                phase = .over
                return .over(nil)
            }
            giveUp()
            if isPaused { phase = .detached } else { restart(request()) }
        } else if let delay, !isWhole {
            giveUp()
            retries += 1
            waitsBeyond = .max
            phase = .detached
            return .waits(delay)
        } else {
            phase = .over
            return .over(error)
        }
        return .none
    }

    /// What a connection took that has just ended; those of one body count together.
    mutating func measured(_ metrics: TransferMetrics?) {
        guard var metrics else { return }
        if let measured { metrics.addEarlier(measured) }
        measured = metrics
        response?.metrics = metrics
    }

    // MARK: Connections

    private mutating func tooLong(_ length: Int) -> DataLoadingError? {
        guard length > limit else { return nil }
        isClosing = phase == .open
        phase = .over
        return DataLoadingError(.tooLarge(limit: limit), "the answer is longer than \(limit) bytes")
    }

    /// The request for what is missing, where that can be had alone.
    func rest(of request: DataRequest?) -> DataRequest? {
        guard let request, let response else { return nil }
        return ResumableBody(response, to: request)?.request(request, from: count)
    }

    /// What another transfer could go on from, after an end with `error`; `nil` if that is nothing.
    func remains(after error: DataLoadingError, of request: DataRequest?) -> PartialBody? {
        // One that was lost and has brought nothing new would be lost again.
        guard error.cause == .cancelled || TransferCourse.isLoss(error) && count > inherited else { return nil }
        guard count > 0, let response, let request, isWhole || rest(of: request) != nil,
            ResumableBody(response, to: request) != nil
        else { return nil }
        return PartialBody(chunks: chunks, count: count, response: response)
    }

    private mutating func restart(_ request: DataRequest?) {
        if rest(of: request) != nil { offset = count } else { drop() }
        waitsBeyond = nil
        phase = .due
    }

    private mutating func giveUp() {
        number &+= 1
        isHeldBack = false
        wasHeldBack = false
    }

    private mutating func drop() {
        wasted += count
        if count > 0 || response != nil { edition &+= 1 }
        chunks = []
        count = 0
        response = nil
        offset = 0
        inherited = 0
    }

    /// Whether an error is the loss of a connection, which one that is held back for long may come to.
    static func isLoss(_ error: DataLoadingError) -> Bool {
        switch error.cause {
        case .connection, .timeout, .truncated, .other: true
        case .badAddress, .refused, .unreadable, .status, .redirect, .tooLarge, .cancelled, .insecure, .forbidden: false
        }
    }

    /// Hands over what came.
    mutating func takeChunks() -> [Data] {
        defer { chunks = [] }
        return chunks
    }
}
