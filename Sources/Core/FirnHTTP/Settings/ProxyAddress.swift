package struct ProxyAddress: Hashable, Sendable {
    /// The kind of proxy, named as libcurl's scheme.
    package enum Kind: String, Hashable, Sendable {
        /// HTTP. Forwards requests for `http` addresses, and opens a tunnel (`CONNECT`) for `https` addresses.
        case http
        /// HTTP over TLS.
        case https
        /// SOCKS 4: IPv4 addresses, looked up on this machine.
        case socks4
        /// SOCKS 4 with names, looked up by the proxy.
        case socks4a
        /// SOCKS 5 with addresses, looked up on this machine.
        case socks5
        /// SOCKS 5 with names, looked up by the proxy.
        case socks5h

        /// True if the proxy looks host names up.
        var looksUp: Bool { self != .socks4 && self != .socks5 }

        var isHTTP: Bool { self == .http || self == .https }

        fileprivate var usualPort: Int { self == .http ? 80 : self == .https ? 443 : 1080 }
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
    /// White space around it is ignored.
    ///
    /// Returns `nil` if `text` has no host, a port outside 1 to 65535, a password with an unencoded `#`, `?` or `/`, or
    /// a scheme other than those of ``Kind`` and `socks`, which means `socks5h`.
    package init?(_ text: String) {
        let text = WebAddress.trimmed(text)
        let mark = text.firstRange(of: "://")
        let scheme = mark.map { text[..<$0.lowerBound].lowercased() } ?? "http"
        let place = text[(mark?.upperBound ?? text.startIndex)...]
        guard let kind = scheme == "socks" ? .socks5h : Kind(rawValue: scheme),
            let address = WebAddress("http://\(place)"), address.query == nil, address.fragment == nil,
            !address.path.contains("@"), mark != nil || address.path == "/",
            // An address omits its scheme's default port.
            let port = address.port ?? WebAddress("https://\(place)").map({ $0.port ?? kind.usualPort }), port > 0
        else { return nil }
        let secrets = [address.user, address.password].map { PercentEncoding.decoded($0.utf8) }
        guard !secrets.joined().contains(0) else { return nil }
        self.init(kind, host: address.host, port: port)
        if host.hasPrefix("[") { host = String(host.dropFirst().dropLast()) }
        if !address.user.isEmpty { user = String(decoding: secrets[0], as: UTF8.self) }
        if !address.password.isEmpty { password = String(decoding: secrets[1], as: UTF8.self) }
    }

    /// Host and port.
    var place: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// The address as libcurl reads it, without credentials.
    var text: String { "\(kind.rawValue)://\(place)" }
}
