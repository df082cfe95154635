/// The entity tags of an `If-None-Match` or `If-Match` field (RFC 9110 §13.1).
package struct EntityTagList: Sendable, Equatable {
    /// Whether the field is `*`, which every representation matches.
    package let isAny: Bool
    /// The tags with their quotation marks, without the mark of weak ones.
    package let tags: [String]

    /// The most tags that are read.
    private static let most = 64

    /// Reads a field; tags that are not well-formed are left out.
    package init(_ field: String) {
        isAny = field.filter { $0 != " " && $0 != "\t" } == "*"
        var tags: [String] = []
        var rest = field[...]
        while tags.count < EntityTagList.most, let start = rest.firstIndex(of: "\"") {
            let inner = rest.index(after: start)
            guard let end = rest[inner...].firstIndex(of: "\"") else { break }
            tags.append(String(rest[start...end]))
            rest = rest[rest.index(after: end)...]
        }
        self.tags = tags
    }

    /// Compares weakly, as `If-None-Match` does.
    package func contains(_ tag: String) -> Bool {
        isAny || tags.contains(tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag)
    }
}
