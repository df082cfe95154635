import FirnData

/// Text that is put into a page without escaping.
struct Markup: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    private(set) var text: String

    init(stringLiteral value: String) { text = value }

    init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

    init(joining parts: [Markup]) { text = parts.map(\.text).joined() }

    /// Interpolates values; text from outside is escaped.
    struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        mutating func appendLiteral(_ literal: String) { text += literal }
        mutating func appendInterpolation(_ value: String) { text += MarkupText.escaped(value) }
        mutating func appendInterpolation(_ value: Int) { text += String(value) }
        mutating func appendInterpolation(_ markup: Markup) { text += markup.text }
        /// With one decimal, for places in an image.
        mutating func appendInterpolation(_ value: Double) {
            let tenths = (value * 10).rounded()
            text += tenths.isFinite ? String(Double(tenths) / 10) : "0"
        }
    }
}
