import FirnHTTP

/// The host and port of a URL, as strictly read as a guard must: what is unusual has none.
///
/// - Source: RFC 3986 section 3.2.
struct SourceHost: Equatable {
    /// The name in lower case.
    let name: String
    let port: Int
    /// Whether the port is the one that the scheme has by default.
    let hasDefaultPort: Bool

    /// - Returns: `nil` for other schemes, user names, backslashes, control characters, and odd hosts or ports.
    init?(url: String) {
        let isSecure = url.hasPrefix("https://")
        guard isSecure || url.hasPrefix("http://"),
            url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") })
        else { return nil }
        let authority = url.dropFirst(isSecure ? 8 : 7).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.contains("@") else { return nil }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        // IPv6 addresses, in brackets, are not names that a list allows.
        guard parts.count <= 2, let host = parts.first, !host.isEmpty, host.utf8.allSatisfy(SourceHost.isNameByte)
        else {
            return nil
        }
        let standard = isSecure ? 443 : 80
        var port = standard
        if parts.count == 2 {
            guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(parts[1]), number > 0
            else { return nil }
            port = Int(number)
        }
        name = host.lowercased()
        self.port = port
        hasDefaultPort = port == standard
    }

    /// Whether a list has the host. An entry without a port allows the default port alone.
    func isAllowed(by entries: [AllowedHost]) -> Bool {
        entries.contains { entry in
            NetworkPolicy.contains([entry.pattern], name) && (entry.port.map { $0 == port } ?? hasDefaultPort)
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
