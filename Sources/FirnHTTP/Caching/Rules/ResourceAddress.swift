import FoundationEssentials

/// Addresses as cache keys.
package enum ResourceAddress {
    /// Returns an address without its fragment and standard port, with scheme and host in lower case.
    package static func normalized(_ url: String) -> String {
        let plain = String(url.prefix { $0 != "#" })
        guard let start = authorityStart(plain) else { return plain }
        let end = plain[start...].firstIndex { $0 == "/" || $0 == "?" } ?? plain.endIndex
        let scheme = plain[..<start].dropLast(3).lowercased()
        var authority = plain[start..<end].lowercased()
        for (name, port) in [("http", ":80"), ("https", ":443")] where scheme == name && authority.hasSuffix(port) {
            authority.removeLast(port.utf8.count)
        }
        let rest = plain[end...]
        return scheme + "://" + authority + (rest.hasPrefix("/") ? String(rest) : "/" + rest)
    }

    /// Resolves a relative address; returns `nil` if it is malformed.
    package static func resolve(_ reference: String, against base: String) -> String? {
        if reference.isEmpty { return normalized(base) }
        guard let from = URL(string: base), let to = URL(string: reference, relativeTo: from)?.absoluteURL else {
            return nil
        }
        return normalized(to.absoluteString)
    }

    /// Returns scheme, host and port: the address up to its path.
    package static func origin(_ normalized: String) -> Substring? {
        guard let start = authorityStart(normalized) else { return nil }
        let end = normalized[start...].firstIndex(of: "/") ?? normalized.endIndex
        return normalized[..<end]
    }

    /// Returns the start of host and port, after `://`.
    private static func authorityStart(_ url: String) -> String.Index? {
        guard let colon = url.firstIndex(of: ":"), url[colon...].hasPrefix("://") else { return nil }
        return url.index(colon, offsetBy: 3)
    }
}
