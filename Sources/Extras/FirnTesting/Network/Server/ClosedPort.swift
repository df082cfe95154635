/// A port of 127.0.0.1 that refuses connections while this object lives. No other process can take it meanwhile.
public final class ClosedPort: Sendable {
    private let socket: LoopbackSocket

    /// The port.
    public var port: Int { socket.port }

    /// Takes a port.
    ///
    /// - Throws: ``SocketError`` if the system provides no socket or port.
    public init() throws(SocketError) { socket = try LoopbackSocket(isListening: false) }
}
