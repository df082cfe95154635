package import FirnData

/// Scheme, host and port of an address that this loader can use (RFC 6454).
package struct Origin: Hashable {
    package let scheme: String
    /// The name or address, without brackets.
    package let host: String
    package let port: Int

    /// Returns `nil` for port 0, to which nothing connects.
    package init?(_ address: WebAddress) {
        let port = address.port ?? (address.isSecure ? 443 : 80)
        guard port > 0 else { return nil }
        self.port = port
        scheme = address.scheme
        host = address.host.hasPrefix("[") ? String(address.host.dropFirst().dropLast()) : address.host
    }
}
