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
        let hex = Array("0123456789ABCDEF".utf8)
        var out = Array((path.hasPrefix("/") ? "file://" : "file:").utf8)
        for byte in SystemPath.bytes(path) {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                out.append(byte)
            default:
                out += [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
            }
        }
        return String(decoding: out, as: UTF8.self)
    }
}
