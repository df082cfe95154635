import NIOCore

/// The properties of a connection. Used on the loader's event loop only.
final class ConnectionFacts {
    /// When it became ready for requests.
    let readyAt: NIODeadline
    let remoteAddress: String?
    let networkProtocol: String
    let isSecure: Bool
    /// The round trip as measured by the system: the time to establish a TCP connection.
    var roundTrip: Duration?
    /// The number of requests sent over it.
    var uses = 0

    init(_ channel: any Channel, networkProtocol: String, isSecure: Bool) {
        readyAt = .now()
        remoteAddress = channel.remoteAddress?.ipAddress
        self.networkProtocol = networkProtocol
        self.isSecure = isSecure
    }
}
