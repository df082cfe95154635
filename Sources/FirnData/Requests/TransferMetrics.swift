/// Metrics in the size of a reference.
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
/// Times are of the last exchange of a transfer that was redirected or tried again, but for ``total``; what was not needed
/// (no look-up on a connection that is used again) or cannot be told is `nil`.
public struct TransferMetrics: Hashable, Sendable {
    /// Looking the host's name up. `nil` also where the HTTP client does it as part of connecting.
    public var lookup: Duration?
    /// Making the connection: TCP.
    public var connect: Duration?
    /// Making it secure: TLS. What connecting took beyond one round trip, as the system measured it.
    public var secure: Duration?
    /// From the request's start to the first byte of the answer: look-up, connection and server together.
    public var firstByte: Duration?
    /// From the transfer's start to its end, its wait for a place, redirects and further tries included.
    public var total = Duration.zero
    /// Bytes of bodies as they came over the line, before decompression; redirects and failed tries included.
    public var bytesReceived = 0
    /// Bytes that the receiver was given.
    public var bytesDelivered = 0
    /// Whether the connection had been used before.
    public var isConnectionReused = false
    /// `HTTP/1.1`, `HTTP/2`.
    public var networkProtocol: String?
    /// The address at the other end of the connection.
    public var remoteAddress: String?
    /// How many redirects were followed.
    public var redirects = 0
    /// How many requests were sent for it, redirects apart: more than 1 if some failed.
    public var attempts = 0

    /// Nothing known.
    public init() {}

    /// How long it took, if it brought less than 1 KiB a second; otherwise zero.
    package var stalled: Duration {
        let seconds = total.components.seconds
        return Int64(bytesReceived) / 1024 < max(1, seconds) ? total : .zero
    }

    /// Adds what an earlier part of the same transfer took: time under way, bytes, redirects, attempts.
    package mutating func addEarlier(_ other: TransferMetrics) {
        total += other.total
        bytesReceived += other.bytesReceived
        bytesDelivered += other.bytesDelivered
        redirects += other.redirects
        attempts += other.attempts
    }
}
