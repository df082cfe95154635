/// The state machine of a transfer: its bytes, its connection, and the next call to the loader. A pure value.
///
/// A body may arrive over several connections, one after the other. A long pause releases the first connection, or
/// its server closes it. Then a range request fetches the rest, or the whole body is fetched again. The input is
/// events of the loader and orders of the engine. The output is calls, one at a time, so that they reach the loader
/// in the order of the decisions.
///
/// Invariants:
/// - it is over exactly once, and nothing changes afterwards;
/// - events of a released connection change nothing;
/// - of a pause, a release and a resumption, the highest number counts, in whatever order they are called.
struct TransferMachine {
    enum ConnectionPhase: UInt8 {
        /// Not begun.
        case idle
        /// A connection is to be opened.
        case due
        /// The loader is opening it.
        case opening
        case open
        /// Has no connection, since it is paused or waits for a retry. The bytes are kept.
        case detached
        case over
    }

    enum Call {
        /// Request the body from this byte; 0 for all of it.
        case open(from: Int, number: UInt32)
        case pause, resume, cancel
        case prioritise(DataPriority)
        case close
    }

    var phase = ConnectionPhase.idle
    /// The number of the connection in use. Connections with lower numbers were released.
    var number: UInt32 = 0
    /// The number of the body. It changes when the body is restarted.
    var edition: UInt32 = 0
    var chunks: [Data] = []
    var count = 0
    /// The response at the start of the body, with the length of the whole body.
    var response: DataResponse?
    var responses = 0
    var isCancelled = false
    /// Received bytes that were dropped.
    var wasted = 0

    var limit = 0
    /// The offset of the first byte of the current connection.
    var offset = 0
    /// Bytes of an earlier transfer that this one began with.
    var inherited = 0
    /// True if chunks are removed as they are written into a file. `count` includes them.
    var drains = false
    /// The body that a file has the first bytes of; `nil` once another body arrives.
    var known: ResumableBody?
    /// The bytes that wait to be written into the file.
    var waiting = 0
    /// The number of bytes at the last failure of a connection.
    var failedAt = 0
    var isPaused = false
    /// Numbers of the latest orders.
    var lastOrder: UInt64 = 0
    var lastPriority: UInt64 = 0
    var isHeldBack = false
    /// True if the current connection was ever paused, which may be the reason for its end.
    var wasHeldBack = false
    var isCancelSent = false
    var isClosing = false
    /// The measurements of the ended connections.
    var measured: MeasuredTransfer?
    var isBusy = false
    var retries = 0
    /// The total time of connections that timed out with almost no bytes.
    var stalled = Duration.zero
    /// Set during the wait for a retry. A resumption with a higher number ends the wait.
    var waitsBeyond: UInt64?
    /// The number of the connection that ended last.
    var endedNumber = UInt32.max
    var priority = DataPriority.normal
    var sentPriority = DataPriority.normal

    // MARK: Connections

    mutating func tooLong(_ length: Int) -> DataLoadingError? {
        guard length > limit else { return nil }
        isClosing = phase == .open
        phase = .over
        return .tooLarge(limit)
    }

    /// The waiting bytes above which the loader waits for the disk.
    private static let mostWaiting = 4 << 20
    /// The bytes after which earlier failures of a transfer into a file no longer count.
    static let recovery = 1 << 20

    /// The body that is arriving; `nil` if its rest cannot be requested.
    func resumable(_ request: DataRequest) -> ResumableBody? {
        known ?? response.flatMap { ResumableBody($0, to: request) }
    }

    /// The range request for the rest of the body; `nil` if the response does not allow one.
    func rest(of request: DataRequest?) -> DataRequest? {
        request.flatMap { resumable($0)?.request($0, from: count) }
    }

    /// The bytes that another transfer can continue from after an end with `error`; `nil` for none.
    func remains(after error: DataLoadingError, of request: DataRequest?) -> PartialBody? {
        // A connection that was lost without a new byte would probably be lost again.
        guard error.cause == .cancelled || error.isLoss && count > inherited else { return nil }
        guard count > 0, let response, let request, isWhole || rest(of: request) != nil,
            ResumableBody(response, to: request) != nil
        else { return nil }
        return PartialBody(chunks: chunks, count: count, response: response)
    }

    mutating func restart(_ request: DataRequest?) {
        if rest(of: request) != nil { offset = count } else { drop() }
        waitsBeyond = nil
        phase = .due
    }

    mutating func abandonRequest() {
        number &+= 1
        isHeldBack = false
        wasHeldBack = false
    }

    mutating func drop() {
        wasted += count
        if count > 0 || response != nil { edition &+= 1 }
        chunks = []
        count = 0
        response = nil
        offset = 0
        inherited = 0
        known = nil
        waiting = 0
    }

