import FirnData
import FirnHTTP

/// The host and port of a source, as strictly read as a guard must: what is unusual has none.
struct SourceHost: Equatable {
    /// The name in lower case.
    let name: String
    let port: Int
    /// Whether the port is the one that the scheme has by default.
    let hasDefaultPort: Bool

    /// - Returns: `nil` for user names, IPv6 addresses, which no list allows, and port 0.
    init?(_ address: WebAddress) {
        guard address == address.withoutCredentials, !address.host.hasPrefix("["), let origin = Origin(address) else {
            return nil
        }
        name = origin.host
        port = origin.port
        hasDefaultPort = address.port == nil
    }

    /// Whether a list has the host. An entry without a port allows the default port alone.
    func isAllowed(by entries: [AllowedHost]) -> Bool {
        entries.contains { entry in
            NetworkPolicy.Rules.contains([entry.pattern], name) && (entry.port.map { $0 == port } ?? hasDefaultPort)
        }
    }
}
