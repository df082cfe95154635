import FirnData

/// The server of a bucket: scheme, host and port.
package struct S3Endpoint: Sendable, Hashable {
    /// `http` or `https`.
    package let scheme: String
    /// The host, and the port unless it is the scheme's own.
    package let authority: String
    /// True if the host is an IP address.
    package let isNumeric: Bool

    /// Reads `https://host[:port]`, with at most one slash after it.
    ///
    /// - Returns: `nil` for other schemes, user names, paths, and hosts or ports that are malformed.
    package init?(_ text: String) {
        let isSecure = text.hasPrefix("https://")
        guard isSecure || text.hasPrefix("http://") else { return nil }
        var rest = text.dropFirst(isSecure ? 8 : 7)
        if rest.hasSuffix("/") { rest.removeLast() }
        let isBracketed = rest.hasPrefix("[")
        let host = isBracketed ? rest.prefix { $0 != "]" } + "]" : rest.prefix { $0 != ":" }
        let tail = rest.dropFirst(host.count)
        let name = isBracketed ? host.dropFirst().dropLast() : host
        guard rest.hasPrefix(host), !name.isEmpty, name.utf8.count <= 253,
            name.utf8.allSatisfy({ S3Endpoint.isHostByte($0, isBracketed) })
        else { return nil }
        var port: UInt16?
        if !tail.isEmpty {
            let digits = tail.dropFirst()
            guard tail.hasPrefix(":"), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = UInt16(digits), number > 0
            else { return nil }
            port = number == (isSecure ? 443 : 80) ? nil : number
        }
        scheme = isSecure ? "https" : "http"
        authority = host.lowercased() + (port.map { ":\($0)" } ?? "")
        isNumeric = isBracketed || name.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
    }

    private init(secureHost: String) {
        scheme = "https"
        authority = secureHost
        isNumeric = false
    }

    package static func amazon(region: String) -> S3Endpoint {
        S3Endpoint(secureHost: "s3.\(region).amazonaws.com" + (region.hasPrefix("cn-") ? ".cn" : ""))
    }

    private static func isHostByte(_ byte: UInt8, _ isBracketed: Bool) -> Bool {
        let others = isBracketed ? ":." : ".-_"
        return others.utf8.contains(byte) || PercentEncoding.isUnreserved(byte) && !"-._~".utf8.contains(byte)
    }
}
