/// A property that two responses share only if their bodies are equal byte for byte.
///
/// Source: RFC 9110 §8.8.
package enum BodyValidator: Codable, Hashable, Sendable {
    /// A strong entity tag, quotes included.
    case entityTag(String)
    /// A modification time that counts as a strong validator, as the server wrote it.
    case lastModified(String)

    /// Reads the validator of a body with these header fields; returns `nil` if there is no strong one.
    package init?(_ headers: HTTPHeaderFields) {
        if let tag = headers["ETag"] {
            // A weak tag means that the body may have changed, so the modification time proves nothing.
            guard BodyValidator.isStrong(tag) else { return nil }
            self = .entityTag(tag)
        } else if let text = headers["Last-Modified"], let changed = HTTPDate.seconds(text),
            let date = headers["Date"].flatMap({ HTTPDate.seconds($0) }),
            date - changed >= BodyValidator.minimumAge
        {
            self = .lastModified(text)
        } else {
            return nil
        }
    }

    /// Returns whether a response with these header fields has the same body.
    package func matches(_ headers: HTTPHeaderFields) -> Bool {
        switch self {
        case .entityTag(let tag): headers.values("ETag") == [tag]
        case .lastModified(let text): headers["ETag"] == nil && headers.values("Last-Modified") == [text]
        }
    }

    /// The value for `If-Range`.
    package var text: String {
        switch self {
        case .entityTag(let tag): tag
        case .lastModified(let text): text
        }
    }

    /// Minimum seconds between modification and response for a one-second timestamp to be strong. RFC 9110 §8.8.2.2
    /// requires enough to exclude clock differences; the number is from RFC 7232.
    private static let minimumAge: Int64 = 60

    private static func isStrong(_ tag: String) -> Bool {
        let bytes = Array(tag.utf8)
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
            return false
        }
        // No quotation mark and nothing that could end the line (RFC 9110 §8.8.3).
        return bytes[1..<(bytes.count - 1)].allSatisfy { $0 == 0x21 || $0 >= 0x23 && $0 != 0x7F }
    }
}
