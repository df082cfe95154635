/// Removes secrets from addresses, for logs, traces, reports and messages.
///
/// Removes the user name and password with their `@`. In the query and the fragment, replaces a value with `…` if its
/// name is that of a secret (`token`, `key`, `signature`, `X-Amz-…`), if it looks random, or if it is an address with a
/// secret. Keeps scheme, host, port, path and names, so that addresses can still be told apart.
package struct AddressRedaction: Hashable, Sendable {
    /// True if addresses are shown unchanged.
    package var showsQueries: Bool

    /// - Parameter showsQueries: whether addresses are shown unchanged. Default: no.
    package init(showsQueries: Bool = false) { self.showsQueries = showsQueries }

    /// The replacement for a removed value.
    package static let mark = "…"

    /// Returns `address` without its secrets. A text without `://` is returned unchanged.
    package func address(_ address: String) -> String {
        guard !showsQueries, let scheme = address.firstRange(of: "://") else { return address }
        let rest = address[scheme.upperBound...]
        let end = rest.firstIndex { "/?#\\".contains($0) } ?? rest.endIndex
        var authority = rest[..<end]
        if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
        var redacted = address[..<scheme.upperBound] + authority
        // Both parts are lists of fields: a login page returns its result in the fragment.
        var tail = rest[end...]
        let path = tail.prefix { $0 != "?" && $0 != "#" }
        redacted += path
        tail = tail.dropFirst(path.count)
        while let separator = tail.first {
            let field = tail.dropFirst().prefix { !"&;#?".contains($0) }
            redacted.append(separator)
            redacted += AddressRedaction.field(field)
            tail = tail.dropFirst(1 + field.count)
        }
        return String(redacted)
    }

    /// Returns `text` with every address in it redacted. An address starts with its scheme and ends before a space,
    /// quotation mark or angle bracket.
    package func text(_ text: String) -> String {
        guard !showsQueries, text.contains("://") else { return text }
        var redacted = ""
        var rest = text[...]
        while let colon = rest.firstRange(of: "://") {
            let end = rest[colon.upperBound...].firstIndex { $0.isWhitespace || "\"'<>".contains($0) } ?? rest.endIndex
            redacted += rest[..<colon.lowerBound]
            redacted += address(String(rest[colon.lowerBound..<end]))
            rest = rest[end...]
        }
        return redacted + rest
    }

    /// Redacts `name=value`, or a name without a value.
    private static func field(_ field: Substring) -> String {
        guard let equals = field.firstIndex(of: "=") else {
            return SecretWords.isRandom(decoded(field)) ? mark : String(field)
        }
        let value = decoded(field[field.index(after: equals)...])
        guard !value.isEmpty else { return String(field) }
        let hides =
            SecretWords.isSecret(decoded(field[..<equals])) || SecretWords.isRandom(value)
            || AddressRedaction().address(value) != value
        return hides ? field[...equals] + mark : String(field)
    }

    private static func decoded(_ text: Substring) -> String {
        String(decoding: PercentEncoding.decoded(text.utf8), as: UTF8.self)
    }
}
