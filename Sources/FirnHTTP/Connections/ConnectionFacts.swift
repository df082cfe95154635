import NIOCore

/// What is known of a connection. Touched on the loader's event loop only.
final class ConnectionFacts {
    /// When it was ready for requests.
    let readyAt: NIODeadline
    let remoteAddress: String?
    let networkProtocol: String
    let isSecure: Bool
    /// How long a packet takes there and back, as the system has measured it: what making a TCP connection takes.
    var roundTrip: Duration?
    /// How many requests it has carried.
    var uses = 0

    init(_ channel: any Channel, networkProtocol: String, isSecure: Bool) {
        readyAt = .now()
        remoteAddress = channel.remoteAddress?.ipAddress
        self.networkProtocol = networkProtocol
        self.isSecure = isSecure
    }
}
