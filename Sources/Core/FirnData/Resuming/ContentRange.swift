/// The bytes of a body that a response contains: the field `Content-Range` (RFC 9110 §14.4).
package struct ContentRange: Hashable, Sendable {
    /// Position of the first byte.
    package let first: Int
    /// Position of the last byte.
    package let last: Int
    /// Length of the whole body; `nil` if the server does not know it.
    package let total: Int?

    /// Reads the field of a response; returns `nil` if there is none, or several.
    package init?(_ headers: HTTPHeaderFields) {
        let values = headers.values("Content-Range")
        guard values.count == 1, let text = values.first else { return nil }
        self.init(text)
    }

    /// Reads the value of the field; returns `nil` if it is malformed, contradictory, or in another unit than bytes.
    package init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let places = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard places.count == 2, let first = Int(digits: places[0].utf8), let last = Int(digits: places[1].utf8),
            first <= last, last < .max
        else { return nil }
        if parts[1] == "*" {
            total = nil
        } else {
            guard let length = Int(digits: parts[1].utf8), last < length else { return nil }
            total = length
        }
        self.first = first
        self.last = last
    }

    /// Returns whether a body has several parts, each with a range of its own.
    package static func hasParts(_ headers: HTTPHeaderFields) -> Bool {
        headers["Content-Type"]?.lowercased().hasPrefix("multipart/") ?? false
    }
}
