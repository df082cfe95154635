import FoundationEssentials

package struct ProxyAddress: Hashable, Sendable {
    /// The kinds, by the scheme that libcurl has for them.
    package enum Kind: String, Hashable, Sendable {
        /// HTTP, with a tunnel by `CONNECT`.
        case http
        /// HTTP over TLS, with a tunnel by `CONNECT`.
        case https
        /// SOCKS 5. The proxy looks names up, and not this machine.
        case socks = "socks5h"
    }

    package var kind: Kind
    package var host: String
    package var port: Int
    /// The user name, for a proxy that requires one.
    package var user: String?
    package var password: String?

    package init(_ kind: Kind, host: String, port: Int, user: String? = nil, password: String? = nil) {
        self.kind = kind
        self.host = host
        self.port = port
        self.user = user
        self.password = password
    }

    /// Reads the value of an environment variable: `http://user:password@host:port`, `socks5://host`, or `host:port`.
    ///
    /// Returns `nil` if `text` has no host, a port outside 1 to 65535, or a scheme other than `http`, `https`, `socks`,
    /// `socks5` and `socks5h`.
    package init?(_ text: String) {
        let text = text.contains("://") ? text : "http://\(text)"
        guard let url = URL(string: text), let host = url.host(percentEncoded: false), !host.isEmpty else { return nil }
        switch url.scheme?.lowercased() {
        case "http": kind = .http
        case "https": kind = .https
        case "socks", "socks5", "socks5h": kind = .socks
        default: return nil
        }
        port = url.port ?? (kind == .socks ? 1080 : kind == .https ? 443 : 80)
        guard (1...65535).contains(port) else { return nil }
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        user = url.user(percentEncoded: false)
        password = url.password(percentEncoded: false)
    }

    /// The address as libcurl reads it, without credentials.
    var text: String { "\(kind.rawValue)://\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}
