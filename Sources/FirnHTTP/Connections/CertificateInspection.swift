import FirnData
import FirnSync
import FirnSystem
import NIOCore
import NIOPosix
import NIOSSL

/// Determines why a server's certificate was not trusted, for the error message: the TLS library does not say why.
///
/// Requests the certificate once more, over a separate connection without a request.
enum CertificateInspection {
    /// Whether an error is an untrusted certificate.
    static func isWorthwhile(_ error: any Error) -> Bool {
        guard case NIOSSLError.handshakeFailed = error else { return false }
        return "\(error)".contains("CERTIFICATE_VERIFY_FAILED")
    }

    /// Returns the reason in words; `nil` if the server does not send its certificate again.
    ///
    /// - Parameters:
    ///   - address: the address to connect to; `nil` to look the host up.
    static func reason(
        host: String, address: NetworkAddress?, port: Int, on eventLoop: any EventLoop
    ) -> EventLoopFuture<String?> {
        let seen = Locked<String?>(nil)
        let bootstrap = ClientBootstrap(group: eventLoop).connectTimeout(.seconds(3)).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                let context = try NIOSSLContext(configuration: .makeClientConfiguration())
                let name = NetworkAddress(host) == nil ? host : nil
                let look: NIOSSLCustomVerificationCallback = { certificates, promise in
                    seen.withLock { $0 = reason(certificates, now: time(nil)) }
                    promise.succeed(NIOSSLVerificationResult.failed)
                }
                let handler = try NIOSSLClientHandler(
                    context: context, serverHostname: name, customVerificationCallback: look)
                try channel.pipeline.syncOperations.addHandler(handler)
            }
        }
        let connected = bootstrap.connect(host: address.map { "\($0)" } ?? host, port: port)
        let looked: EventLoopFuture<String?> = connected.flatMap { channel in
            let deadline = channel.eventLoop.scheduleTask(in: .seconds(3)) { channel.close(promise: nil) }
            return channel.closeFuture.map {
                deadline.cancel()
                return seen.withLock { $0 }
            }
        }
        return looked.recover { _ in seen.withLock { $0 } }
    }

    private static func reason(_ certificates: [NIOSSLCertificate], now: time_t) -> String? {
        guard let leaf = certificates.first else { return nil }
        if now > leaf.notValidAfter { return "has expired on \(date(leaf.notValidAfter))" }
        if now < leaf.notValidBefore { return "is not valid before \(date(leaf.notValidBefore))" }
        return "comes from no authority that is trusted"
    }

    private static func date(_ seconds: time_t) -> String {
        var seconds = seconds
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
    }
}
