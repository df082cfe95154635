import HTTPTypes

/// An entry of `source-fields` or `response-fields`: a header field that is sent, or passed on.
struct FieldRule: Sendable, Hashable, CustomStringConvertible {
    /// The host that gets it; `nil` for responses.
    let host: AllowedHost?
    let name: String
    /// The value; `nil` to pass the field on.
    let value: String?

    var description: String { (host.map { "\($0) " } ?? "") + name + (value.map { ": \($0)" } ?? "") }

    /// Fields that this server, its loader or its caches set themselves.
    private static let reserved: Set<String> = [
        "accept-encoding", "accept-ranges", "age", "cache-control", "content-disposition", "content-encoding",
        "content-length", "content-range", "content-type", "date", "etag", "expect", "expires", "host", "if-match",
        "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "last-modified", "location", "pragma",
        "range", "retry-after", "server", "set-cookie", "vary", "x-content-type-options", "x-request-id",
    ]

    /// Reads `NAME` or `NAME: VALUE`, after `HOST ` if the field is for sources.
    ///
    /// - Throws: an error without the text, which may have a secret.
    init(_ text: String, isForSources: Bool) throws(ConfigurationError) {
        var rest = text[...]
        host = isForSources ? AllowedHost(String(rest.prefix { $0 != " " })) : nil
        if isForSources { rest = rest.drop { $0 != " " }.drop { $0 == " " } }
        let parts = rest.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        name = parts.first.map(String.init) ?? ""
        value = parts.dropFirst().first.flatMap { FieldRule.valid($0) }
        guard isForSources == (host != nil), HTTPField.Name(name) != nil, (value != nil) == (parts.count > 1),
            !FieldRule.reserved.contains(name.lowercased()), !ConnectionFields.removed(from: [name: ""]).isEmpty
        else {
            let form = isForSources ? "HOST NAME: VALUE" : "NAME: VALUE"
            throw ConfigurationError("an entry is not \(form), or the server sets its field itself")
        }
    }

    /// Returns a value without surrounding white space; `nil` if it is empty, too long or not printable ASCII.
    static func valid(_ value: some StringProtocol) -> String? {
        let bytes = FieldList.trimmed(Array(value.utf8))
        guard (1...4096).contains(bytes.count), bytes.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension ServeSettings {
    /// The names of the fields that may be passed on from clients.
    var clientFields: [String] { sourceFields.filter { $0.value == nil }.map(\.name) }

    /// Returns the fields to send to an address.
    ///
    /// - Parameter client: the fields of the client's request.
    func fields(for address: WebAddress, _ client: HTTPFields) -> SourceFields {
        var fields = SourceFields()
        for rule in sourceFields where rule.host.map({ [$0].host(of: address) != nil }) ?? false {
            if rule.value == nil { fields.varying.append(rule.name) }
            guard let value = rule.value ?? client.value(rule.name).flatMap({ FieldRule.valid($0) }) else { continue }
            fields.headers[rule.name] = value
            if rule.value == nil { fields.client += "\n\(rule.name.lowercased()): \(value)" }
        }
        return fields
    }
}
