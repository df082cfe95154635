import FirnData
import FirnImage
import FirnSync
import FoundationEssentials
import NIOCore

/// One transfer, from the wait for a place to its end, over any number of redirects.
///
/// Invariant: `receive` is there until the end is delivered, and never after; so there is exactly one end.
final class HTTPTransfer: DataTransfer, @unchecked Sendable {
    /// Where a transfer stands that has not ended.
    enum Place {
        /// Not begun, or paused before its turn came.
        case none
        case inLine(HostSlots<Origin, HTTPTransfer>.Ticket)
        case taken
        /// Given up by a pause; the connection stays.
        case lent
    }

    let engine: LoaderEngine
    var eventLoop: any EventLoop { engine.eventLoop }

    // Safety: everything from here on is touched on `eventLoop` only.
    var receive: (@Sendable (DataEvent) -> Void)?
    var request: DataRequest
    /// The address of `request`, read once, without what is not sent.
    var url: URL?
    /// Who is talked to: after a redirect it is not `origin`.
    var target: Origin?
    /// Ways to the host that are still to be tried.
    var ways: ArraySlice<ClientKey> = []
    /// How often a request was lost with a connection that its server had given up.
    var lostRequests = 0
    var recorder: TransferRecorder
    private let measured = InlineLock()
    // Safety: touched while `measured` is held.
    private nonisolated(unsafe) var result: TransferMetrics?
    var place = Place.none
    var origin: Origin?
    var exchange: Exchange?
    var chain: RedirectChain
    /// Where this transfer may go.
    var limits: TransferGuard
    var body: BodyMeter
    var hasAnswer = false
    var hasUserInfo = false
    var isPaused = false
    /// What holds the sender back while paused.
    var resumption: EventLoopPromise<Void>?
    /// Undoes the content coding of the answer's body, if it has one.
    var decoder: ContentDecoder?
    var expansion: ExpansionMeter
    /// Whether bytes that have come are still to be decompressed, and the sender is held back for them.
    var isDecompressing = false
    /// Whether the event loop is going to decompress more.
    var hasTurn = false
    var idle: IdleWatch
    var speed: SpeedMeter
    var totalCheck: Scheduled<Void>?

    init(_ request: DataRequest, _ engine: LoaderEngine, _ receive: @escaping @Sendable (DataEvent) -> Void) {
        self.request = request
        self.engine = engine
        self.receive = receive
        let settings = engine.settings
        chain = engine.redirects
        limits = settings.transferGuard(for: request)
        let most = limits.maximumBytes(settings.limits.maximumBytes)
        body = BodyMeter(limit: most)
        idle = IdleWatch(limit: (settings.firstByteTimeout ?? settings.idleTimeout).timeAmount)
        expansion = ExpansionMeter(
            limit: most, ratio: limits.maximumExpansion(settings.limits.maximumExpansion))
        speed = SpeedMeter(limit: settings.lowSpeedLimit, span: settings.lowSpeedTime.timeAmount)
        recorder = TransferRecorder(now: .now())
    }

    // MARK: On any thread

    func start() { eventLoop.execute { self.begin() } }

    func cancel() {
        // Order: never at once, even on the loop: the caller may be the receiver of an event that is being delivered.
        eventLoop.execute { self.end(DataLoadingError(.cancelled, "the transfer was cancelled")) }
    }

    // Order: at once where possible, so that a receiver that pauses in a chunk gets no further one.
    func pause() { onLoop { self.holdBack() } }

    func resume() { onLoop { self.goOn() } }

    /// Counts while nothing has been sent; HTTP/2's own message for later changes is not in the client.
    func setPriority(_ priority: DataPriority) { onLoop { self.request.priority = priority } }

    var metrics: TransferMetrics? { measured.withLock { result } }

    func onLoop(_ body: @escaping @Sendable () -> Void) {
        if eventLoop.inEventLoop { body() } else { eventLoop.execute(body) }
    }

    // MARK: A place

    func begin() {
        guard receive != nil else { return }
        guard let origin = takeAddress() else {
            return end(DataLoadingError(.badAddress, "not an absolute http or https address"))
        }
        self.origin = origin
        if let limit = limits.timeLimit(engine.settings.totalTimeout) {
            totalCheck = eventLoop.scheduleTask(in: limit.timeAmount) {
                self.end(DataLoadingError(.timeout, "not finished within \(limit)", isFinal: true))
            }
        }
        if !isPaused { joinLine(origin) }
    }

    func joinLine(_ origin: Origin) {
        if let ticket = engine.slots.enter(origin, self) {
            place = .inLine(ticket)
        } else {
            place = .taken
            send()
        }
    }

    /// The place that this transfer waited for is its own now.
    func placeTaken() {
        guard let origin else { return }
        // It may have left the line when the place was already on its way to it.
        guard receive != nil, case .inLine = place else { return engine.release(origin) }
        place = .taken
        send()
    }

    func leavePlace() {
        guard let origin else { return }
        switch place {
        case .inLine(let ticket): engine.slots.withdraw(ticket, from: origin)
        case .taken: engine.release(origin)
        case .none, .lent: break
        }
        place = .none
    }

    // MARK: The end

    func end(_ error: DataLoadingError?) {
        guard let receive else { return }
        self.receive = nil
        stopWatching()
        totalCheck?.cancel()
        exchange?.abandon()
        exchange = nil
        decoder = nil
        leavePlace()
        release()
        let metrics = recorder.result(now: .now())
        measured.withLock { result = metrics }
        receive(.end(error))
    }
}
