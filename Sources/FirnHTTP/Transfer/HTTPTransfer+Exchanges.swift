import AsyncHTTPClient
import FirnData
import FoundationEssentials
import NIOCore
import NIOHTTP1

// Sends one request after the other, until a response is delivered or no further attempt is possible.
extension HTTPTransfer {
    /// Reads the address of `request`.
    func takeAddress() -> Origin? {
        guard let address = RequestAddress(request.url) else { return nil }
        url = address.url
        target = address.origin
        if let credentials = address.credentials, request.headers["Authorization"] == nil {
            request.headers["Authorization"] = credentials
        }
        hasUserInfo = address.credentials != nil
        return address.origin
    }

    func send(isRedirect: Bool = false) {
        guard let target else { return failed(HTTPClientError.invalidURL) }
        recorder.beginExchange(isRedirect: isRedirect, now: .now())
        engine.router.route(to: target, hasUserInfo: hasUserInfo, within: limits) { found in
            guard self.receive != nil else { return }
            switch found {
            case .success(let route):
                self.recorder.recordLookup(route.lookup)
                self.routes = route.keys[...]
                self.sendOverNextRoute()
            case .failure(let error): self.end(error)
            }
        }
    }

    func sendOverNextRoute() {
        do {
            guard let url, let key = routes.popFirst() else { throw HTTPClientError.invalidURL }
            let exchange = Exchange(self, key, limits, try engine.client(key), engine.registry)
            let message = try HTTPClient.Request(request, url, decompresses: engine.settings.decompresses)
            recorder.recordRequest(exchange)
            // Order: set before it starts, because it may fail at once.
            self.exchange = exchange
            exchange.start(message, on: eventLoop)
        } catch {
            failed(error)
        }
    }

    /// Sends a request again that was lost with a connection that its server closed. Sends it at once, since the
    /// server has not processed it.
    ///
    /// - Returns: whether it was sent again.
    func sendLostAgain(_ exchange: Exchange, _ error: any Error) -> Bool {
        guard !exchange.hasHead, LostRequest.isLost(error, wasSent: exchange.connection != nil, exchange.isReused),
            LostRequest.mayRepeat(request.method), lostRequests < LostRequest.limit
        else { return false }
        lostRequests += 1
        stopWatching()
        recorder.beginExchange(isRedirect: false, now: .now())
        routes = [exchange.key] + routes
        sendOverNextRoute()
        return true
    }

    func requestSent() {
        guard receive != nil, !isPaused else { return }
        watchIdle()
    }

    func received(_ head: HTTPResponseHead) -> EventLoopFuture<Void>? {
        recorder.recordResponse(now: .now())
        if let key = exchange?.key { engine.router.recordSuccess(of: key) }
        touchIdle()
        if engine.settings.firstByteTimeout != nil {
            idle.limit = engine.settings.idleTimeout.timeAmount
            // The new limit may be shorter.
            if idle.isCounting { engine.idleChecks.watch(self) }
        }
        let headers = HTTPHeaderFields(head.headers)
        let verdict = ResponsePolicy.judge(
            status: Int(head.status.code), reason: head.status.reasonPhrase, headers: headers, request: request,
            chain: &chain, sizeLimit: body.limit, engine.allowance,
            now: Duration.sinceEpoch().components.seconds)
        switch verdict {
        case .deliver(let response):
            hasResponse = true
            body.expected = response.expectedLength
            beginBody(headers)
            receive?(.response(response))
            return backPressure()
        case .follow(let next):
            limits.redirected(by: sender)
            leaveExchange(headers)
            request = next
            guard takeAddress() != nil else {
                end(DataLoadingError(.redirect, "the server redirects to what is not an http or https address"))
                return nil
            }
            send(isRedirect: true)
        case .settle(let response):
            leaveExchange(headers)
            hasResponse = true
            receive?(.response(response))
            end(nil)
        case .fail(let error):
            if case .status = error.cause { leaveExchange(headers) }
            end(error)
        }
        return nil
    }

    /// The address of the responding server; `nil` behind a proxy, unless the request's own address contains it.
    private var sender: NetworkAddress? {
        if let exchange, exchange.key.proxy == nil {
            return exchange.connection?.remoteAddress.flatMap { NetworkAddress($0) }
        }
        return target.flatMap { NetworkAddress($0.host) }
    }

    func failed(_ error: any Error) {
        let exchange = exchange
        self.exchange = nil
        if let exchange, sendLostAgain(exchange, error) { return }
        // Another address of the host may respond, unless this one accepted a connection.
        if let exchange, exchange.connection == nil, !routes.isEmpty, LostRequest.isNoConnection(error) {
            return sendOverNextRoute()
        }
        let place = target.map { "\($0.host):\($0.port)" } ?? "the server"
        if let target, let key = exchange?.key, key.proxy == nil, CertificateInspection.isWorthwhile(error) {
            CertificateInspection.reason(host: target.host, address: key.address, port: target.port, on: eventLoop)
                .whenSuccess { self.end(.untrustedCertificate(place, $0)) }
            return
        }
        end(DataLoadingError(transport: error, place: place, hasResponse: hasResponse, body: body))
    }

    func leaveExchange(_ headers: HTTPHeaderFields) {
        exchange?.drain(announced: ResponsePolicy.bodyLength(headers, method: request.method))
        exchange = nil
        stopWatching()
    }
}
