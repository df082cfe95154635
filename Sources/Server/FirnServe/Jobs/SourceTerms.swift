import FirnCache
import FirnData
import FirnDigest
import FoundationEssentials
import HTTPTypes

/// What a source states about its response. It bounds and completes the responses with the result.
struct SourceTerms: Sendable, Hashable {
    /// The end of its freshness, in seconds since 1970; `Int.max` if it states none.
    var freshUntil = Int.max
    /// The time of its last change, in seconds since 1970; `nil` if it is unknown.
    var modified: Int?
    /// The fields that are passed on to clients.
    var fields = HTTPHeaderFields()
    /// True if the response is for one client only.
    var isPrivate = false
    /// True for `no-store`.
    var forbidsStoring = false
}

extension SourceTerms {
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
            let (until, isEndless) = now.addingReportingOverflow(Int(clamping: max(0, rest)))
            freshUntil = isEndless ? .max : until
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
    /// - Returns: `nil` if it is malformed, or if the field is not the operator's to set.
    init?(_ text: String, isForSources: Bool) {
        var rest = text[...]
        host = isForSources ? AllowedHost(String(rest.prefix { $0 != " " })) : nil
        if isForSources { rest = rest.drop { $0 != " " }.drop { $0 == " " } }
        let parts = rest.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard host != nil || !isForSources, let name = parts.first.map(String.init), HTTPField.Name(name) != nil,
            !FieldRule.reserved.contains(name.lowercased()), !ConnectionFields.removed(from: [name: ""]).isEmpty
        else { return nil }
        self.name = name
        value = parts.dropFirst().first.flatMap { FieldRule.valid($0) }
        if parts.count > 1, value == nil { return nil }
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
    /// Differs between clients whose fields were passed on and differ; empty if none was.
    var client = ""
    /// True if these identify a user.
    var hasCredentials = false
}

extension ServeSettings {
    /// The names of the fields that may be passed on from clients.
    var clientFields: [String] { sourceFields.filter { $0.value == nil }.map(\.name) }

    /// Returns the fields to send to an address.
    ///
    /// - Parameter client: the fields of the client's request.
    func fields(for address: WebAddress, _ client: HTTPFields) -> SourceFields {
        var fields = SourceFields()
        var passed: [String] = []
        for rule in sourceFields where [rule.host].compactMap({ $0 }).host(of: address) != nil {
            guard let value = rule.value ?? client.value(rule.name).flatMap({ FieldRule.valid($0) }) else { continue }
            fields.headers[rule.name] = value
            guard rule.value == nil else { continue }
            passed.append("\(rule.name.lowercased()): \(value)")
            if ["authorization", "cookie"].contains(rule.name.lowercased()) { fields.hasCredentials = true }
        }
        if !passed.isEmpty { fields.client = HexadecimalDigest.text(of: Data(passed.joined(separator: "\n").utf8)) }
        return fields
    }
}
