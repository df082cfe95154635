import AsyncHTTPClient
import FirnData
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
    /// The address of `request`, read once.
    private var url: URL?
    private var place = Place.none
    private var origin: Origin?
    private var exchange: Exchange?
    private var trail: RedirectTrail
    private var body: BodyMeter
    private var hasAnswer = false
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
        let configuration = connections.configuration
        trail = RedirectTrail(limit: configuration.redirectLimit)
        body = BodyMeter(limit: configuration.sizeLimit)
        idle = IdleWatch(limit: configuration.idleTimeout.timeAmount)
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

    private func onLoop(_ body: @escaping @Sendable () -> Void) {
        if eventLoop.inEventLoop { body() } else { eventLoop.execute(body) }
    }

    // MARK: A place

    private func begin() {
        guard receive != nil else { return }
        guard let url = URL(string: request.url), let origin = Origin(url) else {
            return end(DataLoadingError(.badAddress, "not an absolute http or https address"))
        }
        self.url = url
        self.origin = origin
        if let limit = connections.configuration.totalTimeout {
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

    private func send() {
        do {
            let exchange = Exchange(self)
            guard let url else { throw HTTPClientError.invalidURL }
            let message = try HTTPClient.Request(request, url)
            // Order: known before it starts, because it may fail at once.
            self.exchange = exchange
            exchange.start(message, connections)
        } catch {
            failed(error)
        }
    }

    func requestSent() {
        guard receive != nil, !isPaused else { return }
        watchIdle()
    }

    func received(_ head: HTTPResponseHead) -> EventLoopFuture<Void>? {
        touchIdle()
        let headers = HTTPFields(head.headers)
        let verdict = AnswerPolicy.judge(
            status: Int(head.status.code), reason: head.status.reasonPhrase, headers: headers, request: request,
            trail: &trail, sizeLimit: body.limit, connections.configuration.allowance)
        switch verdict {
        case .deliver(let response):
            hasAnswer = true
            body.expected = response.expectedLength
            receive?(.response(response))
            return backPressure()
        case .follow(let next):
            leaveExchange(headers)
            request = next
            url = URL(string: next.url)
            send()
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
        receive?(.chunk(Data(sharing: bytes)))
        return backPressure()
    }

    func finished() {
        exchange = nil
        end(body.end())
    }

    func failed(_ error: any Error) {
        exchange = nil
        // After a redirect it is not `origin` that was talked to.
        let place = url.flatMap { Origin($0) }.map { "\($0.host):\($0.port)" } ?? "the server"
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
            let limit = connections.configuration.idleTimeout
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
        receive(.end(error))
    }
}
