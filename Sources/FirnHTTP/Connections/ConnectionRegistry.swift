import FirnData
import FirnSystem
import NIOCore
import NIOHTTP1
import NIOHTTP2

/// The connections of a loader's clients, and the listeners of requests. Checks each connection before its first
/// request.
///
/// A request carries its listener's ticket in a header field, which ``ConnectionHandler`` removes: the HTTP client does
/// not report the connection of a request.
///
/// Safety: `eventLoop` guards all mutable state: only calls on that loop read or change it.
final class ConnectionRegistry: @unchecked Sendable {
    static let field = "firn-ticket"

    private let eventLoop: any EventLoop
    /// Returns why an address is forbidden; `nil` if it is allowed.
    private let refusal: @Sendable (NetworkAddress) -> DataLoadingError?

    // Safety: used on `eventLoop` only.
    private var listeners: [String: any ConnectionListener] = [:]
    private var lastTicket: UInt64 = 0
    private var shared: [ObjectIdentifier: ConnectionFacts] = [:]

    init(_ eventLoop: any EventLoop, refusal: @escaping @Sendable (NetworkAddress) -> DataLoadingError?) {
        self.eventLoop = eventLoop
        self.refusal = refusal
    }

    /// Registers a listener and returns the ticket for its request.
    func register(_ listener: any ConnectionListener) -> String {
        lastTicket &+= 1
        let ticket = String(lastTicket)
        listeners[ticket] = listener
        return ticket
    }

    /// Returns and removes the listener of a ticket; `nil` on a connection of another event loop, where nothing is
    /// measured.
    func claim(_ ticket: String) -> (any ConnectionListener)? {
        eventLoop.inEventLoop ? listeners.removeValue(forKey: ticket) : nil
    }

    /// Removes the listener of a request that ended, possibly unsent.
    func unregister(_ ticket: String) { listeners[ticket] = nil }

    // MARK: Connections

    /// Prepares a new HTTP/1.1 connection.
    ///
    /// - Parameter isDirect: whether the peer is the server, not a proxy.
    func prepare(http1 channel: any Channel, isDirect: Bool) -> EventLoopFuture<Void> {
        inspect(channel, "HTTP/1.1", isDirect) { facts in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            let headCheck = ResponseHeadCheck()
            try pipeline.addHandler(headCheck, position: .before(decoder))
            try pipeline.addHandler(ConnectionHandler(facts, self, headCheck), position: .after(decoder))
        }
    }

    /// Prepares a new HTTP/2 connection.
    func prepare(http2 channel: any Channel, isDirect: Bool) -> EventLoopFuture<Void> {
        inspect(channel, "HTTP/2", isDirect) { facts in
            guard self.eventLoop.inEventLoop else { return }
            let name = ObjectIdentifier(channel)
            self.shared[name] = facts
            channel.closeFuture.whenComplete { _ in self.shared[name] = nil }
        }
    }

    /// Prepares the stream of a request on an HTTP/2 connection.
    func prepare(stream channel: any Channel) -> EventLoopFuture<Void> {
        let known = eventLoop.inEventLoop ? channel.parent.flatMap { shared[ObjectIdentifier($0)] } : nil
        let facts = known ?? ConnectionFacts(channel, networkProtocol: "HTTP/2", isSecure: true)
        return channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let codec = try pipeline.handler(type: HTTP2FramePayloadToHTTP1ClientCodec.self)
            try pipeline.addHandler(StreamHeadCheck(), position: .before(codec))
            try pipeline.addHandler(ConnectionHandler(facts, self), position: .after(codec))
        }
    }

    private func inspect(
        _ channel: any Channel, _ networkProtocol: String, _ isDirect: Bool,
        _ use: (ConnectionFacts) throws -> Void
    ) -> EventLoopFuture<Void> {
        channel.eventLoop.assertInEventLoop()
        let isSecure = networkProtocol == "HTTP/2" || ConnectionRegistry.isSecure(channel)
        let facts = ConnectionFacts(channel, networkProtocol: networkProtocol, isSecure: isSecure)
        do {
            // A program that is started later must not inherit the connection: it would stay open as long as that runs.
            try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
                _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
            }
            // The final check: the address of the actual peer, whatever was resolved.
            if isDirect, let address = facts.remoteAddress.flatMap({ NetworkAddress($0) }),
                let refusal = refusal(address)
            {
                throw refusal
            }
            try use(facts)
        } catch {
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(error)
        }
        if let options = channel as? any SocketOptionProvider {
            let bound = NIOLoopBound(facts, eventLoop: channel.eventLoop)
            options.getTCPInfo().whenSuccess { bound.value.roundTrip = .microseconds(Int64($0.tcpi_rtt)) }
        }
        return channel.eventLoop.makeSucceededVoidFuture()
    }
}
