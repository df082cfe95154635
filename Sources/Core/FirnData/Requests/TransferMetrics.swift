/// Metrics in one reference.
package indirect enum MeasuredTransfer: Hashable, Sendable {
    case of(TransferMetrics)

    package var metrics: TransferMetrics {
        switch self {
        case .of(let metrics): metrics
        }
    }
}

/// The times and bytes of a transfer.
///
/// Except for ``total``, the times are those of the last exchange if the transfer was redirected or retried. A phase is
/// `nil` if it was not needed (no lookup on a reused connection) or cannot be measured.
public struct TransferMetrics: Hashable, Sendable {
    /// The lookup of the host's name; `nil` if a proxy does it.
    public var lookup: Duration?
    /// The TCP connection.
    public var connect: Duration?
    /// The TLS handshake.
    public var secure: Duration?
    /// From the start of the request to the first byte of the response: lookup, connection and server together.
    public var firstByte: Duration?
    /// From the start to the end of the transfer, including the wait for a slot, redirects and retries.
    public var total = Duration.zero
    /// Body bytes on the wire, before decompression, including redirects and failed attempts.
    public var bytesReceived = 0
    /// Bytes delivered to the receiver.
    public var bytesDelivered = 0
    /// True if the connection had been used before.
    public var isConnectionReused = false
    /// The protocol: `HTTP/1.1` or `HTTP/2`.
    public var networkProtocol: String?
    /// The IP address of the peer.
    public var remoteAddress: String?
    /// The number of redirects followed.
    public var redirects = 0
    /// The number of requests sent, without redirects: more than 1 after failures.
    public var attempts = 0

    /// Creates empty metrics.
    public init() {}

    /// The total time if fewer than 1 KiB a second arrived, otherwise zero.
    package var stalled: Duration {
        let seconds = total.components.seconds
        return Int64(bytesReceived) / 1024 < max(1, seconds) ? total : .zero
    }

    /// Adds an earlier part of the same transfer: time, bytes, redirects, attempts.
    package mutating func addEarlier(_ other: TransferMetrics) {
        total += other.total
        bytesReceived += other.bytesReceived
        bytesDelivered += other.bytesDelivered
        redirects += other.redirects
        attempts += other.attempts
    }
}
