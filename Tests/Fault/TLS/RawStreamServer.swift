import FirnSync
import NIOCore
import NIOPosix
import NIOSSL

/// An HTTP/2 server whose responses are valid or invalid header blocks, or none.
///
/// Source: RFC 9113 §4.1 (frames), RFC 7541 §6.2.2 (fields without indexing).
final class RawStreamServer: Sendable {
    /// The server's reaction to a request.
    enum Reply {
        /// A response without a body; the text is the value of `:status`.
        case status(String)
        case nothing
        /// The server takes no further request on the connection, and did not take this one.
        case goAway
        /// Frames as they are, and the end of the connection.
        case frames(@Sendable () -> [UInt8])
    }

    private let channel: any Channel
    private let count = Locked(0)

    var connections: Int { count.withLock { $0 } }
    var port: Int { channel.localAddress?.port ?? 0 }

    /// - Parameter replies: for each connection the replies to its requests. The last ones are repeated.
    init(_ identity: TestAuthority.Signed, _ replies: [[Reply]]) async throws {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(identity.certificate.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(identity.key.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: configuration)
        let count = count
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                let number = count.withLock { count in
                    count += 1
                    return count - 1
                }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    try channel.pipeline.syncOperations.addHandler(
                        Frames(replies[min(number, replies.count - 1)]))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    deinit { channel.close(promise: nil) }

    private final class Frames: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let replies: [Reply]
        private var replied = 0
        private var received = ByteBuffer()
        private var hasPreface = false

        init(_ replies: [Reply]) { self.replies = replies }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var bytes = unwrapInboundIn(data)
            received.writeBuffer(&bytes)
            if !hasPreface {
                guard received.readSlice(length: 24) != nil else { return }
                hasPreface = true
                send(context, type: 4, flags: 0, stream: 0, [])
            }
            while let (type, flags, stream) = nextFrame() {
                if type == 4, flags & 1 == 0 { send(context, type: 4, flags: 1, stream: 0, []) }
                if type == 1 { reply(context, stream) }
            }
        }

        private func reply(_ context: ChannelHandlerContext, _ stream: UInt32) {
            let reply = replies[min(replied, replies.count - 1)]
            replied += 1
            switch reply {
            case .status(let status):
                let name = Array(":status".utf8)
                let value = Array(status.utf8)
                let block = [0, UInt8(name.count)] + name + [UInt8(value.count)] + value
                send(context, type: 1, flags: 5, stream: stream, block)
            case .nothing: break
            case .frames(let bytes):
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes())), promise: nil)
                context.close(promise: nil)
            case .goAway:
                // The last stream that was taken, and no error.
                let last = stream.subtractingReportingOverflow(2).partialValue
                let bytes = (0..<4).map { UInt8(truncatingIfNeeded: last >> (24 - 8 * $0)) }
                send(context, type: 7, flags: 0, stream: 0, bytes + [0, 0, 0, 0])
            }
        }

        /// Returns the head of the next complete frame.
        private func nextFrame() -> (type: UInt8, flags: UInt8, stream: UInt32)? {
            let start = received.readerIndex
            guard let high = received.getInteger(at: start, as: UInt8.self),
                let low = received.getInteger(at: start + 1, as: UInt16.self),
                let type = received.getInteger(at: start + 3, as: UInt8.self),
                let flags = received.getInteger(at: start + 4, as: UInt8.self),
                let stream = received.getInteger(at: start + 5, as: UInt32.self),
                received.readSlice(length: 9 + Int(high) << 16 + Int(low)) != nil
            else { return nil }
            return (type, flags, stream)
        }

        private func send(
            _ context: ChannelHandlerContext, type: UInt8, flags: UInt8, stream: UInt32, _ payload: [UInt8]
        ) {
            var frame = ByteBuffer()
            frame.writeInteger(UInt8(0))
            frame.writeInteger(UInt16(payload.count))
            frame.writeInteger(type)
            frame.writeInteger(flags)
            frame.writeInteger(stream)
            frame.writeBytes(payload)
            context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
