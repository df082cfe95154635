/// The address of a request as sent: without user name and password, which become a header field.
package struct RequestAddress: Equatable {
    package let text: String
    package let origin: Origin
    /// The value of `Authorization` (RFC 7617); `nil` if the address has no user.
    package let credentials: String?

    /// Reads an address; returns `nil` if it cannot be loaded.
    package init?(_ text: String) {
        if let (isSecure, host, port) = WebAddress.normalOrigin(text) {
            self.text = text
            origin = Origin(isSecure: isSecure, host: host, port: port)
            credentials = nil
            return
        }
        guard let address = WebAddress(text), let origin = Origin(address) else { return nil }
        self.origin = origin
        guard !address.user.isEmpty || !address.password.isEmpty else {
            self.text = address.resource
            credentials = nil
            return
        }
        self.text = address.withoutCredentials.resource
        let parts = [address.user, address.password].map { PercentEncoding.decoded($0.utf8) }
        let hasCredentials = parts.contains { !$0.isEmpty }
        let secret = Data(parts.joined(separator: CollectionOfOne(UInt8(ascii: ":"))))
        credentials = hasCredentials ? "Basic " + secret.base64EncodedString() : nil
    }
}

/// Scheme, host and port of an address that this loader supports (RFC 6454).
package struct Origin: Hashable {
    package let scheme: String
    /// The name or IP address, without brackets.
    package let host: String
    package let port: Int

    /// Returns `nil` for port 0, which cannot be connected to.
    package init?(_ address: WebAddress) {
        guard address.port != 0 else { return nil }
        let host = address.host.hasPrefix("[") ? String(address.host.dropFirst().dropLast()) : address.host
        self.init(isSecure: address.isSecure, host: host, port: address.port)
    }

    /// Creates an origin with a port above 0; `nil` stands for the scheme's default.
    init(isSecure: Bool, host: String, port: Int?) {
        scheme = isSecure ? "https" : "http"
        self.host = host
        self.port = port ?? (isSecure ? 443 : 80)
    }
}
