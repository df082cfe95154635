import FirnSync
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL

/// A TLS server for HTTP/2 and 1.1; the client chooses one of the offered protocols.
final class TLSServer: Sendable {
    struct Request: Sendable {
        let version: String
        let headers: [String: String]
    }

    private let channel: any Channel
    private let seen: Locked<[Request]>
    private let count: Locked<Int>

    var port: Int { channel.localAddress?.port ?? 0 }
    var requests: [Request] { seen.withLock { $0 } }
    var connections: Int { count.withLock { $0 } }

    /// - Parameters:
    ///   - protocols: the offered protocols (ALPN).
    ///   - length: the length of a body of zeros, with a validator, of which parts can be requested; `nil` for `body`.
    ///   - resets: the number of responses whose stream is reset in the middle of the body.
    ///   - clients: the authority that must have signed the clients' certificates; `nil` to require none.
    init(
        _ identity: TestAuthority.Signed, protocols: [String] = ["h2", "http/1.1"], newest: TLSVersion? = nil,
        clients: TestAuthority? = nil, body: String = "hello", length: Int? = nil,
        resets: Int = 0
    ) async throws {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(identity.certificate.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(identity.key.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.applicationProtocols = protocols
        configuration.maximumTLSVersion = newest
        if let clients {
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .certificates(
                try NIOSSLCertificate.fromPEMBytes(Array(clients.certificate.utf8)))
        }
        let context = try NIOSSLContext(configuration: configuration)
        let (seen, count, resets) = (Locked<[Request]>([]), Locked(0), Locked(resets))
        (self.seen, self.count) = (seen, count)
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                count.withLock { $0 += 1 }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                }.flatMap {
                    channel.configureCommonHTTPServerPipeline { channel in
                        channel.eventLoop.makeCompletedFuture {
                            try channel.pipeline.syncOperations.addHandler(Responder(seen, body, length, resets))
                        }
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    deinit { channel.close(promise: nil) }

    private final class Responder: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let seen: Locked<[Request]>
        private let body: String
        private let length: Int?
        private let resets: Locked<Int>

        init(_ seen: Locked<[Request]>, _ body: String, _ length: Int?, _ resets: Locked<Int>) {
            self.seen = seen
            self.body = body
            self.length = length
            self.resets = resets
        }

        /// Sends a body of zeros, or its end.
        private func send(_ length: Int, _ request: HTTPRequestHead, _ context: ChannelHandlerContext) {
            let words = request.headers.first(name: "Range")?.dropFirst("bytes=".count).dropLast()
            let first = words.flatMap { Int($0) }
            var response = HTTPResponseHead(version: request.version, status: first == nil ? .ok : .partialContent)
            response.headers.add(name: "ETag", value: "\"v1\"")
            response.headers.add(name: "Content-Length", value: "\(length - (first ?? 0))")
            if let first {
                response.headers.add(name: "Content-Range", value: "bytes \(first)-\(length - 1)/\(length)")
            }
            context.write(wrapOutboundOut(.head(response)), promise: nil)
            let isReset = resets.withLock { left in
                left -= 1
                return left >= 0
            }
            var left = (length - (first ?? 0)) / (isReset ? 2 : 1)
            let piece = ByteBuffer(repeating: 0, count: 1 << 20)
            while left > 0 {
                let part = piece.getSlice(at: 0, length: min(left, 1 << 20)) ?? piece
                context.write(wrapOutboundOut(.body(.byteBuffer(part))), promise: nil)
                left -= part.readableBytes
            }
            guard isReset else { return context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil) }
            // Order: a stream that is closed before its end is reset, after what was written before.
            let loop = NIOLoopBound(context, eventLoop: context.eventLoop)
            context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer())))).whenComplete { _ in
                loop.value.close(promise: nil)
            }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .head(let head) = unwrapInboundIn(data) else { return }
            let headers = Dictionary(head.headers.map { ($0.name.lowercased(), $0.value) }) { first, _ in first }
            let isStream = context.channel.parent?.parent != nil
            seen.withLock { $0.append(Request(version: isStream ? "HTTP/2" : "HTTP/1.1", headers: headers)) }
            if let length { return send(length, head, context) }
            var response = HTTPResponseHead(version: head.version, status: .ok)
            response.headers.add(name: "Content-Length", value: "\(body.utf8.count)")
            context.write(wrapOutboundOut(.head(response)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
