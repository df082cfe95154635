import AsyncHTTPClient
import FirnData
import FirnSync
import FoundationEssentials
import NIOCore
import NIOHTTP1

/// One transfer, from the wait for a place to its end, over any number of redirects.
///
/// Invariant: `receive` is there until the end is delivered, and never after; so there is exactly one end.
final class Transfer: DataTransfer, @unchecked Sendable {
    /// Where a transfer stands that has not ended.
    private enum Place {
        /// Not begun, or paused before its turn came.
        case none
        case inLine(HostSlots<Origin, Transfer>.Ticket)
        case taken
        /// Given up by a pause; the connection stays.
        case lent
    }

    private let connections: Connections
    private var eventLoop: any EventLoop { connections.eventLoop }

    // Safety: everything from here on is touched on `eventLoop` only.
    private var receive: (@Sendable (DataEvent) -> Void)?
    private var request: DataRequest
    /// The address of `request`, read once, without what is not sent.
    private var url: URL?
    /// Ways to the host that are still to be tried.
    private var ways: ArraySlice<ClientKey> = []
    /// How often a request was lost with a connection that its server had given up.
    private var lostRequests = 0
    private var tally: TransferTally
    private let measured = InlineLock()
    // Safety: touched while `measured` is held.
    private nonisolated(unsafe) var result: TransferMetrics?
    private var place = Place.none
    private var origin: Origin?
    private var exchange: Exchange?
    private var trail: RedirectTrail
    private var body: BodyMeter
    private var hasAnswer = false
    private var hasUserInfo = false
    private var isPaused = false
    /// What holds the sender back while paused.
    private var resumption: EventLoopPromise<Void>?
    private var idle: IdleWatch
    private var idleCheck: Scheduled<Void>?
    private var totalCheck: Scheduled<Void>?

