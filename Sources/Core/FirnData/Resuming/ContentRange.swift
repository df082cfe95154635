/// The bytes of a body that a response contains: the field `Content-Range` (RFC 9110 §14.4).
package struct ContentRange: Hashable, Sendable {
    /// Position of the first byte.
    package let first: Int
    /// Position of the last byte.
    package let last: Int
    /// Length of the whole body; `nil` if the server does not know it.
    package let total: Int?

    /// Reads the value of the field; returns `nil` if it is malformed, contradictory, or in another unit than bytes.
    package init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let places = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard places.count == 2, let first = ContentRange.number(places[0]), let last = ContentRange.number(places[1]),
            first <= last, last < .max
        else { return nil }
        if parts[1] == "*" {
            total = nil
        } else {
            guard let length = ContentRange.number(parts[1]), last < length else { return nil }
            total = length
        }
        self.first = first
        self.last = last
    }

    /// Digits only: no sign, no space.
    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { $0 >= 48 && $0 <= 57 } ? Int(text) : nil
    }
}
