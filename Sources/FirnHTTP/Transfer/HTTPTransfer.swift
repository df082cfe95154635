import FirnData
import FirnImage
import FirnSync
import FoundationEssentials
import NIOCore

/// One transfer, from the wait for a slot to its end, over any number of redirects.
///
/// Invariant: `receive` is set until the end is delivered, and never after; so there is exactly one end.
///
/// Safety: `eventLoop` guards all mutable state but `result`, which `measured` guards. Public calls hop to that loop.
final class HTTPTransfer: DataTransfer, @unchecked Sendable {
    /// The slot of a transfer that has not ended.
    enum Place {
        /// Not started, or paused before it got a slot.
        case none
        case inLine(HostSlots<Origin, HTTPTransfer>.Ticket)
        case taken
        /// Released by a pause. The connection stays.
        case lent
    }

    let engine: LoaderEngine
    var eventLoop: any EventLoop { engine.eventLoop }

    // Safety: used on `eventLoop` only.
    var receive: (@Sendable (DataEvent) -> Void)?
    var request: DataRequest
    /// The address of `request`, parsed once, without the parts that are not sent.
    var url: URL?
    /// The current origin. After a redirect it differs from `origin`.
    var target: Origin?
    /// Routes to the host that have not been tried.
    var routes: ArraySlice<ClientKey> = []
    /// The number of requests that were lost with connections that their server closed.
    var lostRequests = 0
    var recorder: TransferRecorder
    private let measured = InlineLock()
    // Safety: `measured` guards it.
    private nonisolated(unsafe) var result: TransferMetrics?
    var place = Place.none
    var origin: Origin?
    var exchange: Exchange?
    var chain: RedirectChain
    /// The addresses that this transfer may use.
    var limits: TransferGuard
    var body: BodyMeter
    var hasResponse = false
    var hasUserInfo = false
    var isPaused = false
    /// Holds the sender back during a pause.
    var resumption: EventLoopPromise<Void>?
    /// Decodes the content coding of the response's body; `nil` without one.
    var decoder: ContentDecoder?
    var expansion: ExpansionMeter
    /// Whether received bytes wait for decompression, with back-pressure on the sender.
    var isDecompressing = false
    /// Whether the event loop will continue decompressing.
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
        // Order: never at once, even on the loop: the caller may be the receiver of the current event.
        eventLoop.execute { self.end(DataLoadingError(.cancelled, "the transfer was cancelled")) }
    }

    // Order: at once if possible, so that a receiver that pauses in a chunk receives no further one.
    func pause() { onLoop { self.pauseReceiving() } }

    func resume() { onLoop { self.resumeReceiving() } }

    /// Takes effect before the request is sent. The client cannot send HTTP/2's message for later changes.
    func setPriority(_ priority: DataPriority) { onLoop { self.request.priority = priority } }

    var metrics: TransferMetrics? { measured.withLock { result } }

    func onLoop(_ body: @escaping @Sendable () -> Void) {
        if eventLoop.inEventLoop { body() } else { eventLoop.execute(body) }
    }

    // MARK: Slots

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

    /// Handles that this transfer got its slot.
    func slotAcquired() {
        guard let origin else { return }
        // The transfer may have been cancelled or paused since the slot was assigned.
        guard receive != nil, case .inLine = place else { return engine.release(origin) }
        place = .taken
        send()
    }

    func releaseSlot() {
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
        releaseSlot()
        release()
        let metrics = recorder.result(now: .now())
        measured.withLock { result = metrics }
        receive(.end(error))
    }
}
