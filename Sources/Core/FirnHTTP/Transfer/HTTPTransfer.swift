import FirnImage
import FirnSync

/// One transfer, from the wait for a slot to its end, across all redirects.
///
/// Invariant: `receive` is set until the end is delivered, and never afterwards; so there is exactly one end.
///
/// Safety: all mutable state is used on the network thread only, except `result`, which `measured` guards. Public calls
/// hop to that thread.
final class HTTPTransfer: DataTransfer, @unchecked Sendable {
    /// The slot of a transfer that has not ended.
    enum Place {
        /// Not started, or paused before it acquired a slot.
        case none
        case inLine(HostSlots<Origin, HTTPTransfer>.Ticket)
        case taken
        /// Released during a pause. The connection stays.
        case lent
    }

    let engine: LoaderEngine
    private var thread: NetworkThread { engine.thread }

    var receive: (@Sendable (DataEvent) -> Void)?
    var request: DataRequest
    /// The parsed address of `request`, without the parts that are not sent.
    var address: RequestAddress?
    /// The current origin. After a redirect it differs from `origin`.
    var target: Origin? { address?.origin }
    /// The untried routes to the host.
    var routes: ArraySlice<Route> = []
    /// The number of requests lost because their server closed the connection.
    var lostRequests = 0
    /// The number of times that no descriptor was available for a connection.
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
    /// The state for resuming a request that was ended during a pause.
    var parked: ResumableBody?
    var isPaused = false
    /// The decoders of the response's codings, the last applied coding first.
    var decoders: [ContentDecoder] = []
    var expansion: ExpansionMeter
    /// True if received bytes wait for decompression, with back-pressure on the sender.
    var isDecompressing = false
    /// True if the exchange holds received bytes.
    var isHolding: Bool { isPaused || isDecompressing }
    /// The certificate failure under inspection.
    var certificateFault: TransportFault?
    /// True if decompression will continue on the thread.
    var hasTurn = false
    var idle: IdleWatch
    var speed: SpeedMeter
    var totalCheck: TimerQueue.Ticket?

    init(_ request: DataRequest, _ engine: LoaderEngine, _ receive: @escaping @Sendable (DataEvent) -> Void) {
        self.request = request
        self.engine = engine
        self.receive = receive
        // The settings are not copied: a copy would retain 20 references.
        chain = engine.redirects
        limits = engine.settings.transferGuard(for: request)
        let most = limits.maximumBytes(request.isUnlimited ? .max : engine.settings.limits.maximumBytes)
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
        // Order: never synchronously, even on the thread: the caller may be handling the current event.
        thread.execute { self.end(.cancelled) }
    }

    // Order: synchronously if possible, so that a receiver that pauses in a chunk receives no further one.
    func pause() { onThread { self.pauseReceiving() } }

    func resume() { onThread { self.resumeReceiving() } }

    /// Takes effect only before the request is sent. libcurl does not send later changes.
    func setPriority(_ priority: DataPriority) { onThread { self.request.priority = priority } }

    var metrics: TransferMetrics? { measured.withLock { result } }

    private func onThread(_ body: @escaping @Sendable () -> Void) {
        if thread.isCurrent { body() } else { thread.execute(body) }
    }

    // MARK: Slots

    func begin() {
        guard receive != nil else { return }
        guard let origin = takeAddress() else { return end(.notAnAddress) }
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
        // The transfer may have been cancelled or paused since it was assigned the slot.
        guard receive != nil, case .inLine = place else { return engine.release(origin) }
        place = .taken
        send()
    }

    func releaseSlot() {
        guard let origin else { return }
        switch place {
        case .inLine(let ticket): engine.slots.withdraw(ticket)
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

/// Measures idle time. Times are in nanoseconds, passed by the caller.
package struct IdleWatch: Equatable {
    package var limit: Int64
    private var last: Int64?

    package init(limit: Int64) { self.limit = limit }

    /// Records received bytes, or starts counting.
    package mutating func touch(_ now: Int64) { last = now }

    /// Stops counting while nothing is expected.
    package mutating func stop() { last = nil }

    package var isCounting: Bool { last != nil }

    /// The deadline for the next byte; `nil` while stopped.
    package var deadline: Int64? { last.map { $0.saturatingAdd(limit) } }
}
