import FirnHTTP

/// An entry of the list of hosts that sources may be loaded from: `example.org`, `*.example.org`, `example.org:8080`.
package struct AllowedHost: Sendable, Hashable {
    /// The name, or a pattern of the names below one.
    package let pattern: String
    /// The only port that is allowed; `nil` for the default of the scheme.
    package let port: Int?

    /// The addresses that may be connected to although they are outside the public Internet: that of the entry itself.
    ///
    /// `localhost` names the addresses of this machine alone, whatever a resolver says (RFC 6761 §6.3).
    var addresses: [NetworkPolicy.AddressRange] {
        (pattern == "localhost" ? ["127.0.0.1", "::1"] : [pattern]).compactMap { NetworkPolicy.AddressRange($0) }
    }

    /// - Returns: `nil` if the text is no such entry.
    package init?(_ text: String) {
        let parts = text.lowercased().split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let name = parts.first, !name.isEmpty,
            name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "@") })
        else { return nil }
        pattern = String(name)
        guard parts.count == 2 else {
            port = nil
            return
        }
        guard let number = UInt16(parts[1]), number > 0 else { return nil }
        port = Int(number)
    }
}
