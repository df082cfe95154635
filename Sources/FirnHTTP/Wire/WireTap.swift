import NIOCore
import NIOHTTP1

/// Sits in a connection between HTTP's grammar and its meaning: sees which request goes over it, and counts what comes.
final class WireTap: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let connection: ConnectionFacts
    private let book: WireBook
    private var listener: (any WireListener)?

    init(_ connection: ConnectionFacts, _ book: WireBook) {
        self.connection = connection
        self.book = book
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data), let ticket = head.headers.first(name: WireBook.field)
        else { return context.write(data, promise: promise) }
        head.headers.remove(name: WireBook.field)
        connection.uses += 1
        listener = book.take(ticket)
        listener?.sending(over: connection)
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .body(let bytes): listener?.receivedOnLine(bytes.readableBytes)
        case .end: listener = nil
        case .head: break
        }
        context.fireChannelRead(data)
    }

    func handlerRemoved(context: ChannelHandlerContext) { listener = nil }
}
