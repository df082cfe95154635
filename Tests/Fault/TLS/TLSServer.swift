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
    ///   - clients: the authority that must have signed the clients' certificates; `nil` to require none.
    init(
        _ identity: TestAuthority.Signed, protocols: [String] = ["h2", "http/1.1"], newest: TLSVersion? = nil,
        clients: TestAuthority? = nil, body: String = "hello"
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
        let (seen, count) = (Locked<[Request]>([]), Locked(0))
        (self.seen, self.count) = (seen, count)
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                count.withLock { $0 += 1 }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                }.flatMap {
                    channel.configureCommonHTTPServerPipeline { channel in
                        channel.eventLoop.makeCompletedFuture {
                            try channel.pipeline.syncOperations.addHandler(Responder(seen, body))
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

        init(_ seen: Locked<[Request]>, _ body: String) {
            self.seen = seen
            self.body = body
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .head(let head) = unwrapInboundIn(data) else { return }
            let headers = Dictionary(head.headers.map { ($0.name.lowercased(), $0.value) }) { first, _ in first }
            let isStream = context.channel.parent?.parent != nil
            seen.withLock { $0.append(Request(version: isStream ? "HTTP/2" : "HTTP/1.1", headers: headers)) }
            var response = HTTPResponseHead(version: head.version, status: .ok)
            response.headers.add(name: "Content-Length", value: "\(body.utf8.count)")
            context.write(wrapOutboundOut(.head(response)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
