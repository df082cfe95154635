import FirnData
import FirnImage
import FirnSync

/// One transfer, from the wait for a slot to its end, over any number of redirects.
///
/// Invariant: `receive` is set until the end is delivered, and never after; so there is exactly one end.
///
/// Safety: all mutable state but `result`, which `measured` guards, is used on the network thread only. Public calls
/// hop to it.
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
    private var thread: NetworkThread { engine.thread }

    var receive: (@Sendable (DataEvent) -> Void)?
    var request: DataRequest
    /// The address of `request`, parsed once, without the parts that are not sent.
    var address: RequestAddress?
    /// The current origin. After a redirect it differs from `origin`.
    var target: Origin? { address?.origin }
    /// Routes to the host that have not been tried.
    var routes: ArraySlice<Route> = []
    /// The number of requests that were lost with connections that their server closed.
    var lostRequests = 0
    /// The number of times that there was no descriptor for a connection.
    var descriptorShortages = 0
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
    /// The response that was delivered.
    var delivered: DataResponse?
    var hasResponse: Bool { delivered != nil }
    /// A request that was ended during a pause, and what its body needs to go on.
    var parked: ResumableBody?
    var isPaused = false
    /// Decode the codings of the response's body, the one that was applied last first.
    var decoders: [ContentDecoder] = []
    var expansion: ExpansionMeter
    /// True if received bytes wait for decompression, with back-pressure on the sender.
    var isDecompressing = false
    /// True if the exchange keeps what arrives.
    var isHolding: Bool { isPaused || isDecompressing }
    /// The failure of a certificate that is being asked for.
    var certificateFault: TransportFault?
    /// True if the thread will continue decompressing.
    var hasTurn = false
    var idle: IdleWatch
    var speed: SpeedMeter
    var totalCheck: TimerQueue.Ticket?

    init(_ request: DataRequest, _ engine: LoaderEngine, _ receive: @escaping @Sendable (DataEvent) -> Void) {
        self.request = request
        self.engine = engine
        self.receive = receive
        // The settings are not copied: a copy counts 20 references.
        chain = engine.redirects
        limits = engine.settings.transferGuard(for: request)
        let most = limits.maximumBytes(engine.settings.limits.maximumBytes)
        body = BodyMeter(limit: most)
        idle = IdleWatch(limit: (engine.settings.firstByteTimeout ?? engine.settings.idleTimeout).nanoseconds)
        expansion = ExpansionMeter(
            limit: most, ratio: limits.maximumExpansion(engine.settings.limits.maximumExpansion))
        speed = SpeedMeter(limit: engine.settings.lowSpeedLimit, span: engine.settings.lowSpeedTime)
        recorder = TransferRecorder(now: MonotonicClock.now())
    }

    // MARK: On any thread

    func start() { thread.execute { self.begin() } }

    func cancel() {
        // Order: never at once, even on the thread: the caller may be the receiver of the current event.
        thread.execute { self.end(DataLoadingError(.cancelled, "the transfer was cancelled")) }
    }

    // Order: at once if possible, so that a receiver that pauses in a chunk receives no further one.
    func pause() { onThread { self.pauseReceiving() } }

    func resume() { onThread { self.resumeReceiving() } }

    /// Takes effect before the request is sent. libcurl sends no later change.
    func setPriority(_ priority: DataPriority) { onThread { self.request.priority = priority } }

    var metrics: TransferMetrics? { measured.withLock { result } }

    private func onThread(_ body: @escaping @Sendable () -> Void) {
        if thread.isCurrent { body() } else { thread.execute(body) }
    }

    // MARK: Slots

    func begin() {
        guard receive != nil else { return }
        guard let origin = takeAddress() else {
            return end(DataLoadingError(.badAddress, "not an absolute http or https address"))
        }
        self.origin = origin
        if let limit = limits.timeLimit(engine.settings.totalTimeout) {
            totalCheck = thread.schedule(at: MonotonicClock.now().saturatingAdd(limit.nanoseconds)) {
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
        if let totalCheck { thread.cancel(totalCheck) }
        totalCheck = nil
        exchange?.abandon()
        exchange = nil
        decoders = []
        releaseSlot()
        let metrics = recorder.result(now: MonotonicClock.now())
        measured.withLock { result = metrics }
        receive(.end(error))
    }
}

/// Measures the time without received bytes. Moments and spans are in nanoseconds; the caller passes the moment.
package struct IdleWatch: Equatable {
    package var limit: Int64
    private var last: Int64?

    package init(limit: Int64) { self.limit = limit }

    /// Records received bytes, or the start of counting.
    package mutating func touch(_ now: Int64) { last = now }

    /// Stops counting: nothing is expected.
    package mutating func stop() { last = nil }

    package var isCounting: Bool { last != nil }

    /// The deadline for the next byte; `nil` if counting is off.
    package var deadline: Int64? { last.map { $0.saturatingAdd(limit) } }
}
