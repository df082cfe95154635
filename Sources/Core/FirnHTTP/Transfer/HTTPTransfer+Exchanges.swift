import FirnSync

// Sends requests one at a time, until a response is delivered or no further attempt is possible.
extension HTTPTransfer {
    func takeAddress() -> Origin? {
        guard let address = RequestAddress(request.url) else { return nil }
        self.address = address
        if let credentials = address.credentials, request.headers["Authorization"] == nil {
            request.headers["Authorization"] = credentials
        }
        return address.origin
    }

    func send(isRedirect: Bool = false) {
        guard let target else { return end(.notAnAddress) }
        recorder.beginExchange(isRedirect: isRedirect, now: MonotonicClock.now())
        engine.router.route(to: target, hasUserInfo: address?.credentials != nil, within: limits) { found in
            guard self.receive != nil else { return }
            switch found {
            case .success(let found):
                self.recorder.metrics.lookup = found.lookup
                self.routes = found.routes[...]
                self.sendOverNextRoute()
            case .failure(let error): self.end(error)
            }
        }
    }

    func sendOverNextRoute() {
        guard let address, let route = routes.popFirst() else { return end(.notAnAddress) }
        do throws(DataLoadingError) {
            let message = try ExchangeMessage(request, address, engine.settings)
            let exchange = Exchange(self, message, route, limits)
            recorder.recordRequest(exchange)
            // Order: set before it starts, because it may fail at once.
            self.exchange = exchange
            exchange.start()
        } catch {
            end(error)
        }
    }

    /// Repeats a request at once if its server closed the connection or went silent, provided that the method allows it
    /// (RFC 9110 §9.2.2).
    ///
    /// - Returns: whether it was repeated.
    func sendLostAgain(_ exchange: Exchange) -> Bool {
        guard exchange.mayRepeat, lostRequests < HTTPTransfer.lostRequestLimit else { return false }
        lostRequests += 1
        stopWatching()
        recorder.beginExchange(isRedirect: false, now: MonotonicClock.now())
        routes = [exchange.route] + routes
        sendOverNextRoute()
        return true
    }

    /// Maximum number of repetitions: a pool has no more connections of the same age.
    private static let lostRequestLimit = 3

    /// The maximum number of times that a request waits for a connection to close.
    private static let shortageLimit = 8

    func requestSent() {
        guard receive != nil, !isPaused else { return }
        watchIdle()
    }

    func received(_ head: HeadSequence.Head) {
        recorder.recordResponse(now: MonotonicClock.now())
        if let target, let address = exchange?.remoteAddress, exchange?.route.proxy == nil {
            engine.router.recordSuccess(of: address, at: target.host)
        }
        touchIdle()
        // In a tunnel, the status is the server's.
        if head.status == 407, target?.scheme == "http", let proxy = exchange?.route.proxy, proxy.kind.isHTTP,
            !engine.settings.acceptsAnyStatus
        {
            return end(TransportFault(.proxy(status: 407)), through: proxy)
        }
        if engine.settings.firstByteTimeout != nil {
            idle.limit = engine.settings.idleTimeout.nanoseconds
            // The new limit may be shorter.
            if idle.isCounting { engine.idleChecks.watch(self) }
        }
        let headers = head.headers
        let verdict = ResponsePolicy.judge(
            status: head.status, reason: head.reason, headers: headers, request: request,
            chain: &chain, sizeLimit: body.limit, engine.settings)
        switch verdict {
        case .deliver(let response):
            if let parked { return goOn(response, parked) }
            delivered = response
            body.expected = response.expectedLength
            beginBody(headers)
            receive?(.response(response))
        case .follow(let next):
            limits.redirected(by: sender)
            leaveExchange(headers)
            request = next
            guard takeAddress() != nil else {
                return end(
                    DataLoadingError(.redirect, "the server redirects to what is not an http or https address"))
            }
            send(isRedirect: true)
        case .settle(let response):
            leaveExchange(headers)
            delivered = response
            receive?(.response(response))
            end(nil)
        case .fail(let error):
            if case .status = error.cause { leaveExchange(headers) }
            end(error)
        }
    }

    /// The address of the responding server; `nil` if a proxy looked it up and the request's address is not numeric.
    private var sender: NetworkAddress? {
        if let exchange, exchange.route.proxy == nil { return exchange.remoteAddress }
        return exchange?.route.address ?? target.flatMap { NetworkAddress($0.host) }
    }

    func failed(_ fault: TransportFault, _ exchange: Exchange) {
        self.exchange = nil
        if fault.isLost, sendLostAgain(exchange) { return }
        if fault.kind == .noDescriptor, descriptorShortages < HTTPTransfer.shortageLimit {
            descriptorShortages += 1
            exchange.saveDescriptors()
            routes = [exchange.route] + routes
            return sendOverNextRoute()
        }
        // Tries another address of the host, unless this one accepted a connection.
        if !exchange.wasSent, !routes.isEmpty, fault.isNoConnection { return sendOverNextRoute() }
        if exchange.route.proxy == nil, CertificateInspection.isWorthwhile(fault.kind) {
            return inspect(fault, exchange.route)
        }
        end(fault, through: exchange.route.proxy)
    }

    private func end(_ fault: TransportFault, through proxy: ProxyAddress? = nil) {
        let place = target.map { "\($0.host):\($0.port)" } ?? "the server"
        end(fault.error(place: place, proxy: proxy, hasResponse: hasResponse, body: body))
    }

    /// Connects for the certificate once more, to find out why it is invalid.
    private func inspect(_ fault: TransportFault, _ route: Route) {
        var route = route
        route.isQuick = true
        guard let address,
            let message = try? ExchangeMessage(request, address, engine.settings, asksForCertificate: true)
        else { return end(fault) }
        certificateFault = fault
        let exchange = Exchange(self, message, route, limits)
        self.exchange = exchange
        exchange.start()
    }

    func inspected(_ reason: String?) {
        exchange = nil
        guard let certificateFault else { return }
        guard let reason, let target else { return end(certificateFault) }
        end(TransportFault.untrustedCertificate("\(target.host):\(target.port)", reason))
    }

    func leaveExchange(_ headers: HTTPHeaderFields) {
        exchange?.drain(announced: ResponsePolicy.bodyLength(headers, method: request.method))
        exchange = nil
        stopWatching()
    }
}
