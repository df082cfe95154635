import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Limits the cost of one connection: the time until a request, between requests and until a response is read, and the
/// bytes of request bodies, which are ignored.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart

    /// The maximum number of bytes of a body that are read and dropped.
    private static let maximumBody = 64 << 10

    /// The time limit for reading the last response and closing the connection.
    private static let linger = Duration.seconds(2)

    private let table: ConnectionTable
    private var presence: ClientPresence?
    private var number: UInt64?
    /// The cached address of the client; the outer `nil` means not read yet.
    private var address: NetworkAddress??
    /// The number of requests without a complete response.
    private var requests = 0
    private var body = 0
    /// True if no further request is read.
    private var isLast = false
    /// The number of responses that were written and not sent completely.
    private var unsent = 0
    /// True if the connection is closed once they are sent.
    private var isClosing = false
    private var timer: Scheduled<Void>?
    /// The time at which the connection is closed unless there is progress.
    private var deadline = NIODeadline.distantFuture
    /// The time at which the timer fires. Earlier than the deadline if that has moved; the timer is then restarted.
    private var due: NIODeadline?
    /// The time of the last response to an unread request that the ledger knows of.
    private var touched = NIODeadline.uptimeNanoseconds(0)

    init(_ table: ConnectionTable) { self.table = table }

    /// True if every request has its complete response and further ones may come.
    var isIdle: Bool { requests == 0 && !isLast }

    /// Returns the address of the client.
    func address(_ context: ChannelHandlerContext) -> NetworkAddress? {
        if let address { return address }
        let remote = NetworkAddress(context.channel.remoteAddress)
        address = .some(remote)
        return remote
    }

    /// Records the start of a request. Also called for a request that was not parsed and whose response the client
    /// reads slowly.
    func began(_ context: ChannelHandlerContext) {
        requests += 1
        guard requests == 1 else { return }
        if let number { table.begin(number) }
        schedule(table.limits.response, context)
    }

    /// Records a response to a request that was not parsed, which was sent at once.
    func passed(_ context: ChannelHandlerContext) {
        guard let number, requests == 0 else { return }
        let now = NIODeadline.now()
        deadline = now + TimeAmount(table.limits.idle)
        ensureTimer(context)
        // The ledger orders connections by their last response, to a tenth of a second.
        guard now - touched > .milliseconds(100) else { return }
        touched = now
        table.end(number)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let presence = ClientPresence(context.eventLoop)
        self.presence = presence
        number = table.add(context.channel, presence)
        guard number != nil else { return context.close(promise: nil) }
        // A closing pipeline accepts no handlers.
        try? HostGuard.add(to: context.pipeline.syncOperations)
        schedule(table.limits.firstRequest, context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { leave(context) }

    func channelInactive(context: ChannelHandlerContext) {
        leave(context)
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { presence?.leave() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            body = 0
            if head.headerFields[.connection] == "close" { isLast = true }
            began(context)
        case .body(let bytes):
            body += bytes.readableBytes
            guard body <= ConnectionGuard.maximumBody else { return cut(context) }
        case .end: break
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        // A response without a request reports a malformed request.
        if case .head(let head) = part, requests == 0 || head.headerFields[.connection] == "close" { isLast = true }
        guard case .end = part else { return context.write(data, promise: promise) }
        // Order: the promise succeeds once the client's system has the bytes, so a client that does not read counts as
        // slow.
        let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
        unsent += 1
        sent.futureResult.assumeIsolated().whenComplete { _ in
            self.unsent -= 1
            self.ended(context)
            if self.isClosing, self.unsent == 0 { context.close(promise: nil) }
        }
        context.write(data, promise: sent)
    }

    /// Closes the connection, but not before written responses are sent.
    ///
    /// A server that ends closes a connection as soon as the last response is written. NIO then drops the bytes that
    /// the client has not read yet.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .all, unsent > 0, context.channel.isActive else {
            return context.close(mode: mode, promise: promise)
        }
        isClosing = true
        isLast = true
        if let promise { context.channel.closeFuture.cascade(to: promise) }
    }

    /// Records the end of a response.
    func ended(_ context: ChannelHandlerContext) {
        requests = max(0, requests - 1)
        guard let number, context.channel.isActive else { return }
        guard requests == 0 else { return schedule(table.limits.response, context) }
        table.end(number)
        schedule(isLast ? min(table.limits.idle, ConnectionGuard.linger) : table.limits.idle, context)
    }

    private func schedule(_ time: Duration, _ context: ChannelHandlerContext) {
        deadline = .now() + TimeAmount(time)
        ensureTimer(context)
    }

    /// Starts a timer, unless one fires before the deadline: most deadlines move before they are due.
    private func ensureTimer(_ context: ChannelHandlerContext) {
        if let due, due <= deadline { return }
        timer?.cancel()
        due = deadline
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.check(context) }
    }

    private func check(_ context: ChannelHandlerContext) {
        due = nil
        if NIODeadline.now() < deadline { ensureTimer(context) } else { cut(context) }
    }

    private func cut(_ context: ChannelHandlerContext) {
        table.cut()
        leave(context)
        context.close(promise: nil)
    }

    private func leave(_ context: ChannelHandlerContext) {
        presence?.leave()
        timer?.cancel()
        timer = nil
        due = nil
        guard let number else { return }
        self.number = nil
        table.remove(number, context.channel)
    }
}

/// Rejects requests without exactly one valid host: 400, and no further request of the connection is read. Drops all
/// that follows a request to close the connection.
///
/// Hummingbird sees neither the version nor a second host, and knows `Connection: close` only in this spelling.
///
/// - Source: RFC 9112 §3.2, §9.6.
final class HostGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// True from a request to close the connection on.
    private var isLast = false
    /// True if nothing more is read.
    private var isDone = false

    /// Adds the handler to a connection, after the one that parses requests.
    static func add(to pipeline: ChannelPipeline.SynchronousOperations) throws {
        let reader = try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self).handler
        try pipeline.addHandler(HostGuard(), position: .after(reader))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDone else { return }
        switch unwrapInboundIn(data) {
        case .head(let head) where !HostGuard.isValid(head):
            isDone = true
            context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
        case .head(var head) where !head.isKeepAlive:
            isLast = true
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            context.fireChannelRead(wrapInboundOut(.head(head)))
        case .end where isLast:
            isDone = true
            context.fireChannelRead(data)
        case .head, .body, .end: context.fireChannelRead(data)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The parser reports bytes after the last request.
        if !isDone || !(error is HTTPParserError) { context.fireErrorCaught(error) }
    }

    private static func isValid(_ head: HTTPRequestHead) -> Bool {
        let hosts = head.headers["Host"]
        guard let host = hosts.first else { return head.version == .http1_0 }
        return hosts.count == 1 && host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !",/?#@\\\"<>".utf8.contains($0) }
    }
}
