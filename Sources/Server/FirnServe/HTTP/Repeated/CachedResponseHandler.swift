import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Responds to requests whose result is in memory directly on the connection's event loop.
///
/// All other requests go to Hummingbird, which runs a task for each. That costs more than a response from memory.
/// Invariant: no request is served here while an earlier one has no complete response, so that responses keep their
/// order, or while the client has not read the last ones, so that their bytes do not pile up.
final class CachedResponseHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let responder: MonitoredResponder
    private let limits: ConnectionGuard
    /// The number of completely received requests.
    private(set) var requests = 0
    /// The last response that was sent here, with its request.
    var last: (response: ResultResponse, request: HTTPRequest)?
    /// A request that is not complete yet.
    private var held: HTTPRequest?
    /// The number of requests that were passed on and have no complete response.
    private var running = 0
    private let writes = PendingWrites()

    /// - Parameter limits: the handler before this one.
    init(_ responder: MonitoredResponder, _ limits: ConnectionGuard) {
        self.responder = responder
        self.limits = limits
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let handler = RepeatedRequestHandler(responder, self, limits, context.eventLoop)
        // A closing pipeline accepts no handlers.
        try? context.pipeline.syncOperations.addHandler(handler, position: .first)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head) where mayRespond(context) && CachedResponseHandler.isPlain(head):
            held = head
        case .head:
            release(context)
            running += 1
            context.fireChannelRead(data)
        case .body:
            release(context)
            context.fireChannelRead(data)
        case .end:
            requests += 1
            if let head = held, let response = responder.cachedResponse(to: head, from: limits.address(context)) {
                held = nil
                last = (response, head)
                return write(response, to: head, context)
            }
            release(context)
            context.fireChannelRead(data)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { running = max(0, running - 1) }
        context.write(data, promise: promise)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // Hummingbird closes a connection if it knows of no request.
        writes.pass(event, isOrder: event is ChannelShouldQuiesceEvent, context)
    }

    private func mayRespond(_ context: ChannelHandlerContext) -> Bool {
        running == 0 && held == nil && writes.orders.isEmpty && context.channel.isWritable
    }

    /// Passes a held request on.
    private func release(_ context: ChannelHandlerContext) {
        guard let head = held else { return }
        held = nil
        running += 1
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    private func write(_ response: ResultResponse, to head: HTTPRequest, _ context: ChannelHandlerContext) {
        var headers = response.allHeaders
        headers[.date] = ResponseDate.now
        headers[.requestName] = response.name
        context.write(wrapOutboundOut(.head(HTTPResponse(status: .ok, headerFields: headers))), promise: nil)
        if head.method != .head, response.body.readableBytes > 0 {
            context.write(wrapOutboundOut(.body(response.body)), promise: nil)
        }
        let sent = writes.begin(context)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: sent)
    }

    /// Returns whether the head asks for nothing but the whole result.
    private static func isPlain(_ head: HTTPRequest) -> Bool {
        let fields = head.headerFields
        return (head.method == .get || head.method == .head)
            && (fields[.connection].map { $0.lowercased() == "keep-alive" } ?? true)
            && !others.contains { fields.contains($0) }
    }

    private static let others: [HTTPField.Name] = [
        .contentLength, .transferEncoding, .expect, .upgrade, .range, .ifRange, .ifNoneMatch,
        .ifMatch, .ifModifiedSince, .ifUnmodifiedSince,
    ]
}

/// Counts the responses that were not sent completely, and holds back events that close the connection.
///
/// The handlers after this one do not know of these responses and would close the connection too early.
final class PendingWrites {
    private(set) var count = 0
    private(set) var orders: [Any] = []

    /// Starts a response and returns the promise of its last byte.
    ///
    /// - Parameter ended: called when the response was sent, before events are passed on. Default: nothing.
    func begin(_ context: ChannelHandlerContext, ended: @escaping () -> Void = {}) -> EventLoopPromise<Void> {
        count += 1
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { _ in
            self.count -= 1
            ended()
            guard self.count == 0 else { return }
            let orders = self.orders
            self.orders = []
            for order in orders { context.fireUserInboundEventTriggered(order) }
        }
        return sent
    }

    /// Passes an event on; one that closes the connection, only after all responses were sent.
    func pass(_ event: Any, isOrder: Bool, _ context: ChannelHandlerContext) {
        if isOrder, count > 0 { return orders.append(event) }
        context.fireUserInboundEventTriggered(event)
    }
}
