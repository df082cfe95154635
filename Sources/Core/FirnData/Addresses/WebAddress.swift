package import FoundationEssentials

/// An `http` or `https` address, parsed as browsers do and written in a normal form.
///
/// Invalid bytes are encoded, and escapes are kept. Scheme and host are in lower case, the scheme's default port is
/// omitted, `.` and `..` are resolved, and surrounding white space is dropped.
///
/// - Source: WHATWG URL standard, sections 3 and 4, for the schemes `http` and `https`; non-ASCII host names by libidn2
///   (UTS #46, not transitional), which refuses symbols that IDNA 2008 does not allow.
package struct WebAddress: Hashable, Sendable {
    /// True if the scheme is `https`.
    package internal(set) var isSecure = false
    /// The user name, percent-encoded; empty if there is none.
    package internal(set) var user = ""
    /// The password, percent-encoded; empty if there is none.
    package internal(set) var password = ""
    /// The name, the IPv4 address in four decimal numbers, or the IPv6 address in brackets.
    package internal(set) var host = ""
    /// The port, 0 to 65535; `nil` for the scheme's default.
    package internal(set) var port: Int?
    /// The path, from its first slash on.
    package internal(set) var path = "/"
    /// The query without its question mark.
    package internal(set) var query: String?
    /// The fragment without its `#`. It is never sent.
    package internal(set) var fragment: String?

    init() {}

    package var scheme: String { isSecure ? "https" : "http" }

    package var text: String { fragment.map { resource + "#" + $0 } ?? resource }

    /// The address without its fragment, which does not identify the resource.
    package var resource: String {
        let secret = password.isEmpty ? "" : ":" + password
        let credentials = user.isEmpty && secret.isEmpty ? "" : user + secret + "@"
        return scheme + "://" + credentials + authority + path + (query.map { "?" + $0 } ?? "")
    }

    package var origin: String { scheme + "://" + authority }

    private var authority: String { port.map { "\(host):\($0)" } ?? host }

    package var withoutCredentials: WebAddress {
        var address = self
        (address.user, address.password) = ("", "")
        return address
    }

    /// Returns an address of any scheme without surrounding white space and control characters.
    package static func trimmed(_ address: String) -> String {
        let isSpace: (UInt8) -> Bool = { $0 <= 0x20 }
        guard let first = address.utf8.first, let last = address.utf8.last, isSpace(first) || isSpace(last) else {
            return address
        }
        let start = address.utf8.drop(while: isSpace)
        let end = start.lastIndex { !isSpace($0) }
        return end.map { String(Substring(start[...$0])) } ?? ""
    }

    /// Returns `text` in normal form; `nil` if it is not an `http` or `https` address.
    package static func normalized(_ text: String) -> String? {
        isNormal(text) ? text : WebAddress(text)?.text
    }

    /// Returns the address without its fragment, in normal form; one with another scheme is unchanged.
    package static func resource(of text: String) -> String {
        isNormal(text) ? text : WebAddress(text)?.resource ?? text
    }

    /// Returns the URL of an address of any scheme. Encodes invalid bytes first: if a component has one, Foundation
    /// would encode all of it, including its escapes.
    package static func url(_ address: String) -> URL? {
        let isPlain = address.utf8.allSatisfy { !isRefused($0) && $0 != UInt8(ascii: "%") }
        guard !isPlain, let start = address.firstRange(of: "://")?.upperBound,
            let path = address[start...].firstIndex(where: { "/?#".contains($0) })
        else { return URL(string: address) }
        var out = Array(address[..<path].utf8)
        let rest = Array(address[path...].utf8)
        for (i, byte) in rest.enumerated() {
            let isEscape =
                byte == UInt8(ascii: "%") && i + 2 < rest.count
                && PercentEncoding.hexadecimalValue(rest[i + 1]) != nil
                && PercentEncoding.hexadecimalValue(rest[i + 2]) != nil
            if isEscape || byte != UInt8(ascii: "%") && !isRefused(byte) {
                out.append(byte)
            } else {
                PercentEncoding.append(byte, to: &out)
            }
        }
        return URL(string: String(decoding: out, as: UTF8.self))
    }

    /// Returns whether RFC 3986 allows a byte nowhere outside the host.
    private static func isRefused(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte >= 0x7F || "\"<>[\\]^`{|}".utf8.contains(byte)
    }
}
