package import FoundationEssentials

/// Scheme, host and port: who is talked to (RFC 6454). Only of addresses that this loader can fetch.
package struct Origin: Hashable {
    package let scheme: String
    package let host: String
    package let port: Int

    package init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = url.host()?.lowercased(), !host.isEmpty
        else { return nil }
        let port = url.port ?? (scheme == "https" ? 443 : 80)
        guard (1...65535).contains(port) else { return nil }
        self.scheme = scheme
        self.host = host
        self.port = port
    }
}
