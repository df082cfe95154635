package import FirnData

/// Which fields of a request an answer depends on.
///
/// Source: RFC 9111 §4.1.
package enum VaryRule: Equatable {
    /// On the address alone.
    case nothing
    /// On these fields; names in lower case, sorted.
    case fields([String])
    /// On more than the request says (`*`): it never serves another.
    case everything

    package init(_ headers: HTTPHeaderFields) {
        let names = Set(FieldList.members(headers.values("Vary")).map { $0.lowercased() })
        if names.contains("*") {
            self = .everything
        } else {
            self = names.isEmpty ? .nothing : .fields(names.sorted())
        }
    }

    /// What of a request an answer depends on, so written that requests that ask for the same have the same.
    package func selecting(_ request: HTTPHeaderFields) -> HTTPHeaderFields {
        guard case .fields(let names) = self else { return HTTPHeaderFields() }
        return HTTPHeaderFields(
            names.map { HTTPHeaderFields.Field(name: $0, value: VaryRule.normalized($0, in: request)) })
    }

    /// Whether a request asks for what `selecting` was made of.
    package static func matches(_ selecting: HTTPHeaderFields, _ request: HTTPHeaderFields) -> Bool {
        selecting.fields.allSatisfy { normalized($0.name, in: request) == $0.value }
    }

    /// A field's value: "-" if the field is missing; "+" and its lines put together, without optional white space; "#" and a hash
    /// of it, if it is a credential.
    ///
    /// Of what content is negotiated by, neither the order of members nor their case says anything (RFC 9110 §12.5).
    private static func normalized(_ name: String, in request: HTTPHeaderFields) -> String {
        let values = request.values(name)
        guard !values.isEmpty else { return "-" }
        if credentials.contains(name) { return "#" + digest(of: values) }
        var members = FieldList.members(values)
        if negotiating.contains(name) { members = members.map(withoutSpace).sorted() }
        return "+" + members.joined(separator: ",")
    }

    /// Fields whose values are not written down: a hash of 64 bits tells users apart, and says too little to find a token by.
    private static let credentials: Set<String> = ["authorization", "cookie", "proxy-authorization"]

    /// FNV-1a of all lines.
    private static func digest(of values: [String]) -> String {
        let hash = values.joined(separator: "\n").utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        return String(hash, radix: 16)
    }

    private static let negotiating: Set<String> = ["accept", "accept-charset", "accept-encoding", "accept-language"]

    private static func withoutSpace(_ text: String) -> String {
        String(decoding: text.utf8.filter { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self).lowercased()
    }
}
