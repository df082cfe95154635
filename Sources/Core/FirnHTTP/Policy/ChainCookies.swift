/// The cookies of one chain of redirects (RFC 6265): each is sent only to the origin that set it, within this chain.
///
/// Paths and domains have no effect. Secure cookies are not accepted over http.
struct ChainCookies: Equatable {
    private struct Cookie: Equatable {
        let origin: Origin
        let name: String
        let value: String
    }

    private static let most = 50
    /// The maximum number of bytes of a cookie.
    private static let longest = 4096

    private var cookies: [Cookie] = []
    /// The caller's own value, while the origin stays the same.
    private var own: String?

    /// Stores the cookies of a redirect.
    ///
    /// - Parameters:
    ///   - fields: the fields `Set-Cookie`.
    ///   - sent: the field `Cookie` of the request.
    ///   - isFirst: whether the request was the first of the chain.
    mutating func keep(_ fields: [String], of origin: Origin, sent: String?, isFirst: Bool) {
        if isFirst { own = sent }
        for field in fields.prefix(Self.most) {
            let parts = field.split(separator: ";", omittingEmptySubsequences: false).map { Self.trimmed($0.utf8) }
            guard let pair = parts.first, let mark = pair.firstIndex(of: "=") else { continue }
            let name = Self.trimmed(pair[..<mark].utf8)
            let value = Self.trimmed(pair[pair.index(after: mark)...].utf8)
            let attributes = parts.dropFirst().map { $0.lowercased() }
            guard !name.isEmpty, pair.utf8.count <= Self.longest,
                pair.utf8.allSatisfy({ (0x20...0x7E).contains($0) }),
                origin.scheme == "https" || !attributes.contains("secure")
            else { continue }
            cookies.removeAll { $0.origin == origin && $0.name == name }
            let isOver = attributes.contains { $0.hasPrefix("max-age=0") || $0.hasPrefix("max-age=-") }
            if !isOver, cookies.count < Self.most { cookies.append(Cookie(origin: origin, name: name, value: value)) }
        }
    }

    /// Returns the field `Cookie` of the next request; `nil` for none.
    mutating func field(for origin: Origin, from last: Origin) -> String? {
        if origin != last { own = nil }
        let set = cookies.filter { $0.origin == origin }.map { "\($0.name)=\($0.value)" }
        let all = (own.map { [$0] } ?? []) + set
        return all.isEmpty ? nil : all.joined(separator: "; ")
    }

    private static func trimmed(_ text: Substring.UTF8View) -> String {
        String(decoding: FieldList.trimmed(text), as: UTF8.self)
    }
}
