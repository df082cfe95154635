import FirnHTTP
import FoundationEssentials
import NIOCore
import NIOHTTP1

/// Handles one client connection: forwards each request to the cache, and streams the response back.
///
/// All calls run on the channel's event loop, including those for events of the cache.
final class ProxyHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// The maximum length of a forwarded request body, in bytes.
    private static let bodyLimit = 64 << 20

    private let cache: any DataLoading
    private let origin: String
    private var head: HTTPRequestHead?
    private var body = Data()
    private var transfer: (any DataTransfer)?
    private var hasResponded = false
    /// The number of the current request; events of earlier requests are ignored.
    private var number = 0

    init(cache: any DataLoading, origin: String) {
        self.cache = cache
        self.origin = origin
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = Data()
        case .body(let bytes):
            body.append(contentsOf: bytes.readableBytesView)
            if body.count > ProxyHandler.bodyLimit { refuse(context, .payloadTooLarge) }
        case .end: start(context)
        }
    }

    private func start(_ context: ChannelHandlerContext) {
        guard let head else { return }
        guard head.uri.hasPrefix("/") else { return refuse(context, .badRequest) }
        var fields = HTTPHeaderFields(head.headers)
        // The loader sets the origin's host name and the length of the forwarded body.
        for name in ["Host", "Content-Length", "Expect"] { fields[name] = nil }
        // NIO parses this method's name but writes it without its hyphen.
        let method = head.method == .MSEARCH ? "M-SEARCH" : head.method.rawValue
        let request = DataRequest(
            url: origin + head.uri, method: method, headers: fields, body: body.isEmpty ? nil : body)
        body = Data()
        hasResponded = false
        number += 1
        let number = number
        let box = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let loop = context.eventLoop
        transfer = cache.startLoading(request) { event in
            loop.execute {
                let (handler, context) = box.value
                handler.receive(event, number, context)
            }
        }
        if !context.channel.isWritable { transfer?.pause() }
    }

    private func receive(_ event: DataEvent, _ number: Int, _ context: ChannelHandlerContext) {
        guard number == self.number, let head else { return }
        switch event {
        case .response(let response):
            hasResponded = true
            var headers = HTTPHeaders(response.headers.map { ($0.name, $0.value) })
            let status = HTTPResponseStatus(statusCode: response.status ?? 200)
            if head.method != .HEAD, status != .notModified, status != .noContent {
                // Without a known length, the body is sent in chunks.
                headers.remove(name: "Content-Length")
                if let length = response.expectedLength { headers.add(name: "Content-Length", value: String(length)) }
            }
            let responseHead = HTTPResponseHead(version: head.version, status: status, headers: headers)
            context.write(wrapOutboundOut(.head(responseHead)), promise: nil)
        case .chunk(let data):
            context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: data)))), promise: nil)
        case .end(nil):
            finish(context)
        case .end(let error?):
            guard hasResponded else { return refuse(context, error.cause == .timeout ? .gatewayTimeout : .badGateway) }
            // The client must notice that the body is incomplete.
            forget()
            context.close(promise: nil)
        }
    }

    private func finish(_ context: ChannelHandlerContext) {
        let isLast = head?.isKeepAlive == false
        forget()
        let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        if isLast {
            let box = NIOLoopBound(context, eventLoop: context.eventLoop)
            written.whenComplete { _ in box.value.close(promise: nil) }
        }
    }

    private func refuse(_ context: ChannelHandlerContext, _ status: HTTPResponseStatus) {
        let version = head?.version ?? .http1_1
        let responseHead = HTTPResponseHead(
            version: version, status: status, headers: ["Content-Length": "0", "Connection": "close"])
        forget()
        context.write(wrapOutboundOut(.head(responseHead)), promise: nil)
        let box = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in box.value.close(promise: nil) }
    }

    private func forget() {
        number += 1
        transfer = nil
        head = nil
        body = Data()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { transfer?.resume() } else { transfer?.pause() }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        transfer?.cancel()
        forget()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        transfer?.cancel()
        forget()
        context.close(promise: nil)
    }
}
