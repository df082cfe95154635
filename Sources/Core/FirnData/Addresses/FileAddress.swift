package import FoundationEssentials

/// Turns `file:` URLs into paths and back, byte by byte: a name need not be UTF-8.
///
/// Source: RFC 8089; percent-encoding by RFC 3986 §2.1.
package enum FileAddress {
    /// The path of a `file:` URL: the part after the authority, percent-decoded. A `%` that starts no escape stays.
    package static func path(of url: String) -> String {
        var rest = Substring(url).utf8.dropFirst("file:".utf8.count)
        if rest.starts(with: "//".utf8) {
            // Drops any authority; RFC 8089 allows an empty one and localhost.
            rest = rest.dropFirst(2).drop { $0 != UInt8(ascii: "/") }
        }
        rest = rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        return SystemPath.text(PercentEncoding.decoded(rest))
    }

    /// A `file:` URL for a path; without authority for a relative one, so that it stays relative to the working
    /// directory.
    package static func url(ofPath path: String) -> String {
        (path.hasPrefix("/") ? "file://" : "file:")
            + PercentEncoding.encoded(SystemPath.bytes(path), keeping: "/")
    }
}

extension URL {
    /// The path of a `file:` URL of this machine, without slashes at its end; `nil` for another URL.
    package var localPath: String? {
        guard isFileURL, ["", "localhost"].contains(host() ?? "") else { return nil }
        var path = FileAddress.path(of: absoluteString)
        if path.isEmpty { return nil }
        while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
        return path
    }

    /// Creates the `file:` URL of a path. Unlike `init(filePath:)`, takes a leading `~` literally.
    package init(localPath path: String) {
        self = URL(string: FileAddress.url(ofPath: path)) ?? URL(filePath: path)
    }
}
