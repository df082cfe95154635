import FirnData

/// A drawing of boxes, lines and text, as SVG without scripts and styles: dark text on a light background.
///
/// Source: SVG 1.1 (second edition), chapters 9 and 10.
package struct SVGDrawing: Sendable {
    /// Colors by their meaning.
    package enum Ink: String, Sendable {
        case words = "#1f2a33"
        case quiet = "#66737d"
        case faint = "#d5dce1"
        case met = "#3a7ca5"
        case missed = "#c8553d"
        case plain = "#93a4ae"
    }

    /// The end of a text that is aligned with its position.
    package enum Anchor: String, Sendable {
        case start, middle, end
    }

    private let width: Double
    private var elements = ""

    /// Creates an empty drawing.
    package init(width: Double) { self.width = width }

    package mutating func rect(x: Double, y: Double, width: Double, height: Double, _ ink: Ink) {
        elements +=
            "<rect x=\"\(place(x))\" y=\"\(place(y))\" width=\"\(place(max(0, width)))\" height=\"\(place(height))\" "
            + "fill=\"\(ink.rawValue)\"/>\n"
    }

    package mutating func line(
        from start: (x: Double, y: Double), to end: (x: Double, y: Double), _ ink: Ink, width: Double = 1,
        isDashed: Bool = false
    ) {
        elements +=
            "<line x1=\"\(place(start.x))\" y1=\"\(place(start.y))\" x2=\"\(place(end.x))\" y2=\"\(place(end.y))\" "
            + "stroke=\"\(ink.rawValue)\" stroke-width=\"\(place(width))\""
            + (isDashed ? " stroke-dasharray=\"3 3\"" : "") + "/>\n"
    }

    /// Draws a line through points, with a dot at each; hollow if `isHollow` is set.
    package mutating func course(_ points: [(x: Double, y: Double, isHollow: Bool)], _ ink: Ink) {
        if points.count > 1 {
            let places = points.map { "\(place($0.x)),\(place($0.y))" }.joined(separator: " ")
            elements +=
                "<polyline points=\"\(places)\" fill=\"none\" stroke=\"\(ink.rawValue)\" stroke-width=\"1.5\"/>\n"
        }
        for point in points {
            elements +=
                "<circle cx=\"\(place(point.x))\" cy=\"\(place(point.y))\" r=\"2.2\" "
                + "fill=\"\(point.isHollow ? "#ffffff" : ink.rawValue)\" stroke=\"\(ink.rawValue)\"/>\n"
        }
    }

    package mutating func text(
        _ text: String, x: Double, y: Double, _ ink: Ink = .words, size: Double = 11, anchor: Anchor = .start,
        isBold: Bool = false
    ) {
        elements +=
            "<text x=\"\(place(x))\" y=\"\(place(y))\" fill=\"\(ink.rawValue)\" font-size=\"\(place(size))\" "
            + "text-anchor=\"\(anchor.rawValue)\"\(isBold ? " font-weight=\"bold\"" : "")>"
            + "\(MarkupText.escaped(text))</text>\n"
    }

    /// Returns the file with the given height.
    package func file(height: Double, title: String) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="\(place(width))" height="\(place(height))" \
        viewBox="0 0 \(place(width)) \(place(height))" font-family="DejaVu Sans, Verdana, sans-serif">
        <title>\(MarkupText.escaped(title))</title>
        <rect width="\(place(width))" height="\(place(height))" fill="#ffffff"/>
        \(elements)</svg>

        """
    }

    /// Formats a coordinate to a tenth of a pixel.
    private func place(_ value: Double) -> String {
        let number = value.isFinite ? (value * 10).rounded() / 10 : 0
        let text = "\(number)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
