import FoundationEssentials

/// The terms of a source's response. They bound and complete the responses with the result.
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
}

/// The header fields of a request to a source.
struct SourceFields: Sendable, Hashable {
    var headers = HTTPHeaderFields()
    /// The names of the fields that are passed on from clients that send them.
    var varying: [String] = []
    /// A line for each field that was passed on from the client.
    var client = ""
    /// True if one of these identifies a user.
    var hasCredentials: Bool { ["\nauthorization: ", "\ncookie: "].contains { client.contains($0) } }
}
