package import FirnHTTP
import NIOCore

/// The proxies whose fields say where clients reach the server.
package struct TrustedProxies: Sendable, Equatable {
    /// The addresses of the proxies. Default: this machine's own.
    package var ranges = ["127.0.0.0/8", "::1"].compactMap { NetworkPolicy.AddressRange($0) }

    package init() {}

    /// Whether a connection comes from one of them.
    func contains(_ address: NetworkAddress?) -> Bool {
        guard let address else { return false }
        return ranges.contains { $0.contains(address) }
    }
}

extension NetworkAddress {
    /// - Returns: `nil` if it is not an address of IP.
    init?(_ address: SocketAddress?) {
        guard var text = address?.ipAddress else { return nil }
        // A socket for both versions maps IPv4.
        if text.hasPrefix("::ffff:"), text.contains(".") { text = String(text.dropFirst(7)) }
        self.init(text)
    }
}
