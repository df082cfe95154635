import FirnCache
import FirnData
import FirnSync
import FoundationEssentials
import HTTPTypes

/// What a source states about its response. It bounds and completes the responses with the result.
struct SourceTerms: Sendable, Hashable, Codable {
    /// The end of its freshness, in seconds since 1970; `Int.max` if it states none.
    var freshUntil = Int.max
    /// The time of its last change, in seconds since 1970; `nil` if it is unknown.
    var modified: Int?
    /// The fields that are passed on to clients, by their configured names.
    var fields: [String: String] = [:]
    /// True if the response is for one client only.
    var isPrivate = false
    /// True for `no-store`.
    var forbidsStoring = false
}

extension SourceTerms {
    /// The terms as JSON in ASCII.
    var text: String { (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "" }

    init?(text: String) {
        guard let terms = try? JSONDecoder().decode(SourceTerms.self, from: Data(text.utf8)) else { return nil }
        self = terms
    }

    /// Reads the terms of a source.
    ///
    /// - Parameters:
    ///   - response: the response of the source; `nil` for a file.
    ///   - now: the current time in seconds since 1970.
    init(_ response: StoredResponse?, of source: SourceReference, _ settings: ServeSettings, now: Int) {
        modified = source.modified
        guard let response else { return }
        if let text = response.headers["Last-Modified"] {
            // A change after the response would match conditions that it must not match (RFC 9110 §8.8.2.1).
            modified = HTTPDate.anySeconds(text, now: Int64(now)).map { min(Int(clamping: $0), now) }
        }
        for rule in settings.responseFields where rule.value == nil {
            fields[rule.name] = FieldRule.valid(response.headers.values(rule.name).joined(separator: ", "))
        }
        guard settings.imgproxy.followsSources else { return }
        var shared = HTTPCachePolicy()
        shared.isShared = true
        let ends = [HTTPCachePolicy(), shared].compactMap { $0.statedStaleTime(response) }
        if let end = ends.min() {
            // The clock of the pipeline is that of the system.
            let rest = end / 1_000_000_000 - Int64(clamping: ServeClock.seconds())
            freshUntil = Int(clamping: Int64(now).saturatingAdd(max(0, rest)))
        }
        let said = CacheDirectives(response.headers)
        let redirects = response.redirects.map { CacheDirectives($0.headers) }
        isPrivate =
            said.isPrivate(hasCredentials: source.hasCredentials)
            || redirects.contains { $0.isPrivate(hasCredentials: false) }
        forbidsStoring = ([said] + redirects).contains { $0.has("no-store") }
    }
}

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

/// The header fields of a request to a source.
struct SourceFields: Sendable, Hashable {
    var headers = HTTPHeaderFields()
    /// A line for each field that was passed on from the client.
    var client = ""
    /// True if one of these identifies a user.
    var hasCredentials: Bool { ["\nauthorization: ", "\ncookie: "].contains { client.contains($0) } }
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
            guard let value = rule.value ?? client.value(rule.name).flatMap({ FieldRule.valid($0) }) else { continue }
            fields.headers[rule.name] = value
            if rule.value == nil { fields.client += "\n\(rule.name.lowercased()): \(value)" }
        }
        return fields
    }
}
