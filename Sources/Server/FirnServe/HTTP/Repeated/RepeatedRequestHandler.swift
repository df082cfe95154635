import HTTPTypes
import NIOCore

/// Responds to requests with the same bytes as one that was served from memory, without parsing them.
///
/// The bytes are compared with those that the parser accepted as one request, so malformed requests still reach the
/// parser. Invariant: the bytes start at a request. That holds as long as each piece that was passed on was one whole
/// request. After any other piece, the connection gets no such responses.
final class RepeatedRequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let responder: MonitoredResponder
    /// The handler of parsed requests.
    private let reader: CachedResponseHandler
    private let limits: ConnectionGuard
    /// The responses of the connection's event loop.
    private let responses: RepeatedResponses
    /// The client as of the last reload.
    private var peer: Peer?
    /// True if the next bytes start a request.
    private var isAligned = true
    private let writes = PendingWrites()
    /// True if bytes were passed on since the last completed read.
    private var hasPassed = false

    /// - Parameter loop: the event loop of the connection.
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
        guard isAligned, let (response, request) = reader.last, request.headerFields[.requestName] == nil,
            request.headerFields.value("traceparent") == nil
        else { return }
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

    /// Returns whether the bytes look like exactly one request without a body.
    private static func isRequest(_ bytes: ByteBuffer) -> Bool {
        bytes.withUnsafeReadableBytes { bytes in
            guard bytes.count <= ResponseKey.maximumBytes,
                bytes.starts(with: "GET ".utf8) || bytes.starts(with: "HEAD ".utf8),
                let end = bytes.firstIndex(of: UInt8(ascii: "\r")),
                bytes[..<end].suffix(9).elementsEqual(" HTTP/1.1".utf8), bytes.suffix(4).elementsEqual("\r\n\r\n".utf8)
            else { return false }
            // An earlier empty line ends a request; the rest belongs to another one.
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
