import FirnData
import FirnImage
import FoundationEssentials

/// How a transfer stands: what it has, over which connection more comes, and what is to be done with that connection.
///
/// A body may come over several connections, one after the other: a pause that lasts lets go of the first, or its
/// server does, and the rest is fetched by a range request, or all of it anew. Takes what the loader and the engine
/// say; gives the calls to make, one at a time, so that they reach the loader in the order they were decided.
///
/// Invariants:
/// - it is over exactly once, and nothing changes it then;
/// - events of a connection that was given up change nothing;
/// - of a pause, a release and a resumption the one with the highest number counts, whichever comes last.
struct TransferMachine {
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

    var phase = Phase.idle
    /// Number of the connection in use; those of lower numbers were given up.
    var number: UInt32 = 0
    /// Number of the body: another one once all began anew.
    var edition: UInt32 = 0
    var chunks: [Data] = []
    var count = 0
    /// The answer that the body began with; the length is that of the whole.
    var response: DataResponse?
    /// How many connections have answered.
    var answers = 0
    var isCancelled = false
    /// Bytes that came and were dropped.
    var wasted = 0

    var limit = 0
    /// The byte that the present connection begins with.
    var offset = 0
    /// Bytes that another transfer left, which this one began with.
    var inherited = 0
    var isPaused = false
    /// Numbers of the latest orders.
    var lastOrder: UInt64 = 0
    var lastPriority: UInt64 = 0
    var isHeldBack = false
    /// Whether the present connection has ever been held back: then its end may be due to that.
    var wasHeldBack = false
    var isCancelTold = false
    var isClosing = false
    /// What the connections that have ended took, together.
    var measured: MeasuredTransfer?
    var isBusy = false
    /// How often the source was asked again after a failure.
    var retries = 0
    /// How long connections took together that ended by a time limit and brought next to nothing.
    var stalled = Duration.zero
    /// Set while it waits to be asked for again: resumptions of higher numbers end the wait, the engine knows of it
    /// then.
    var waitsBeyond: UInt64?
    /// The last connection whose end came.
    var endedNumber = UInt32.max
    var priority = DataPriority.normal
    var toldPriority = DataPriority.normal

    // MARK: Connections

    mutating func tooLong(_ length: Int) -> DataLoadingError? {
        guard length > limit else { return nil }
        isClosing = phase == .open
        phase = .over
        return DataLoadingError(
            .tooLarge(limit: limit), "the answer is longer than the \(limit) bytes that ImageLimits.maximumBytes allows"
        )
    }

    /// The request for what is missing, where that can be had alone.
    func rest(of request: DataRequest?) -> DataRequest? {
        guard let request, let response else { return nil }
        return ResumableBody(response, to: request)?.request(request, from: count)
    }

    /// What another transfer could go on from, after an end with `error`; `nil` if that is nothing.
    func remains(after error: DataLoadingError, of request: DataRequest?) -> PartialBody? {
        // One that was lost and has brought nothing new would be lost again.
        guard error.cause == .cancelled || TransferMachine.isLoss(error) && count > inherited else { return nil }
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

    mutating func giveUp() {
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
    }

    /// Whether an error is the loss of a connection, which one that is held back for long may come to.
    static func isLoss(_ error: DataLoadingError) -> Bool {
        switch error.cause {
        case .connection, .timeout, .truncated, .other: true
        case .badAddress, .refused, .unreadable, .status, .redirect, .tooLarge, .cancelled, .insecure, .forbidden: false
        }
    }

    /// The first bytes of the body, enough to tell a format by, or all there are.
    var head: Data {
        var head = Data()
        for chunk in chunks where head.count < ImageFormat.sniffLength {
            head.append(chunk.prefix(ImageFormat.sniffLength - head.count))
        }
        return head
    }

    /// Hands over what came.
    mutating func takeChunks() -> [Data] {
        defer { chunks = [] }
        return chunks
    }
}
