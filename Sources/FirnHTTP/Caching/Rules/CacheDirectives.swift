package import FirnData

/// The directives of `Cache-Control`, of a request or an answer.
///
/// Names are compared without case. Of a directive that occurs several times the first counts (RFC 9111 §4.2.1); one that
/// is there but malformed is told from one that is not there.
/// Source: RFC 9111 §5.2.
package struct CacheDirectives: Hashable {
    /// A directive with a number of seconds.
    package enum Seconds: Hashable {
        case absent
        /// There, but without a valid number: freshness information that is invalid makes stale (RFC 9111 §4.2.1).
        case invalid
        case valid(Int64)
    }

    private var arguments: [String: String?] = [:]
    private var malformed: Set<String> = []

    package init(_ headers: HTTPHeaderFields) {
        for member in FieldList.members(headers.values("Cache-Control")) { add(member) }
    }

    /// Whether a directive is there, with or without an argument.
    package func has(_ name: String) -> Bool { arguments.keys.contains(name) }

    /// Whether there is none at all.
    package var isEmpty: Bool { arguments.isEmpty && malformed.isEmpty }

    /// The number of seconds of a directive.
    package func seconds(_ name: String) -> Seconds {
        guard let argument = arguments[name] else { return malformed.contains(name) ? .invalid : .absent }
        guard let argument, let seconds = DeltaSeconds.parse(argument) else { return .invalid }
        return .valid(seconds)
    }

    /// The number of seconds of a directive that is there and valid.
    package func validSeconds(_ name: String) -> Int64? {
        if case .valid(let seconds) = seconds(name) { seconds } else { nil }
    }

    /// Whether a directive holds for the whole answer, and not only for fields that it names.
    package func isWhole(_ name: String) -> Bool {
        guard let argument = arguments[name] else { return false }
        return argument == nil || fields(name).isEmpty
    }

    /// The fields that `no-cache` or `private` is about; none where it is about all of the answer.
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
        // White space on either side is not in the grammar: what was meant is anybody's guess.
        guard trimmedName == name, FieldList.trimmed(value) == value, let argument = CacheDirectives.argument(value)
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

    /// A token or a quoted string; `nil` for what is neither.
    private static func argument(_ bytes: [UInt8]) -> String? {
        guard bytes.first == UInt8(ascii: "\"") else {
            guard !bytes.isEmpty, !bytes.contains(UInt8(ascii: "\"")) else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
        var text: [UInt8] = []
        var isEscaped = false
        for (place, byte) in bytes.enumerated().dropFirst() {
            if isEscaped {
                text.append(byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                return place == bytes.count - 1 ? String(decoding: text, as: UTF8.self) : nil
            } else {
                text.append(byte)
            }
        }
        return nil
    }
}
