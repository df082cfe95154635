import FirnData

/// Collects the ``TransferMetrics`` of a running transfer from times and bytes.
struct TransferRecorder {
    private let start: Int64
    private var exchangeStart: Int64
    private var metrics = TransferMetrics()
    /// The exchange whose bytes are not counted yet.
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

    mutating func recordRepetition() { metrics.attempts += 1 }

    mutating func recordLookup(_ time: Duration?) { metrics.lookup = time }

    mutating func recordRequest(_ exchange: Exchange) {
        collect()
        self.exchange = exchange
    }

    mutating func recordResponse(now: Int64) { metrics.firstByte = .nanoseconds(now - exchangeStart) }

    mutating func recordDelivery(_ count: Int) { metrics.bytesDelivered += count }

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
        guard let facts = exchange.measurements() else { return }
        metrics.isConnectionReused = facts.isReused
        metrics.networkProtocol = facts.networkProtocol
        metrics.remoteAddress = facts.remoteAddress
        metrics.connect = facts.connect
        metrics.secure = facts.secure
    }
}
