/// The members of list-valued header fields.
///
/// Source: RFC 9110 §5.6.1 (lists), §5.6.4 (quoted strings).
package enum FieldList {
    /// Returns the members in all lines of a field, without surrounding white space and without empty members. A comma
    /// inside a quoted string does not separate.
    package static func members(_ values: [String]) -> [String] { values.flatMap { members($0) } }

    package static func members(_ value: String) -> [String] {
        guard value.utf8.contains(UInt8(ascii: ",")) else {
            let member = trimmed(value.utf8)
            if member.isEmpty { return [] }
            return [member.count == value.utf8.count ? value : String(decoding: member, as: UTF8.self)]
        }
        var members: [String] = []
        var current: [UInt8] = []
        var isQuoted = false
        var isEscaped = false
        for byte in value.utf8 {
            if byte == UInt8(ascii: ","), !isQuoted {
                add(current, to: &members)
                current = []
                continue
            }
            current.append(byte)
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && !isEscaped && byte == UInt8(ascii: "\\")
        }
        add(current, to: &members)
        return members
    }

    /// Returns the text without leading and trailing white space (OWS: space and tab).
    package static func trimmed<Text: BidirectionalCollection<UInt8>>(_ text: Text) -> Text.SubSequence {
        var rest = text[...]
        while let first = rest.first, isSpace(first) { rest = rest.dropFirst() }
        while let last = rest.last, isSpace(last) { rest = rest.dropLast() }
        return rest
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func add(_ bytes: [UInt8], to members: inout [String]) {
        let trimmed = trimmed(bytes)
        if !trimmed.isEmpty { members.append(String(decoding: trimmed, as: UTF8.self)) }
    }
}

extension HTTPHeaderFields {
    /// Returns the fields except those with the given names, in lower case.
    package func without(_ names: Set<String>) -> HTTPHeaderFields {
        HTTPHeaderFields(fields.filter { !names.contains($0.name.lowercased()) })
    }

    /// The length of the body on the wire; `nil` if the fields do not state it (RFC 9112 §6.3).
    package var bodyLength: Int? {
        guard self["Transfer-Encoding"] == nil, case .bytes(let length) = ContentLength(self) else { return nil }
        return length
    }
}

/// The length that `Content-Length` states. Repeated equal values count as one (RFC 9110 §8.6).
package enum ContentLength: Equatable {
    case none
    case bytes(Int)
    /// Not a number, or two different values.
    case invalid

    package init(_ headers: HTTPHeaderFields) {
        self = .none
        var first: String?
        for member in FieldList.members(headers.values("Content-Length")) {
            guard let length = Int(digits: member.utf8), first ?? member == member else {
                self = .invalid
                return
            }
            first = member
            self = .bytes(length)
        }
    }
}
