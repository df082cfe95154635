import CFirnCurl

/// Collects the ``TransferMetrics`` of a running transfer from times and bytes.
struct TransferRecorder {
    private let start: Int64
    private var exchangeStart: Int64
    var metrics = TransferMetrics()
    /// The exchange whose bytes are not yet counted.
    private var exchange: Exchange?

    init(now: Int64) {
        start = now
        exchangeStart = now
    }

    /// Starts an exchange, before its route is chosen.
    mutating func beginExchange(isRedirect: Bool, now: Int64) {
        collect()
        exchangeStart = now
        var next = TransferMetrics()
        next.addEarlier(metrics)
        metrics = next
        if isRedirect { metrics.redirects += 1 } else { metrics.attempts += 1 }
    }

    mutating func recordRequest(_ exchange: Exchange) {
        collect()
        self.exchange = exchange
    }

    mutating func recordResponse(now: Int64) { metrics.firstByte = .nanoseconds(now - exchangeStart) }

    mutating func result(now: Int64) -> TransferMetrics {
        collect()
        metrics.total = .nanoseconds(now - start)
        return metrics
    }

    /// Adds the measurements of the exchange.
    private mutating func collect() {
        guard let exchange else { return }
        self.exchange = nil
        metrics.bytesReceived += exchange.wireBytes
        guard var facts = exchange.measurements() else { return }
        facts.addEarlier(metrics)
        (facts.lookup, facts.firstByte) = (metrics.lookup, metrics.firstByte)
        metrics = facts
    }
}

extension TransferMetrics {
    /// The measurements of an exchange.
    ///
    /// - Parameter opening: when the connection was started, in nanoseconds since the start; `nil` for a reused one.
    ///   libcurl counts from the start, including the wait for a connection.
    init(_ result: firn_curl_result, openedAfter opening: Int64?, _ remoteAddress: String?) {
        self.init()
        isConnectionReused = opening == nil
        self.remoteAddress = remoteAddress
        switch result.version {
        case 10, 11: networkProtocol = "HTTP/1.1"
        case 20: networkProtocol = "HTTP/2"
        case 30: networkProtocol = "HTTP/3"
        default: break
        }
        guard let opening, result.connected > 0 else { return }
        connect = max(.zero, .microseconds(result.connected) - .nanoseconds(opening))
        if result.secured > 0 { secure = max(.zero, .microseconds(result.secured - result.connected)) }
    }
}
