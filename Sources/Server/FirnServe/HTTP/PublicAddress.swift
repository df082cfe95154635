import HTTPTypes
import NIOCore

/// The public address of the server, with which IIIF identifiers and links start.
///
/// The fields of proxies are `X-Forwarded-Proto`, `-Host`, `-Port` and `-Prefix`. `Forwarded` (RFC 7239) is read if a
/// request has none of them. The first member of a list is from the proxy nearest to the client.
struct PublicAddress: Hashable, Sendable {
    /// `http` or `https`.
    private(set) var scheme = "http"
    /// The host, and the port unless it is the scheme's default.
    private(set) var authority: String
    /// The path prefix that proxies remove: empty, or such as `/images`.
    private(set) var prefix = ""

    /// - Parameter isTrusted: whether the request comes from a proxy whose fields are read. Otherwise the field `Host`
    ///   is the address.
    init(_ head: HTTPRequest, isTrusted: Bool) {
        authority = head.authority ?? ""
        guard isTrusted else { return }
        let fields = PublicAddress.fields.map { name in head.headerFields[name].map { FieldList.members($0) } ?? [] }
        if fields.allSatisfy(\.isEmpty) {
            let members = head.headerFields.value("Forwarded").map { FieldList.members($0) } ?? []
            let parameters = members.first.map { PublicAddress.parameters($0) } ?? [:]
            use(scheme: parameters["proto"])
            if let host = parameters["host"] { authority = host }
            return
        }
        use(scheme: fields[0].first)
        if let host = fields[1].first { authority = host }
        if let port = fields[2].first.flatMap({ UInt16($0) }), port > 0 { use(port: Int(port)) }
        // Each proxy has removed its own prefix, in this order.
        prefix = fields[3].map(PublicAddress.path).joined()
    }

    /// Returns the start of the IIIF addresses of a version, for example `https://example.org/iiif/`.
    ///
    /// `nil` for authorities with characters that are invalid in hosts and ports, since they come from the client and
    /// are written to headers.
    func iiif(_ version: IIIFVersion) -> String? {
        let isValid = authority.utf8.allSatisfy {
            PercentEncoding.isUnreserved($0) && $0 != UInt8(ascii: "~") || ":[]".utf8.contains($0)
        }
        guard isValid, (1...255).contains(authority.utf8.count) else { return nil }
        return "\(scheme)://\(authority)\(prefix)\(version.prefix)"
    }

    private static let fields = ["Proto", "Host", "Port", "Prefix"].compactMap { HTTPField.Name("X-Forwarded-\($0)") }

    private mutating func use(scheme: String?) {
        guard let scheme = scheme?.lowercased(), ["http", "https"].contains(scheme) else { return }
        self.scheme = scheme
    }

    private mutating func use(port: Int) {
        // The colons of an IPv6 address are in brackets.
        let end = authority.lastIndex(of: "]") ?? authority.startIndex
        let host = authority[end...].lastIndex(of: ":").map { String(authority[..<$0]) } ?? authority
        authority = port == (scheme == "https" ? 443 : 80) ? host : "\(host):\(port)"
    }

    /// Returns a path without its trailing slash; empty for anything else, since the result is written to header
    /// fields.
    private static func path(_ text: String) -> String {
        guard text.hasPrefix("/"), !text.hasPrefix("//"), text.utf8.count <= 255,
            text.utf8.allSatisfy({ PercentEncoding.isUnreserved($0) || "/%!$&'()*+=:@".utf8.contains($0) })
        else { return "" }
        return String(text.reversed().drop { $0 == "/" }.reversed())
    }

    /// Returns the parameters of a member of `Forwarded` by lower-case name.
    private static func parameters(_ text: String) -> [String: String] {
        var result: [String: String] = [:]
        // Hosts and schemes contain no semicolon, so quoted strings need no special handling.
        for part in text.split(separator: ";") {
            guard let equals = part.firstIndex(of: "=") else { continue }
            let name = part[..<equals].lowercased().filter { $0 != " " && $0 != "\t" }
            result[name] = part[part.index(after: equals)...].filter { $0 != "\"" && $0 != " " && $0 != "\t" }
        }
        return result
    }
}

extension NetworkAddress {
    /// - Returns: `nil` if it is not an IP address.
    init?(_ address: SocketAddress?) {
        guard var text = address?.ipAddress else { return nil }
        // A dual-stack socket maps IPv4 addresses.
        if text.hasPrefix("::ffff:"), text.contains(".") { text = String(text.dropFirst(7)) }
        self.init(text)
    }
}
