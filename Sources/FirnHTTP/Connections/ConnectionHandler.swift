import NIOCore
import NIOHTTP1

/// The handler between the HTTP parser and the client: records which request uses the connection, counts received
/// bytes, and passes on only the parts that ``ResponseOrder`` allows.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let connection: ConnectionFacts
    private let registry: ConnectionRegistry
    private var order = ResponseOrder()
    /// Notified of each request; `nil` for HTTP/2.
    private let headCheck: ResponseHeadCheck?
    private var listener: (any ConnectionListener)?

    init(_ connection: ConnectionFacts, _ registry: ConnectionRegistry, _ headCheck: ResponseHeadCheck? = nil) {
        self.connection = connection
        self.registry = registry
        self.headCheck = headCheck
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        order.sent()
        headCheck?.expectHead()
        guard let ticket = head.headers.first(name: ConnectionRegistry.field) else {
            return context.write(data, promise: promise)
        }
        head.headers.remove(name: ConnectionRegistry.field)
        connection.uses += 1
        listener = registry.claim(ticket)
        if let refusal = listener?.willSend(over: connection) {
            listener = nil
            promise?.fail(refusal)
            context.fireErrorCaught(refusal)
            return context.close(promise: nil)
        }
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        switch order.take(ResponseOrder.Part(part)) {
        case .pass: break
        case .drop: return
        case .fail(let error):
            listener = nil
            context.fireErrorCaught(error)
            return context.close(promise: nil)
        }
        switch part {
        case .body(let bytes): listener?.didReceiveWireBytes(bytes.readableBytes)
        case .end: listener = nil
        case .head: break
        }
        context.fireChannelRead(data)
    }

    func handlerRemoved(context: ChannelHandlerContext) { listener = nil }
}

extension ResponseOrder.Part {
    fileprivate init(_ part: HTTPClientResponsePart) {
        self =
            switch part {
            case .head(let head): .head(status: Int(clamping: head.status.code))
            case .body: .body
            case .end: .end
            }
    }
}
