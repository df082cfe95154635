import FoundationEssentials

/// A proxy: what it speaks, where it is, and who is to be let through.
package struct ProxyAddress: Hashable, Sendable {
    /// What a proxy speaks.
    package enum Kind: Hashable, Sendable {
        /// HTTP: a tunnel by `CONNECT`.
        case http
        /// SOCKS 5.
        case socks
    }

    /// What it speaks.
    package var kind: Kind
    /// Its host.
    package var host: String
    /// Its port.
    package var port: Int
    /// The user's name, for a proxy that asks for one. Of HTTP proxies only.
    package var user: String?
    /// The user's password.
    package var password: String?

    /// A proxy.
    package init(_ kind: Kind, host: String, port: Int, user: String? = nil, password: String? = nil) {
        self.kind = kind
        self.host = host
        self.port = port
        self.user = user
        self.password = password
    }

    /// Reads the value of an environment variable: `http://user:password@host:port`, `socks5://host`, or `host:port`.
    ///
    /// Fails if `text` has no host, a port outside 1…65535, or a scheme other than `http`, `socks`, `socks5` and `socks5h`.
    /// A proxy that uses TLS (`https:`) is such a scheme, because the HTTP client does not support it.
    package init?(_ text: String) {
        let text = text.contains("://") ? text : "http://\(text)"
        guard let url = URL(string: text), let host = url.host(percentEncoded: false), !host.isEmpty else { return nil }
        switch url.scheme?.lowercased() {
        case "http": kind = .http
        case "socks", "socks5", "socks5h": kind = .socks
        default: return nil
        }
        port = url.port ?? (kind == .socks ? 1080 : 80)
        guard (1...65535).contains(port) else { return nil }
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        user = url.user(percentEncoded: false)
        password = url.password(percentEncoded: false)
    }
}
