import NIOCore
import NIOHTTP1

/// Sits in a connection between HTTP's grammar and its meaning: sees which request goes over it, counts what comes, and lets
/// through only what ``ResponseOrder`` allows.
final class WireTap: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let connection: ConnectionFacts
    private let book: WireBook
    private var order = ResponseOrder()
    /// Told of each request; `nil` over HTTP/2.
    private let gate: ResponseHeadGate?
    private var listener: (any WireListener)?

    init(_ connection: ConnectionFacts, _ book: WireBook, _ gate: ResponseHeadGate? = nil) {
        self.connection = connection
        self.book = book
        self.gate = gate
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        order.sent()
        gate?.expectHead()
        guard let ticket = head.headers.first(name: WireBook.field) else {
            return context.write(data, promise: promise)
        }
        head.headers.remove(name: WireBook.field)
        connection.uses += 1
        listener = book.take(ticket)
        if let refusal = listener?.sending(over: connection) {
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
        case .body(let bytes): listener?.receivedOnLine(bytes.readableBytes)
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
