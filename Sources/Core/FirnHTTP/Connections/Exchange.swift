import CFirnCurl
import FirnSync

/// One request and its response. A transfer has one exchange, plus one for each redirect and each repetition.
///
/// After the transfer has released the exchange, the rest of a short body is read and discarded, so the connection can
/// be reused.
///
/// Safety: used on the network thread only.
final class Exchange: @unchecked Sendable {
    private enum End {
        case complete
        case failed(TransportFault)
    }

    /// Maximum number of bytes to read in order to keep a connection, and the maximum time.
    private static let drainLimit = 64 << 10
    private static let drainTime: Int64 = 2_000_000_000
    /// The size of the pieces of a body, unless fewer bytes have arrived.
    private static let pieceSize = 64 << 10
    /// The most bytes that libcurl passes on in one call: CURL_MAX_WRITE_SIZE.
    private static let callSize = 16 << 10

    let route: Route
    let message: ExchangeMessage
    private let limits: TransferGuard
    private let engine: LoaderEngine
    private let pool: ConnectionPool
    private var transfer: HTTPTransfer?
    private var handle: OpaquePointer?
    private var connectCheck: TimerQueue.Ticket?
    private var drainCheck: TimerQueue.Ticket?
    private let startedAt = MonotonicClock.now()
    /// When the first connection was started; `nil` if an existing one was used.
    private var openedAt: Int64?
    private var readyAt: Int64?
    private(set) var remoteAddress: NetworkAddress?
    private var remoteText: String?
    private var head = HeadSequence()
    private var refusal: DataLoadingError?
    /// Received body bytes that were not passed on.
    private var piece = Data()
    private var drained = 0
    /// True if libcurl holds bytes back until resumed.
    private var isHeld = false
    private var end: End?
    private(set) var wireBytes = 0
    /// Why the certificate is invalid, for an exchange that inspects it.
    private var certificateFault: String?
    private var facts: TransferMetrics?

    init(_ transfer: HTTPTransfer, _ message: ExchangeMessage, _ route: Route, _ limits: TransferGuard) {
        self.transfer = transfer
        self.message = message
        self.route = route
        self.limits = limits
        engine = transfer.engine
        pool = engine.pool(isGuarded: route.isGuarded)
    }

    /// True if the exchange or its connection is needed.
    var isWanted: Bool { transfer != nil }
    /// True if the head of the final response has arrived.
    var hasHead: Bool { head.isComplete }
    /// True if the request was sent.
    var wasSent: Bool { readyAt != nil }
    /// True if the request was sent over a reused connection.
    var isReused: Bool { readyAt != nil && openedAt == nil }

    /// True if other requests use the connection at the same time.
    private(set) var isStream = false

    /// True if other requests may use the connection at the same time, as far as known.
    var isShared: Bool { wasSent && pool.mayShare(message.origin) }

    /// True if the request may be repeated after its connection was lost.
    var mayRepeat: Bool { !hasHead && isReused && message.mayRepeat }

