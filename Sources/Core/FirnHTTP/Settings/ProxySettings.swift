import FoundationEssentials

/// The proxies of requests.
///
/// Source: no standard; these are the common rules of curl, Go and Python.
public struct ProxySettings: Hashable, Sendable {
    package var http: ProxyAddress?
    package var https: ProxyAddress?
    /// The variables whose values are not valid proxy addresses, by the scheme of the requests that would use them.
    private var unreadable: [String: String] = [:]
    /// The hosts that are contacted directly: `*`, names (with their subdomains), addresses, ranges (`10.0.0.0/8`),
    /// each with or without a port. This machine (`localhost`, 127.0.0.0/8, ::1) is always contacted directly. Default:
    /// none.
    public var direct: [String] = []

    /// Creates settings without proxies.
    public init() {}

    /// Creates settings with a proxy for each scheme.
    ///
    /// - Parameters:
    ///   - http: the proxy for `http` addresses: `http://user:password@host:port`, `https://host:port`,
    ///     `socks5://host` (also `socks4`, `socks4a`, `socks5h`) or `host:port`; `nil` for none.
    ///   - https: the proxy for `https` addresses, written the same way; `nil` for none.
    ///   - direct: the hosts that are contacted directly; see ``direct``. Default: only this machine.
    /// - Returns: `nil` if one of the texts is not a valid proxy address.
    public init?(http: String?, https: String?, direct: [String] = []) {
        let proxies = [http, https].map { $0.map { ProxyAddress($0) } }
        // Malformed.
        for case .some(.none) in proxies { return nil }
        self.http = proxies[0] ?? nil
        self.https = proxies[1] ?? nil
        self.direct = direct
    }

    /// The proxies from the process's environment variables.
    public static var environment: ProxySettings { ProxySettings(environment: ProcessInfo.processInfo.environment) }

    /// Reads the variables `http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`, in lower or upper case; lower case
    /// takes precedence.
    ///
    /// Ignores white space around a value. If a value is not a proxy address, requests that would use it fail and name
    /// the variable: they are not sent without the proxy.
    ///
    /// Ignores `HTTP_PROXY` in upper case if `REQUEST_METHOD` is set: in a CGI program it is the `Proxy` field of a
    /// request, which any client can send.
    public init(environment: [String: String]) {
        func variable(_ name: String) -> (name: String, value: String)? {
            let isField = name == "http_proxy" && environment["REQUEST_METHOD"] != nil
            return (isField ? [name] : [name, name.uppercased()]).lazy
                .compactMap { name in environment[name].map { (name, WebAddress.trimmed($0)) } }.first
        }
        var unreadable: [String: String] = [:]
        func proxy(_ scheme: String) -> ProxyAddress? {
            // An empty value means no proxy, even if `all_proxy` is set.
            guard let (name, text) = variable("\(scheme)_proxy") ?? variable("all_proxy"), !text.isEmpty
            else { return nil }
            let proxy = ProxyAddress(text)
            if proxy == nil { unreadable[scheme] = name }
            return proxy
        }
        http = proxy("http")
        https = proxy("https")
        self.unreadable = unreadable
        direct = (variable("no_proxy")?.value ?? "").split { $0 == "," || $0.isWhitespace }.map(String.init)
    }

    /// Returns the proxy for an address; `nil` for a direct connection.
    ///
    /// - Throws: if the variable that names the proxy cannot be read.
    package func proxy(scheme: String, host: String, port: Int) throws(DataLoadingError) -> ProxyAddress? {
        let proxy = scheme == "https" ? https : http
        let variable = unreadable[scheme]
        guard proxy != nil || variable != nil, !isDirect(host, port) else { return nil }
        if let variable {
            throw DataLoadingError(
                .other,
                "the environment variable \(variable) is not a proxy's address, such as http://host:port; a password has "
                    + "%23 for # and %40 for @",
                isFinal: true)
        }
        return proxy
    }

    /// Returns whether a host is contacted directly.
    private func isDirect(_ host: String, _ port: Int) -> Bool {
        let host = host.lowercased()
        let address = NetworkAddress(host)
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        if let address, ProxySettings.own.contains(where: { $0.contains(address) }) { return true }
        return direct.contains { ProxySettings.matches($0.lowercased(), name, address, port) }
    }

    private static let own = ["127.0.0.0/8", "::1"].compactMap { NetworkPolicy.AddressRange($0) }

    private static func matches(_ entry: String, _ name: String, _ address: NetworkAddress?, _ port: Int) -> Bool {
        if entry == "*" { return true }
        if let address, let range = NetworkPolicy.AddressRange(entry) { return range.contains(address) }
        var entry = Substring(entry)
        // A port, not the last part of an IPv6 address.
        if let colon = entry.lastIndex(of: ":"), entry.firstIndex(of: ":") == colon || entry.hasPrefix("[") {
            if let number = Int(entry[entry.index(after: colon)...]) {
                guard number == port else { return false }
                entry = entry[..<colon]
            }
        }
        if let address { return NetworkAddress(String(entry)) == address }
        if entry.hasPrefix("*.") { entry = entry.dropFirst() }
        if entry.hasPrefix(".") { entry = entry.dropFirst() }
        return !entry.isEmpty && (name == entry || name.hasSuffix(".\(entry)"))
    }
}

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
