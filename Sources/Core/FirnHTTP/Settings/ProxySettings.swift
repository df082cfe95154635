import FoundationEssentials

/// The proxies of requests.
///
/// Source: there is no standard; these are the common rules of curl, Go and Python.
public struct ProxySettings: Hashable, Sendable {
    package var http: ProxyAddress?
    package var https: ProxyAddress?
    /// The hosts that are contacted directly: `*`, names (with their subdomains), addresses, ranges (`10.0.0.0/8`),
    /// each with or without a port. This machine (`localhost`, 127.0.0.0/8, ::1) always is. Default: none.
    public var direct: [String] = []

    /// Creates settings without proxies.
    public init() {}

    /// Creates settings with a proxy for each scheme.
    ///
    /// - Parameters:
    ///   - http: the proxy for `http` addresses: `http://user:password@host:port`, `https://host:port`,
    ///     `socks5://host` or `host:port`;
    ///     `nil` for none.
    ///   - https: the proxy for `https` addresses, written the same way; `nil` for none.
    ///   - direct: the hosts that are contacted directly; see ``direct``. Default: only this machine.
    /// - Returns: `nil` if one of the texts is not a proxy's address.
    public init?(http: String?, https: String?, direct: [String] = []) {
        let proxies = [http, https].map { $0.map { ProxyAddress($0) } }
        // Malformed.
        for case .some(.none) in proxies { return nil }
        self.http = proxies[0] ?? nil
        self.https = proxies[1] ?? nil
        self.direct = direct
    }

    /// The proxies of the process's environment variables.
    public static var environment: ProxySettings { ProxySettings(environment: ProcessInfo.processInfo.environment) }

    /// Reads the variables `http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`, in lower or upper case; lower counts
    /// first.
    ///
    /// `HTTP_PROXY` in upper case is ignored if `REQUEST_METHOD` is set: in a CGI program it is the field `Proxy` of a
    /// request, which any client can send.
    public init(environment: [String: String]) {
        func value(_ name: String) -> String? {
            let upper =
                name == "http_proxy" && environment["REQUEST_METHOD"] != nil ? nil : environment[name.uppercased()]
            return environment[name] ?? upper
        }
        func proxy(_ name: String) -> ProxyAddress? {
            // An empty value means no proxy, whatever `all_proxy` is.
            guard let text = value(name) ?? value("all_proxy"), !text.isEmpty else { return nil }
            return ProxyAddress(text)
        }
        http = proxy("http_proxy")
        https = proxy("https_proxy")
        direct = (value("no_proxy") ?? "").split(whereSeparator: { $0 == "," || $0 == " " }).map(String.init)
    }

    /// Returns the proxy for an address; `nil` for a direct connection.
    package func proxy(scheme: String, host: String, port: Int) -> ProxyAddress? {
        guard let proxy = scheme == "https" ? https : http else { return nil }
        let host = host.lowercased()
        let address = NetworkAddress(host)
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        if name == "localhost" || name.hasSuffix(".localhost") { return nil }
        if let address, ProxySettings.own.contains(where: { $0.contains(address) }) { return nil }
        return direct.contains { ProxySettings.matches($0.lowercased(), name, address, port) } ? nil : proxy
    }

    private static let own = ["127.0.0.0/8", "::1"].compactMap { NetworkPolicy.AddressRange($0) }

    private static func matches(_ entry: String, _ name: String, _ address: NetworkAddress?, _ port: Int) -> Bool {
        if entry == "*" { return true }
        if let address, let range = NetworkPolicy.AddressRange(entry) { return range.contains(address) }
        var entry = Substring(entry)
        // A port, but not the last part of an IPv6 address.
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