    /// The first bytes of the body: as many as a format's recognition needs, or all so far.
    var head: Data { chunks.head(ImageFormat.sniffLength) }

    mutating func takeChunks() -> [Data] {
        defer { (chunks, waiting) = ([], 0) }
        return chunks
    }

    /// The next call, to be made without a lock and followed by `called` or `opened`; `nil` during another call.
    mutating func nextCall() -> Call? {
        guard !isBusy, let call = decide() else { return nil }
        isBusy = true
        return call
    }

    mutating func called() { isBusy = false }

    enum Opened {
        case used
        /// It has already ended.
        case over
        /// It is no longer needed and has to be cancelled.
        case useless
    }

    /// Notes that the loader has opened a connection.
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
            sentPriority = priority
            return .open(from: offset, number: number)
        case .open:
            if isCancelled, !isCancelSent {
                isCancelSent = true
                return .cancel
            }
            let holdsBack = isPaused || waiting > TransferMachine.mostWaiting
            if holdsBack != isHeldBack {
                isHeldBack = holdsBack
                // A full buffer lasts only briefly, so it explains no loss.
                if isPaused { wasHeldBack = true }
                return holdsBack ? .pause : .resume
            }
            if priority != sentPriority {
                sentPriority = priority
                return .prioritise(priority)
            }
            return nil
        case .idle, .opening, .detached, .over: return nil
        }
    }

    // Orders of the engine.

    /// - Parameters:
    ///   - body: the bytes of a cancelled transfer.
    ///   - request: the request of the body.
    mutating func begin(
        limit: Int, priority: DataPriority, with body: PartialBody? = nil,
        _ request: @autoclosure () -> DataRequest? = nil
    ) {
        if let body {
            chunks = body.chunks
            count = body.count
            response = body.response
            inherited = count
        }
        guard !isCancelled else { return phase = .over }
        self.limit = limit
        // `prioritise` may have been called earlier.
        if lastPriority == 0 { self.priority = priority }
        if count > limit { drop() }
        if count == 0 {
            phase = .due
        } else if isWhole {
            phase = .over
        } else {
            restart(request())
        }
    }

    /// Begins a transfer whose chunks are removed as they are written into a file.
    mutating func begin(
        into file: FilePart, priority: DataPriority, _ request: @autoclosure () -> DataRequest?
    ) {
        (drains, known, count, inherited) = (true, file.body, file.count, file.count)
        guard !isCancelled else { return phase = .over }
        limit = .max
        if lastPriority == 0 { self.priority = priority }
        if count == 0 { phase = .due } else { restart(request()) }
    }

    /// True if all bytes of the announced length have arrived.
    var isWhole: Bool { response?.expectedLength == count }

    mutating func pause(number: UInt64) {
        guard isLatest(number) else { return }
        isPaused = true
    }

    /// - Parameter request: the request of the body.
    mutating func resume(number: UInt64, _ request: @autoclosure () -> DataRequest?) {
        guard isLatest(number) else { return }
        isPaused = false
        if phase == .detached, waitsBeyond.map({ number > $0 }) ?? true { restart(request()) }
    }

    /// Notes the engine's number of the wait. A resumption with a higher number ends the wait.
    mutating func waitNoted(_ number: UInt64, _ request: @autoclosure () -> DataRequest?) {
        guard phase == .detached, waitsBeyond != nil else { return }
        waitsBeyond = number
        // Order: the resumption may have been called earlier than this.
        if lastOrder > number, !isPaused { restart(request()) }
    }

    /// Releases the connection of a paused transfer if a range request can fetch the rest.
    mutating func release(number: UInt64, _ request: @autoclosure () -> DataRequest?) {
        guard isLatest(number), isPaused, phase == .open, !isCancelled, rest(of: request()) != nil else { return }
        isClosing = true
        abandonRequest()
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

    /// Ends a transfer whose bytes are useless, and closes its connection.
    ///
    /// - Returns: false if it was already over.
    mutating func dropContent() -> Bool {
        guard phase != .over, !isCancelled else { return false }
        isClosing = phase == .open
        phase = .over
        return true
    }

    /// Cancels the transfer.
    ///
    /// - Returns: whether the transfer is over. Otherwise the loader still reports its end.
    mutating func cancel() -> Bool {
        guard phase != .over else { return false }
        isCancelled = true
        // Without a connection, the loader does not report an end.
        guard phase == .detached || phase == .due else { return false }
        phase = .over
        return true
    }
}

/// The first bytes of a body in the file of a download.
struct FilePart: Sendable {
    /// From what the rest can be requested; `nil` for an empty file.
    let body: ResumableBody?
    let count: Int
}
