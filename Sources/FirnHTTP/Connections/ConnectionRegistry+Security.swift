import NIOCore
import NIOSSL

extension ConnectionRegistry {
    /// Whether a connection uses TLS.
    static func isSecure(_ channel: any Channel) -> Bool {
        (try? channel.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)) != nil
    }
}
