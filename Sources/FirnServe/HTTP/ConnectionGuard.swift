import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Bounds what one connection may cost: the time until a request, between requests, and until a response is read; and
/// the bytes of request bodies, which are ignored.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The most bytes of a body that are read and dropped.
    private static let mostBody = 64 << 10

    /// How long a client has to read the last response and to close the connection.
    private static let linger = Duration.seconds(2)

    private let table: ConnectionTable
    private let presence = ClientPresence()
    private var number: UInt64?
    /// The requests without a complete response.
    private var requests = 0
    private var body = 0
    /// Whether no further request is read.
    private var isLast = false
    private var timer: Scheduled<Void>?

    init(_ table: ConnectionTable) { self.table = table }

    func handlerAdded(context: ChannelHandlerContext) {
        number = table.add(context.channel)
        guard number != nil else { return context.close(promise: nil) }
        table.watch(context.channel, presence)
        schedule(table.limits.firstRequest, context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { leave(context) }

    func channelInactive(context: ChannelHandlerContext) {
        leave(context)
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { presence.leave() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            body = 0
            if head.headerFields[.connection] == "close" { isLast = true }
            requests += 1
            if requests == 1 {
                if let number { table.begin(number) }
                schedule(table.limits.response, context)
            }
        case .body(let bytes):
            body += bytes.readableBytes
            guard body <= ConnectionGuard.mostBody else { return cut(context) }
        case .end: break
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        // A response without a request is about one that could not be read.
        if case .head(let head) = part, requests == 0 || head.headerFields[.connection] == "close" { isLast = true }
        guard case .end = part else { return context.write(data, promise: promise) }
        // Order: the promise succeeds once the client's system has the bytes, so a client that reads nothing is slow.
        let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { _ in self.responded(context) }
        context.write(data, promise: sent)
    }

    private func responded(_ context: ChannelHandlerContext) {
        requests = max(0, requests - 1)
        guard let number, context.channel.isActive else { return }
        guard requests == 0 else { return schedule(table.limits.response, context) }
        table.end(number)
        schedule(isLast ? min(table.limits.idle, ConnectionGuard.linger) : table.limits.idle, context)
    }

    private func schedule(_ time: Duration, _ context: ChannelHandlerContext) {
        timer?.cancel()
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(time)) { self.cut(context) }
    }

    private func cut(_ context: ChannelHandlerContext) {
        table.cut()
        leave(context)
        context.close(promise: nil)
    }

    private func leave(_ context: ChannelHandlerContext) {
        presence.leave()
        timer?.cancel()
        timer = nil
        guard let number else { return }
        self.number = nil
        table.remove(number, context.channel)
    }
}
