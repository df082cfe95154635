import FirnData

/// Turns `file:` URLs into paths and back, byte by byte: a name need not be UTF-8.
///
/// Source: RFC 8089; percent-encoding by RFC 3986 §2.1.
package enum FileAddress {
    /// The path of a `file:` URL: the part after the authority, percent-decoded. A `%` that starts no escape stays.
    package static func path(of url: String) -> String {
        var rest = Substring(url).dropFirst("file:".count)
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            rest = rest.drop { $0 != "/" }  // Drops any authority; RFC 8089 allows an empty one and localhost.
        }
        if let end = rest.firstIndex(where: { $0 == "?" || $0 == "#" }) { rest = rest[..<end] }
        return SystemPath.text(PercentEncoding.decoded(rest.utf8))
    }

    /// A `file:` URL for a path; without authority for a relative one, so that it stays relative to the working
    /// directory.
    package static func url(ofPath path: String) -> String {
        (path.hasPrefix("/") ? "file://" : "file:")
            + PercentEncoding.encoded(SystemPath.bytes(path), keeping: "/")
    }
}
