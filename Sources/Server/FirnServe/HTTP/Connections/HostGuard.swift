import NIOCore
import NIOHTTP1

/// Refuses requests that do not name one host: 400, and no further request of the connection is read.
///
/// The parts that Hummingbird gets do not have the version, nor a second host.
///
/// - Source: RFC 9112 §3.2.
final class HostGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private var hasRefused = false

    /// Adds the handler to a connection, behind the one that reads requests.
    static func add(to pipeline: ChannelPipeline.SynchronousOperations) throws {
        let reader = try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self).handler
        try pipeline.addHandler(HostGuard(), position: .after(reader))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasRefused else { return }
        if case .head(let head) = unwrapInboundIn(data), !HostGuard.isValid(head) {
            hasRefused = true
            return context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
        }
        context.fireChannelRead(data)
    }

    private static func isValid(_ head: HTTPRequestHead) -> Bool {
        let hosts = head.headers["Host"]
        guard let host = hosts.first else { return head.version == .http1_0 }
        return hosts.count == 1 && host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !",/?#@\\\"<>".utf8.contains($0) }
    }
}
