/// The request fields that a response depends on.
///
/// Source: RFC 9111 §4.1.
package enum VaryRule: Equatable {
    /// These fields, in lower case and sorted. If empty, only the address matters.
    case fields([String])
    /// More than the request (`*`): matches no other request.
    case everything

    package init(_ headers: HTTPHeaderFields) {
        let names = Set(FieldList.members(headers.values("Vary")).map { $0.lowercased() })
        self = names.contains("*") ? .everything : .fields(names.sorted())
    }

    /// Returns the request fields that a response depends on, normalized: equal for requests with the same meaning.
    package func selecting(_ request: HTTPHeaderFields) -> HTTPHeaderFields {
        guard case .fields(let names) = self else { return HTTPHeaderFields() }
        return HTTPHeaderFields(
            names.map { HTTPHeaderFields.Field(name: $0, value: VaryRule.normalized($0, in: request)) })
    }

    /// Returns whether a request has the same selecting fields.
    package static func matches(_ selecting: HTTPHeaderFields, _ request: HTTPHeaderFields) -> Bool {
        selecting.fields.allSatisfy { normalized($0.name, in: request) == $0.value }
    }

    /// Returns a field's normalized value: "-" if the field is missing; "+" and the joined lines, without optional
    /// white space; "#" and a hash for a credential.
    ///
    /// For content negotiation, neither order nor case of the members matters (RFC 9110 §12.5).
    private static func normalized(_ name: String, in request: HTTPHeaderFields) -> String {
        let values = request.values(name)
        guard !values.isEmpty else { return "-" }
        if credentials.contains(name) { return "#" + String(XXH64.hash(values.joined(separator: "\n")), radix: 16) }
        var members = FieldList.members(values)
        if negotiating.contains(name) { members = members.map(withoutSpace).sorted() }
        return "+" + members.joined(separator: ",")
    }

    /// Fields whose values are not stored. A 64-bit hash distinguishes users but is too short to recover a token.
    private static let credentials: Set<String> = ["authorization", "cookie", "proxy-authorization"]

    private static let negotiating: Set<String> = ["accept", "accept-charset", "accept-encoding", "accept-language"]

    private static func withoutSpace(_ text: String) -> String {
        String(decoding: text.utf8.filter { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self).lowercased()
    }
}
