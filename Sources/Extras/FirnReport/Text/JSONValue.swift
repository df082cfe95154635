import FirnData

/// A JSON value whose objects keep the order of their fields.
///
/// Source: RFC 8259.
package indirect enum JSONValue: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral
{
    case null
    case bool(Bool)
    case int(Int)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object(Fields)

    package typealias Fields = [(name: String, value: JSONValue)]

    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int) { self = .int(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }

    package init(_ value: Int?) { self = value.map { .int($0) } ?? .null }

    package init(_ value: String?) { self = value.map { .string($0) } ?? .null }

    /// Returns the fields that have a value.
    package static func present(_ fields: [(name: String, value: JSONValue?)]) -> Fields {
        fields.compactMap { field in field.value.map { (field.name, $0) } }
    }

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
            // So that the text may stand in a page.
            case "<": out += "\\u003c"
            // Bytes of a name that is not UTF-8 have no representation in JSON.
            case _ where SystemPath.byte(scalar) != nil: out += "\u{FFFD}"
            // Allowed in JSON from DEL on, but a terminal would interpret them.
            case _ where TerminalText.isObeyed(scalar): out += "\\u" + TerminalText.hex(scalar.value, digits: 4)
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }
}
