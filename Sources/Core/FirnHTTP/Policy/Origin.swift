package import FirnData

/// Scheme, host and port of an address that this loader can use (RFC 6454).
package struct Origin: Hashable {
    package let scheme: String
    /// The name or address, without brackets.
    package let host: String
    package let port: Int

    /// Returns `nil` for port 0, to which nothing connects.
    package init?(_ address: WebAddress) {
        guard address.port != 0 else { return nil }
        let host = address.host.hasPrefix("[") ? String(address.host.dropFirst().dropLast()) : address.host
        self.init(isSecure: address.isSecure, host: host, port: address.port)
    }

    /// Creates an origin with a port above 0, or with the one of its scheme (`nil`).
    init(isSecure: Bool, host: String, port: Int?) {
        scheme = isSecure ? "https" : "http"
        self.host = host
        self.port = port ?? (isSecure ? 443 : 80)
    }
}
