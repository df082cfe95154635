import FirnData
import NIOCore

/// Collects the ``TransferMetrics`` of a running transfer from times and bytes.
struct TransferRecorder {
    private let start: NIODeadline
    private var exchangeStart: NIODeadline
    private var metrics = TransferMetrics()
    /// The exchange whose bytes are not counted yet.
    private var exchange: Exchange?

    init(now: NIODeadline) {
        start = now
        exchangeStart = now
    }

    /// Starts an exchange, before its route is chosen.
    mutating func beginExchange(isRedirect: Bool, now: NIODeadline) {
        collect()
        exchangeStart = now
        if isRedirect { metrics.redirects += 1 } else { metrics.attempts += 1 }
        metrics.lookup = nil
        metrics.connect = nil
        metrics.secure = nil
        metrics.firstByte = nil
        metrics.isConnectionReused = false
        metrics.networkProtocol = nil
        metrics.remoteAddress = nil
    }

    mutating func recordLookup(_ time: Duration?) { metrics.lookup = time }

    mutating func recordRequest(_ exchange: Exchange) {
        collect()
        self.exchange = exchange
    }

    mutating func recordResponse(now: NIODeadline) { metrics.firstByte = (now - exchangeStart).duration }

    mutating func recordDelivery(_ count: Int) { metrics.bytesDelivered += count }

    mutating func result(now: NIODeadline) -> TransferMetrics {
        collect()
        metrics.total = (now - start).duration
        return metrics
    }

    /// Adds the measurements of the exchange.
    private mutating func collect() {
        guard let exchange else { return }
        self.exchange = nil
        metrics.bytesReceived += exchange.wireBytes
        guard let connection = exchange.connection else { return }
        metrics.isConnectionReused = exchange.isReused
        metrics.networkProtocol = connection.networkProtocol
        metrics.remoteAddress = connection.remoteAddress
        guard !exchange.isReused, connection.readyAt > exchange.startedAt else { return }
        let whole = (connection.readyAt - exchange.startedAt).duration
        guard connection.isSecure, let roundTrip = connection.roundTrip else {
            metrics.connect = connection.isSecure ? nil : whole
            metrics.secure = connection.isSecure ? whole : nil
            return
        }
        metrics.connect = min(roundTrip, whole)
        metrics.secure = max(.zero, whole - roundTrip)
    }
}
