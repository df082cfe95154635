import HTTPTypes
import NIOCore

/// Responds to requests that arrive in the same bytes as one that was served from memory, before anything reads them.
///
/// Nothing is parsed here: the bytes are compared with those that the parser has read as one request. So whatever the
/// parser refuses is refused.
/// Invariant: the bytes begin where a request begins. That is known as long as each piece that went on was one whole
/// request; after any other piece the connection has no such responses.
final class RepeatedRequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let responder: MonitoredResponder
    /// The handler of requests that were read.
    private let reader: CachedResponseHandler
    private let limits: ConnectionGuard
    /// The responses of the connection's loop.
    private let responses: RepeatedResponses
    /// The client, since the last reload.
    private var peer: Peer?
    /// True if the next bytes begin a request.
    private var isAligned = true
    private let writes = PendingWrites()
    /// True if bytes went on since the last end of a read.
    private var hasPassed = false

    /// - Parameter loop: of the connection.
    init(
        _ responder: MonitoredResponder, _ reader: CachedResponseHandler, _ limits: ConnectionGuard,
        _ loop: any EventLoop
    ) {
        self.responder = responder
        self.reader = reader
        self.limits = limits
        responses = responder.responses(of: loop)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if isAligned, limits.isIdle, writes.orders.isEmpty, context.channel.isWritable,
            let response = responder.repeated(bytes, responses, current(context))
        {
            return write(response, context)
        }
        hasPassed = true
        let isWhole = isAligned && RepeatedRequestHandler.isRequest(bytes)
        let requests = reader.requests
        reader.last = nil
        isAligned = false
        context.fireChannelRead(data)
        isAligned = isWhole && reader.requests == requests + 1
        guard isAligned, let (response, request) = reader.last, request.headerFields[.requestName] == nil else {
            return
        }
        responses.keep(response, hasBody: request.method != .head, for: bytes)
    }

    private func current(_ context: ChannelHandlerContext) -> Peer {
        if let peer, peer.generation == responder.generation { return peer }
        let found = responder.peer(at: limits.address(context))
        peer = found
        return found
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard hasPassed else { return }
        hasPassed = false
        context.fireChannelReadComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        let isOrder = event is ChannelShouldQuiesceEvent || (event as? ChannelEvent) == .inputClosed
        writes.pass(event, isOrder: isOrder, context)
    }

    private func write(_ response: RepeatedResponse, _ context: ChannelHandlerContext) {
        var isSlow = false
        let sent = writes.begin(context) { if isSlow { self.limits.ended(context) } }
        if let body = response.body {
            context.write(wrapOutboundOut(response.head), promise: nil)
            context.writeAndFlush(wrapOutboundOut(body), promise: sent)
        } else {
            context.writeAndFlush(wrapOutboundOut(response.head), promise: sent)
        }
        if writes.count == 0 { return limits.passed(context) }
        isSlow = true
        limits.began(context)
    }

    /// Returns whether bytes are the whole of one request without a body, as far as its lines tell.
    private static func isRequest(_ bytes: ByteBuffer) -> Bool {
        bytes.withUnsafeReadableBytes { bytes in
            guard bytes.count <= ResponseKey.maximumBytes,
                bytes.starts(with: "GET ".utf8) || bytes.starts(with: "HEAD ".utf8),
                let end = bytes.firstIndex(of: UInt8(ascii: "\r")),
                bytes[..<end].suffix(9).elementsEqual(" HTTP/1.1".utf8), bytes.suffix(4).elementsEqual("\r\n\r\n".utf8)
            else { return false }
            // An earlier empty line ends a request, and the rest belongs to another one.
            var breaks = 0
            for byte in bytes.dropLast(4) {
                if byte == UInt8(ascii: "\n") {
                    breaks += 1
                    if breaks > 1 { return false }
                } else if byte != UInt8(ascii: "\r") {
                    breaks = 0
                }
            }
            return true
        }
    }
}
