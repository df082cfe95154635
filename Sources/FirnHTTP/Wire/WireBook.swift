import FirnData
import FirnSystem
import NIOCore
import NIOHTTP1
import NIOHTTP2

/// The connections of a loader's clients: looks at each before the first request goes over it, and knows who listens.
///
/// A request carries its listener's ticket in a field of its own, which ``WireTap`` takes out again: the HTTP client does not
/// tell by which connection it sends what.
final class WireBook: @unchecked Sendable {
    static let field = "firn-ticket"

    private let eventLoop: any EventLoop
    /// Why an address may not be talked to.
    private let refusal: @Sendable (NetworkAddress) -> DataLoadingError?

    // Safety: everything from here on is touched on the loader's event loop only.
    private var listeners: [String: any WireListener] = [:]
    private var lastTicket: UInt64 = 0
    private var shared: [ObjectIdentifier: ConnectionFacts] = [:]

    init(_ eventLoop: any EventLoop, refusal: @escaping @Sendable (NetworkAddress) -> DataLoadingError?) {
        self.eventLoop = eventLoop
        self.refusal = refusal
    }

    /// A ticket for a request.
    func enter(_ listener: any WireListener) -> String {
        lastTicket &+= 1
        let ticket = String(lastTicket)
        listeners[ticket] = listener
        return ticket
    }

    /// Who listens. Nobody, on a connection of another loop, should the client make one there: nothing is measured then.
    func take(_ ticket: String) -> (any WireListener)? {
        eventLoop.inEventLoop ? listeners.removeValue(forKey: ticket) : nil
    }

    /// A request that is over was perhaps never sent.
    func leave(_ ticket: String) { listeners[ticket] = nil }

    // MARK: Connections

    /// An HTTP/1.1 connection is there.
    ///
    /// - Parameter isDirect: whether its other end is the server, and no proxy.
    func made(http1 channel: any Channel, isDirect: Bool) -> EventLoopFuture<Void> {
        inspect(channel, "HTTP/1.1", isDirect) { facts in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            let gate = ResponseHeadGate()
            try pipeline.addHandler(gate, position: .before(decoder))
            try pipeline.addHandler(WireTap(facts, self, gate), position: .after(decoder))
        }
    }

    /// An HTTP/2 connection is there.
    func made(http2 channel: any Channel, isDirect: Bool) -> EventLoopFuture<Void> {
        inspect(channel, "HTTP/2", isDirect) { facts in
            guard self.eventLoop.inEventLoop else { return }
            let name = ObjectIdentifier(channel)
            self.shared[name] = facts
            channel.closeFuture.whenComplete { _ in self.shared[name] = nil }
        }
    }

    /// A request's share of an HTTP/2 connection is there.
    func made(stream channel: any Channel) -> EventLoopFuture<Void> {
        let known = eventLoop.inEventLoop ? channel.parent.flatMap { shared[ObjectIdentifier($0)] } : nil
        let facts = known ?? ConnectionFacts(channel, networkProtocol: "HTTP/2", isSecure: true)
        return channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let codec = try pipeline.handler(type: HTTP2FramePayloadToHTTP1ClientCodec.self)
            try pipeline.addHandler(StreamHeadCheck(), position: .before(codec))
            try pipeline.addHandler(WireTap(facts, self), position: .after(codec))
        }
    }

    private func inspect(
        _ channel: any Channel, _ networkProtocol: String, _ isDirect: Bool,
        _ use: (ConnectionFacts) throws -> Void
    ) -> EventLoopFuture<Void> {
        channel.eventLoop.assertInEventLoop()
        let isSecure = networkProtocol == "HTTP/2" || WireBook.isSecure(channel)
        let facts = ConnectionFacts(channel, networkProtocol: networkProtocol, isSecure: isSecure)
        do {
            // The last word: whatever was looked up, this is who answers.
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
