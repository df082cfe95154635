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
    case object([(name: String, value: JSONValue)])

    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int) { self = .int(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }

    package init(_ value: Int?) { self = value.map { .int($0) } ?? .null }

    package init(_ value: String?) { self = value.map { .string($0) } ?? .null }

    /// Creates a duration in milliseconds with three decimals, or null.
    package init(milliseconds: Duration?) {
        self = milliseconds.map { .double(($0.milliseconds * 1000).rounded() / 1000) } ?? .null
    }

    /// The value in one line of UTF-8, without optional spaces.
    package var text: String {
        var out = ""
        write(to: &out)
        return out
    }

    private func write(to out: inout String) {
        switch self {
        case .null: out += "null"
        case .bool(let value): out += value ? "true" : "false"
        case .int(let value): out += String(value)
        // JSON has neither infinities nor NaN.
        case .double(let value): out += value.isFinite ? "\(value)" : "null"
        case .string(let value): JSONValue.write(value, to: &out)
        case .array(let values):
            out += "["
            for (index, value) in values.enumerated() {
                if index > 0 { out += "," }
                value.write(to: &out)
            }
            out += "]"
        case .object(let fields):
            out += "{"
            for (index, field) in fields.enumerated() {
                if index > 0 { out += "," }
                JSONValue.write(field.name, to: &out)
                out += ":"
                field.value.write(to: &out)
            }
            out += "}"
        }
    }

    private static func write(_ string: String, to out: inout String) {
        out += "\""
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
            case _ where TerminalText.isObeyed(scalar):
                let hex = String(scalar.value, radix: 16)
                out += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: out.unicodeScalars.append(scalar)
            }
        }
        out += "\""
    }
}
