@_exported public import FirnData
@_exported public import FirnImage

/// A value that JSON can represent.
package protocol JSONConvertible {
    var json: JSONValue { get }
}

extension Bool: JSONConvertible { package var json: JSONValue { .bool(self) } }
extension Int: JSONConvertible { package var json: JSONValue { .int(self) } }
extension Double: JSONConvertible { package var json: JSONValue { .double(self) } }
extension String: JSONConvertible { package var json: JSONValue { .string(self) } }
extension Array: JSONConvertible where Element: JSONConvertible {
    package var json: JSONValue { .array(map(\.json)) }
}

/// A JSON value whose objects keep the order of their fields.
///
/// Source: RFC 8259.
package indirect enum JSONValue: Sendable, JSONConvertible, ExpressibleByDictionaryLiteral {
    case null
    case bool(Bool)
    case int(Int)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object(Fields)

    package typealias Fields = [(name: String, value: JSONValue)]

    /// Creates an object. Fields whose value is `nil` are left out.
    package init(dictionaryLiteral fields: (String, (any JSONConvertible)?)...) {
        self = .object(fields.compactMap { name, value in value.map { (name, $0.json) } })
    }

    /// Creates null for `nil`.
    package init(_ value: (any JSONConvertible)?) { self = value?.json ?? .null }

    /// Returns the fields that have a value.
    package static func fields(_ fields: KeyValuePairs<String, (any JSONConvertible)?>) -> Fields {
        fields.compactMap { name, value in value.map { (name, $0.json) } }
    }

    package var json: JSONValue { self }

    /// Creates a duration in milliseconds with three decimals, or null.
    package init(milliseconds: Duration?) {
        self = milliseconds.map { .double(($0.milliseconds * 1000).rounded() / 1000) } ?? .null
    }

    /// The value in one line of UTF-8, without optional spaces.
    package var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .int(let value): String(value)
        // JSON has neither infinities nor NaN.
        case .double(let value): value.isFinite ? "\(value)" : "null"
        case .string(let value): JSONValue.quoted(value)
        case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
        case .object(let fields):
            "{" + fields.map { "\(JSONValue.quoted($0.name)):\($0.value.text)" }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ string: String) -> String {
        var out = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case "\r": out += "\\r"
            case "\t": out += "\\t"
            // Escaped, so that the text can be embedded in HTML.
            case "<": out += "\\u003c"
            // Bytes that are not UTF-8 have no representation in JSON.
            case _ where SystemPath.byte(scalar) != nil: out += "\u{FFFD}"
            // Allowed in JSON from DEL on, but a terminal would interpret them.
            case _ where TerminalText.isObeyed(scalar): out += "\\u" + TerminalText.hex(scalar.value, digits: 4)
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }
}
