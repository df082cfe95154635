package import FirnData

/// Header fields of a single connection, which are neither stored nor passed on.
///
/// Source: RFC 9110 §7.6.1, RFC 9111 §3.1.
package enum ConnectionFields {
    private static let names: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade", "trailer",
        "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
    ]

    /// Returns the fields without those of the connection.
    package static func removed(from headers: HTTPHeaderFields) -> HTTPHeaderFields {
        let listed = Set(FieldList.members(headers.values("Connection")).map { $0.lowercased() })
        return HTTPHeaderFields(
            headers.fields.filter {
                let name = $0.name.lowercased()
                return !names.contains(name) && !listed.contains(name)
            })
    }
}
