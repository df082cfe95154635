/// What two answers have in common only if their bodies are the same, byte for byte.
///
/// Source: RFC 9110 §8.8.
package enum BodyValidator: Hashable, Sendable {
    /// A strong entity tag, quotes included.
    case entityTag(String)
    /// A time of last change that counts as strong, as the server wrote it.
    case lastModified(String)

    /// The validator of a body with these header fields; `nil` if they have none that is strong.
    package init?(_ headers: HTTPHeaderFields) {
        if let tag = headers["ETag"] {
            // A weak tag says that the body may have changed; the time that comes with it then says no more.
            guard BodyValidator.isStrong(tag) else { return nil }
            self = .entityTag(tag)
        } else if let text = headers["Last-Modified"], let changed = HTTPDate.seconds(text),
            let date = headers["Date"].flatMap({ HTTPDate.seconds($0) }),
            date - changed >= BodyValidator.leastAge
        {
            self = .lastModified(text)
        } else {
            return nil
        }
    }

    /// Whether an answer with these header fields has the same body.
    package func matches(_ headers: HTTPHeaderFields) -> Bool {
        switch self {
        case .entityTag(let tag): headers.values("ETag") == [tag]
        case .lastModified(let text): headers["ETag"] == nil && headers.values("Last-Modified") == [text]
        }
    }

    /// The value of `If-Range`.
    package var text: String {
        switch self {
        case .entityTag(let tag): tag
        case .lastModified(let text): text
        }
    }

    /// Seconds between the last change and the answer from which on a time of one second's resolution is strong.
    /// RFC 9110 §8.8.2.2 asks for enough to rule out that the clocks differ; RFC 7232 said how much that is.
    private static let leastAge: Int64 = 60

    private static func isStrong(_ tag: String) -> Bool {
        let bytes = Array(tag.utf8)
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
            return false
        }
        // Neither a quote nor what could end the line inside (RFC 9110 §8.8.3).
        return bytes[1..<(bytes.count - 1)].allSatisfy { $0 == 0x21 || $0 >= 0x23 && $0 != 0x7F }
    }
}
