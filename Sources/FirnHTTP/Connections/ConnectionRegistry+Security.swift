import NIOCore
import NIOSSL

extension ConnectionRegistry {
    /// Whether a connection is encrypted.
    static func isSecure(_ channel: any Channel) -> Bool {
        (try? channel.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)) != nil
    }
}
