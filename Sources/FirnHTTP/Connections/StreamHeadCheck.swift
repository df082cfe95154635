import FirnData
import NIOCore
import NIOHTTP2

/// Rejects a `:status` that is not three digits from 100, before it is parsed.
///
/// The translation of HTTP/2 to HTTP/1.1 ends the process on an empty or negative status. Source: RFC 9113 §8.3.2, RFC
/// 9110 §15.
final class StreamHeadCheck: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload

    private var hasFailed = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasFailed else { return }
        if case .headers(let content) = unwrapInboundIn(data) {
            // Trailers have no status.
            let isWrong = content.headers.contains { name, value, _ in
                name == ":status" && !StreamHeadCheck.isStatus(value)
            }
            if isWrong {
                hasFailed = true
                context.fireErrorCaught(
                    DataLoadingError(.other, "the response is not HTTP: its status is not a number"))
                return context.close(promise: nil)
            }
        }
        context.fireChannelRead(data)
    }

    /// Whether a field's value is a status code.
    static func isStatus(_ value: String) -> Bool {
        value.utf8.count == 3 && value.utf8.allSatisfy { (48...57).contains($0) } && value.utf8.first != 48
    }
}
