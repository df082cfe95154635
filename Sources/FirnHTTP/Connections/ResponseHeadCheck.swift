import NIOCore

/// The handler between the bytes of an HTTP/1.1 connection and its parser: collects the head of each response and
/// corrects it where the parser is stricter than HTTP (``DeclaredLengths``).
///
/// Bodies pass unchanged. So do bytes that do not begin a response, and a head beyond the parser's limit: the parser
/// reports these errors.
final class ResponseHeadCheck: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// More bytes than the parser allows for a head.
    private static let limit = 128 << 10
    private static let start = Array("HTTP/".utf8)

    private var isHeadDue = false
    private var head = ByteBuffer()

    /// A request was sent: the next bytes are the head of its response.
    func expectHead() { isHeadDue = true }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard isHeadDue else { return context.fireChannelRead(data) }
        var bytes = unwrapInboundIn(data)
        let known = head.readableBytes
        if known == 0 { head = bytes } else { head.writeBuffer(&bytes) }
        let whole = head
        var passed = ByteBuffer()
        var isChanged = false
        var searched = max(0, known - 3)
        while isHeadDue, let length = headLength(from: searched), let one = head.readSlice(length: length) {
            searched = 0
            // After an interim response (1xx), another head follows.
            isHeadDue = isInterim(one)
            let fields = Array(one.readableBytesView)
            let mended = DeclaredLengths.mended(fields)
            if mended != nil { isChanged = true }
            passed.writeBytes(mended ?? fields)
        }
        if isHeadDue, head.readableBytes > ResponseHeadCheck.limit || !beginsAsResponse { isHeadDue = false }
        if !isHeadDue {
            // In the usual case, nothing changes and nothing is copied.
            if isChanged { passed.writeBuffer(&head) } else { passed = whole }
            head = ByteBuffer()
        }
        if passed.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(passed)) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        release(context)
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // The peer sends no more: these are all bytes.
        if case ChannelEvent.inputClosed = event { release(context) }
        context.fireUserInboundEventTriggered(event)
    }

    private func release(_ context: ChannelHandlerContext) {
        guard head.readableBytes > 0 else { return }
        isHeadDue = false
        let rest = head
        head = ByteBuffer()
        context.fireChannelRead(wrapInboundOut(rest))
    }

    private var beginsAsResponse: Bool {
        head.readableBytesView.prefix(ResponseHeadCheck.start.count).elementsEqual(
            ResponseHeadCheck.start.prefix(head.readableBytes))
    }

    /// Returns the length up to and including the empty line; `nil` if it has not arrived.
    private func headLength(from searched: Int) -> Int? {
        let view = head.readableBytesView
        var index = view.startIndex + min(searched, view.count)
        while let end = view[index...].firstIndex(of: 10) {
            let next = end + 1
            if next < view.endIndex, view[next] == 10 { return next + 1 - view.startIndex }
            if next + 1 < view.endIndex, view[next] == 13, view[next + 1] == 10 { return next + 2 - view.startIndex }
            index = next
        }
        return nil
    }

    /// Whether a head's status is 100 to 199, except 101.
    private func isInterim(_ head: ByteBuffer) -> Bool {
        let words = head.readableBytesView.prefix(16).split(separator: 32, maxSplits: 2)
        guard words.count >= 2 else { return false }
        let status = words[1].prefix(3)
        return status.first == UInt8(ascii: "1") && !status.elementsEqual("101".utf8)
    }
}