    init(_ request: DataRequest, _ connections: Connections, _ receive: @escaping @Sendable (DataEvent) -> Void) {
        self.request = request
        self.connections = connections
        self.receive = receive
        let settings = connections.settings
        trail = connections.redirects
        body = BodyMeter(limit: settings.bodyLimit)
        idle = IdleWatch(limit: (settings.firstByteTimeout ?? settings.idleTimeout).timeAmount)
        tally = TransferTally(now: .now())
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

    private func onLoop(_ body: @escaping @Sendable () -> Void) {
        if eventLoop.inEventLoop { body() } else { eventLoop.execute(body) }
    }

    // MARK: A place

    private func begin() {
        guard receive != nil else { return }
        guard let origin = takeAddress() else {
            return end(DataLoadingError(.badAddress, "not an absolute http or https address"))
        }
        self.origin = origin
        if let limit = connections.settings.timeLimit {
            totalCheck = eventLoop.scheduleTask(in: limit.timeAmount) {
                self.end(DataLoadingError(.timeout, "not finished within \(limit)"))
            }
        }
        if !isPaused { joinLine(origin) }
    }

    private func joinLine(_ origin: Origin) {
        if let ticket = connections.slots.enter(origin, self) {
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
        guard receive != nil, case .inLine = place else { return connections.leave(origin) }
        place = .taken
        send()
    }

    private func leavePlace() {
        guard let origin else { return }
        switch place {
        case .inLine(let ticket): connections.slots.withdraw(ticket, from: origin)
        case .taken: connections.leave(origin)
        case .none, .lent: break
        }
        place = .none
    }

    // MARK: An exchange

    /// Reads the address of `request`.
    private func takeAddress() -> Origin? {
        guard let address = RequestAddress(request.url, isPlain: connections.router.isPlain) else { return nil }
        url = address.url
        if let credentials = address.credentials, request.headers["Authorization"] == nil {
            request.headers["Authorization"] = credentials
        }
        hasUserInfo = address.credentials != nil
        return address.origin
    }

    private func send(isRedirect: Bool = false) {
        guard let origin = url.flatMap({ Origin($0) }) else { return failed(HTTPClientError.invalidURL) }
        tally.begins(isRedirect: isRedirect, now: .now())
        connections.router.route(to: origin, hasUserInfo: hasUserInfo) { answer in
            guard self.receive != nil else { return }
            switch answer {
            case .success(let route):
                self.tally.found(in: route.lookup)
                self.ways = route.keys[...]
                self.sendNextWay()
            case .failure(let error): self.end(error)
            }
        }
    }

    private func sendNextWay() {
        do {
            guard let url, let key = ways.popFirst() else { throw HTTPClientError.invalidURL }
            let exchange = Exchange(self, key, try connections.client(key), connections.book)
            let message = try HTTPClient.Request(request, url)
            tally.sends(exchange)
            // Order: known before it starts, because it may fail at once.
            self.exchange = exchange
            exchange.start(message, on: eventLoop)
        } catch {
            failed(error)
        }
    }

    /// Sends a request again that was lost with a connection which its server had given up: at once, since nobody has seen it.
    ///
    /// - Returns: whether it was.
    private func sendLostAgain(_ exchange: Exchange, _ error: any Error) -> Bool {
        guard !exchange.hasHead, LostRequest.isLost(error, wasSent: exchange.connection != nil, exchange.isReused),
            LostRequest.mayRepeat(request.method), lostRequests < LostRequest.limit
        else { return false }
        lostRequests += 1
        stopIdle()
        tally.begins(isRedirect: false, now: .now())
        ways = [exchange.key] + ways
        sendNextWay()
        return true
    }

    func requestSent() {
        guard receive != nil, !isPaused else { return }
        watchIdle()
    }

    func received(_ head: HTTPResponseHead) -> EventLoopFuture<Void>? {
        tally.answered(now: .now())
        if let key = exchange?.key { connections.router.worked(key) }
        if connections.settings.firstByteTimeout != nil { idle.limit = connections.settings.idleTimeout.timeAmount }
        touchIdle()
        let headers = HTTPFields(head.headers)
        let verdict = AnswerPolicy.judge(
            status: Int(head.status.code), reason: head.status.reasonPhrase, headers: headers, request: request,
            trail: &trail, sizeLimit: body.limit, connections.allowance,
            now: Duration.sinceEpoch().components.seconds)
        switch verdict {
        case .deliver(let response):
            hasAnswer = true
            body.expected = response.expectedLength
            receive?(.response(response))
            return backPressure()
        case .follow(let next):
            leaveExchange(headers)
            request = next
            guard takeAddress() != nil else {
                end(DataLoadingError(.redirect, "the server redirects to what is not an http or https address"))
                return nil
            }
            send(isRedirect: true)
        case .fail(let error):
            if case .status = error.cause { leaveExchange(headers) }
            end(error)
        }
        return nil
    }

    func received(_ bytes: ByteBuffer) -> EventLoopFuture<Void>? {
        touchIdle()
        let count = bytes.readableBytes
        guard count > 0 else { return nil }
        if let error = body.take(count) {
            end(error)
            return nil
        }
        tally.delivered(count)
        receive?(.chunk(Data(sharing: bytes)))
        return backPressure()
    }

    func finished() {
        exchange = nil
        end(body.end())
    }

    func failed(_ error: any Error) {
        let exchange = exchange
        self.exchange = nil
        if let exchange, sendLostAgain(exchange, error) { return }
        // Another address of the host may answer. One that was connected to has been the right one.
        if let exchange, exchange.connection == nil, !ways.isEmpty, LostRequest.isNoConnection(error) {
            return sendNextWay()
        }
        // After a redirect it is not `origin` that was talked to.
        let sent = url.flatMap { Origin($0) }
        let place = sent.map { "\($0.host):\($0.port)" } ?? "the server"
        if let sent, let key = exchange?.key, key.proxy == nil, CertificateInspection.isWorthwhile(error) {
            CertificateInspection.reason(host: sent.host, address: key.address, port: sent.port, on: eventLoop)
                .whenSuccess { self.end(.unbelieved(place, $0)) }
            return
        }
        end(DataLoadingError(transport: error, place: place, hasAnswer: hasAnswer, body: body))
    }

    private func leaveExchange(_ headers: HTTPFields) {
        exchange?.drain(announced: AnswerPolicy.bodyLength(headers, method: request.method))
        exchange = nil
        stopIdle()
    }

    // MARK: Back-pressure

    /// `nil`: send on. Otherwise the sender is held back until the future is there.
    private func backPressure() -> EventLoopFuture<Void>? {
        guard isPaused, receive != nil else { return nil }
        let promise = eventLoop.makePromise(of: Void.self)
        resumption = promise
        return promise.futureResult
    }

    private func holdBack() {
        guard receive != nil, !isPaused else { return }
        isPaused = true
        stopIdle()
        let hadPlace = if case .taken = place { true } else { false }
        leavePlace()
        if hadPlace { place = .lent }
    }

    private func goOn() {
        guard receive != nil, isPaused else { return }
        isPaused = false
        if case .lent = place, let origin {
            connections.slots.reenter(origin)
            place = .taken
            watchIdle()
        } else if let origin {
            joinLine(origin)
        }
        release()
    }

    private func release() {
        let promise = resumption
        resumption = nil
        promise?.succeed(())
    }

    // MARK: Idle time

    private func touchIdle() {
        if idle.isCounting { idle.touch(.now()) }
    }

    private func watchIdle() {
        idle.touch(.now())
        if idleCheck == nil { checkIdle() }
    }

    private func stopIdle() {
        idle.stop()
        idleCheck?.cancel()
        idleCheck = nil
    }

    /// One timer a transfer, set again when it fires too early: cheaper than one for each chunk.
    private func checkIdle() {
        guard let left = idle.remaining(.now()) else { return }
        guard left > .zero else {
            let settings = connections.settings
            let limit = hasAnswer ? settings.idleTimeout : settings.firstByteTimeout ?? settings.idleTimeout
            let message = hasAnswer ? "nothing received for \(limit)" : "no answer within \(limit)"
            return end(DataLoadingError(.timeout, message))
        }
        idleCheck = eventLoop.scheduleTask(in: left) { self.checkIdle() }
    }

    // MARK: The end

    private func end(_ error: DataLoadingError?) {
        guard let receive else { return }
        self.receive = nil
        stopIdle()
        totalCheck?.cancel()
        exchange?.abandon()
        exchange = nil
        leavePlace()
        release()
        let metrics = tally.result(now: .now())
        measured.withLock { result = metrics }
        receive(.end(error))
    }
}