    static func of(_ context: UnsafeMutableRawPointer?) -> Exchange? {
        context.map { Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: For the transfer

    func start() { pool.start(self) }

    /// Ends the exchange and closes its connection. The transfer receives no more events.
    func abandon() {
        transfer = nil
        stopChecks()
        if handle != nil { pool.drop(self) }
    }

    /// Ends the exchange, whose connection may be dead. Later requests to its server get new connections.
    func abandonSilent() {
        if let handle { firn_curl_close_connection(handle) }
        pool.avoidConnections(to: message.origin, for: engine.settings.idleTimeout)
        abandon()
    }

    /// Reads and discards the rest if it is short. The transfer receives no more events.
    func drain(announced: Int?) {
        transfer = nil
        guard handle != nil, end == nil else { return abandon() }
        guard announced.map({ $0 <= Exchange.drainLimit }) ?? true else { return abandon() }
        drainCheck = pool.thread.schedule(at: MonotonicClock.now() + Exchange.drainTime) { [weak self] in
            self?.abandon()
        }
    }

    /// Passes on received bytes, unless the transfer holds them back.
    func pump() {
        passOn()
        guard let transfer, !transfer.isHolding else { return }
        if message.asksForCertificate, end != nil {
            self.transfer = nil
            return transfer.inspected(certificateFault)
        }
        switch end {
        case .complete:
            self.transfer = nil
            transfer.finished()
        case .failed(let fault):
            self.transfer = nil
            transfer.failed(fault, self)
        case nil:
            guard isHeld, let handle else { return }
            isHeld = false
            pool.letGo(self)
            pool.resume(handle)
        }
    }

    /// The measurements; `nil` before the connection.
    func measurements() -> TransferMetrics? {
        if facts == nil, handle != nil { look() }
        return facts
    }

    /// Makes later requests wait for open connections, since no descriptors are left.
    func saveDescriptors() { pool.saveDescriptors() }

    // MARK: For the pool

    /// - Returns: `true` if libcurl has taken the request.
    func begin(_ multi: OpaquePointer, _ pool: ConnectionPool) -> Bool {
        // Safety: `free` releases the reference, once libcurl makes no more calls.
        let context = Unmanaged.passRetained(self)
        handle = message.withRequest(route, pool, engine.tls) { request in
            var calls = Exchange.calls
            return firn_curl_begin(multi, request, &calls, context.toOpaque())
        }
        if handle == nil { context.release() }
        return handle != nil
    }

    /// Ends an exchange that did not start.
    func fail() {
        end = .failed(TransportFault(.known(.noMemory)))
        pump()
    }

    func ended() {
        stopChecks()
        var fault = look()
        if fault == nil, !hasHead, !message.asksForCertificate { fault = TransportFault(.noResponse) }
        if message.asksForCertificate, let handle { certificateFault = CertificateInspection.reason(handle) }
        free()
        if let refusal {
            end = .failed(TransportFault(.known(refusal)))
        } else {
            end = fault.map { .failed($0) } ?? .complete
        }
        pump()
    }

    /// The bytes that libcurl buffers while the exchange is held: it reads on for the other streams of the connection.
    ///
    /// - Returns: `nil` if the connection carries no other streams, so nothing is read.
    func heldBytes() -> Int? {
        guard isHeld, let handle else { return nil }
        var result = firn_curl_result()
        firn_curl_look(handle, &result)
        guard result.version >= 20 else { return nil }
        return max(0, Int(clamping: result.bytes) - wireBytes)
    }

    /// Ends the request if the transfer can later continue with another one.
    func park() {
        guard let transfer, transfer.park() else { return }
        abandon()
    }

    func free() {
        guard let handle else { return }
        if isHeld { pool.letGo(self) }
        if facts == nil { look() }
        stopChecks()
        self.handle = nil
        firn_curl_free(handle)
        Unmanaged.passUnretained(self).release()
    }

    @discardableResult
    private func look() -> TransportFault? {
        guard let handle else { return nil }
        var result = firn_curl_result()
        firn_curl_look(handle, &result)
        if readyAt != nil {
            facts = TransferMetrics(result, openedAfter: openedAt.map { $0 - startedAt }, remoteText)
            isStream = result.version >= 20
            if result.version == 11, result.secured > 0 { pool.recordPlain(message.origin) }
        }
        return TransportFault(result)
    }

    private func stopChecks() {
        for check in [connectCheck, drainCheck].compactMap(\.self) { pool.thread.cancel(check) }
        (connectCheck, drainCheck) = (nil, nil)
    }

    // MARK: Calls of libcurl

    private static let calls = firn_curl_calls(
        connecting: { context, address in
            Exchange.of(context)?.connecting(NetworkAddress(address)).rawValue ?? Step.stop.rawValue
        },
        sending: { context, address in
            Exchange.of(context)?.sending(address.map { String(cString: $0) }).rawValue
                ?? Step.stop.rawValue
        },
        head: { context, bytes, count in
            guard let exchange = Exchange.of(context) else { return Step.stop.rawValue }
            return exchange.received(head: UnsafeRawBufferPointer(start: bytes, count: count)).rawValue
        },
        body: { context, bytes, count in
            guard let exchange = Exchange.of(context) else { return Step.stop.rawValue }
            return exchange.received(body: UnsafeRawBufferPointer(start: bytes, count: count)).rawValue
        })

    private enum Step: Int32 {
        case go = 0
        case pause = 1
        case stop = 2
    }

    private func connecting(_ address: NetworkAddress?) -> Step {
        if route.proxy == nil {
            guard let address else { return .stop }
            if let refusal = engine.refusal(of: address, within: limits) {
                self.refusal = refusal
                return .stop
            }
        }
        guard openedAt == nil else { return .go }
        let now = MonotonicClock.now()
        openedAt = now
        let patience = engine.settings.connectTimeout
        let limit = route.isQuick ? min(patience, .seconds(3)) : patience
        connectCheck = pool.thread.schedule(at: now.saturatingAdd(limit.nanoseconds)) { [weak self] in
            self?.connectingTookTooLong()
        }
        return .go
    }

    private func connectingTookTooLong() {
        connectCheck = nil
        guard let handle, readyAt == nil, end == nil else { return }
        var result = firn_curl_result()
        firn_curl_look(handle, &result)
        let isSecuring = result.connected > 0
        let kind: TransportFault.Kind =
            isSecuring ? (route.proxy == nil ? .handshakeTimeout : .proxyTimeout) : .connectTimeout
        end = .failed(TransportFault(kind))
        pool.drop(self)
        pump()
    }

    /// Handles an established connection.
    private func sending(_ text: String?) -> Step {
        stopChecks()
        let address = text.flatMap { NetworkAddress($0) }
        // The final check: the address of the actual peer, regardless of lookups.
        if route.proxy == nil, let refusal = address.flatMap({ engine.refusal(of: $0, within: limits) }) {
            self.refusal = refusal
            return .stop
        }
        // libcurl repeats a request lost with an old connection.
        if readyAt != nil { transfer?.recorder.metrics.attempts += 1 }
        readyAt = MonotonicClock.now()
        (remoteAddress, remoteText) = (address, text)
        transfer?.requestSent()
        return .go
    }

    private func received(head bytes: UnsafeRawBufferPointer) -> Step {
        guard transfer != nil || drainCheck != nil else { return .stop }
        do throws(DataLoadingError) {
            guard let response = try head.take(bytes) else { return .go }
            if response.endsConnection, let handle { firn_curl_close_connection(handle) }
            transfer?.received(response)
            return transfer != nil || drainCheck != nil ? .go : .stop
        } catch {
            refusal = error
            return .stop
        }
    }

    private func received(body bytes: UnsafeRawBufferPointer) -> Step {
        guard let transfer else {
            drained += bytes.count
            wireBytes += bytes.count
            return drainCheck != nil && drained <= Exchange.drainLimit ? .go : .stop
        }
        guard hasHead else {
            refusal = DataLoadingError(.other, "the response is not HTTP: its body comes before its head")
            return .stop
        }
        guard !transfer.isHolding else {
            isHeld = true
            // Otherwise nothing more is read from the connection.
            if heldBytes() != nil { pool.hold(self) }
            return .pause
        }
        wireBytes += bytes.count
        keep(bytes)
        return self.transfer == nil ? .stop : .go
    }

    /// Copies bytes, which are passed on in pieces.
    private func keep(_ bytes: UnsafeRawBufferPointer) {
        if piece.isEmpty {
            pool.note(self)
            // Fewer bytes are usually all that has arrived. The pieces of a slow body should not reserve more.
            let expected = bytes.count < Exchange.callSize ? 0 : transfer?.body.remaining ?? 0
            piece = Data(capacity: min(Exchange.pieceSize, max(bytes.count, expected)))
        }
        piece.append(contentsOf: bytes)
        if piece.count >= Exchange.pieceSize { passOn() }
    }

    private func passOn() {
        guard let transfer, !transfer.isHolding, !piece.isEmpty else { return }
        let whole = piece
        piece = Data()
        transfer.received(whole)
    }
}
