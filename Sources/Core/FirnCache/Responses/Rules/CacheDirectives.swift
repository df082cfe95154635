/// The `Cache-Control` directives of a request or response.
///
/// Names are case-insensitive. Of repeated directives, the first counts (RFC 9111 §4.2.1). A malformed directive
/// differs from a missing one. Source: RFC 9111 §5.2.
package struct CacheDirectives: Hashable {
    package enum Seconds: Hashable {
        case absent
        /// Present without a valid number. Invalid freshness information makes a response stale (RFC 9111 §4.2.1).
        case invalid
        case valid(Int64)
    }

    private var arguments: [String: String?] = [:]
    private var malformed: Set<String> = []

    package init(_ headers: HTTPHeaderFields) {
        for member in FieldList.members(headers.values("Cache-Control")) { add(member) }
    }

    /// Returns whether a directive is present, with or without an argument.
    package func has(_ name: String) -> Bool { arguments.keys.contains(name) }

    package var isEmpty: Bool { arguments.isEmpty && malformed.isEmpty }

    package func seconds(_ name: String) -> Seconds {
        guard let argument = arguments[name] else { return malformed.contains(name) ? .invalid : .absent }
        guard let argument, let seconds = DeltaSeconds.parse(argument) else { return .invalid }
        return .valid(seconds)
    }

    package func validSeconds(_ name: String) -> Int64? {
        if case .valid(let seconds) = seconds(name) { seconds } else { nil }
    }

    /// Returns whether a directive is present without an argument and so applies to the whole response, not only to
    /// named fields.
    package func isWhole(_ name: String) -> Bool { has(name) && fields(name).isEmpty }

    /// Returns whether a response is for one client only (RFC 9111 §3).
    ///
    /// - Parameter hasCredentials: whether the request had credentials, which only an explicit directive overrides.
    package func isPrivate(hasCredentials: Bool) -> Bool {
        isWhole("private") || hasCredentials && !["public", "must-revalidate", "s-maxage"].contains { has($0) }
    }

    /// Returns the fields that `no-cache` or `private` names; none if it applies to the whole response.
    package func fields(_ name: String) -> [String] {
        guard case .some(.some(let argument)) = arguments[name] else { return [] }
        return FieldList.members(argument)
    }

    private mutating func add(_ member: String) {
        let bytes = Array(member.utf8)
        guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else {
            return set(member.lowercased(), nil)
        }
        let name = Array(bytes[..<equals])
        let value = Array(bytes[(equals + 1)...])
        let trimmedName = FieldList.trimmed(name)
        let text = String(decoding: trimmedName, as: UTF8.self).lowercased()
        // The grammar allows no white space around the sign; the meaning is undefined.
        guard trimmedName.count == name.count, FieldList.trimmed(value).count == value.count,
            let argument = CacheDirectives.argument(value)
        else {
            if arguments[text] == nil { malformed.insert(text) }
            return
        }
        set(text, argument)
    }

    private mutating func set(_ name: String, _ argument: String?) {
        guard arguments[name] == nil, !malformed.contains(name) else { return }
        arguments[name] = .some(argument)
    }

    /// Reads a token or a quoted string; returns `nil` for anything else.
    private static func argument(_ bytes: [UInt8]) -> String? {
        guard bytes.first == UInt8(ascii: "\"") else {
            guard !bytes.isEmpty, !bytes.contains(UInt8(ascii: "\"")) else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
        var text: [UInt8] = []
        var rest = bytes.dropFirst()
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return rest.isEmpty ? String(decoding: text, as: UTF8.self) : nil }
            guard let next = byte == UInt8(ascii: "\\") ? rest.popFirst() : byte else { return nil }
            text.append(next)
        }
        return nil
    }
}

enum DeltaSeconds {
    /// The maximum; larger numbers are clamped to it (RFC 9111 §1.2.2).
    static let limit: Int64 = 1 << 31

    /// Reads digits; returns `nil` for anything else.
    static func parse(_ text: String) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) else { return nil }
        return text.utf8.reduce(0) { min($0 * 10 + Int64($1 - 48), limit) }
    }
}
