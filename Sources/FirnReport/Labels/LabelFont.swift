import FirnImage

/// The font of labels: Pango's, for any script. In a build without SVG and on a machine without fonts, a built-in font.
///
/// The built-in font is a small proportional bitmap font: ASCII, capitals 7 pixels high, descenders 2 pixels deep.
/// Other characters are drawn as an empty box. Sizes are integer multiples. The double size is smoothed with Scale2x,
/// so that diagonals have no steps.
package struct LabelFont: Sendable {
    /// Pixels of the page per pixel of the drawing at size 1.
    package let scale: Int

    private let painter: LabelPainter?

    /// Creates the font at a size of 1 or 2.
    ///
    /// - Parameter usesPango: whether Pango is used if it is available. Default: yes.
    package init(scale: Int, usesPango: Bool = true) {
        self.scale = min(max(scale, 1), 2)
        painter = usesPango ? LabelPainter(fontSize: 6 + 6 * self.scale, lineHeight: 8 + 8 * self.scale) : nil
    }

    /// The distance between the tops of two lines, with every painter.
    package var lineHeight: Int { 8 + 8 * scale }

    /// Returns the width of a line of text.
    package func width(of text: String) -> Int {
        if let painter { return painter.width(of: text) }
        let widths = text.unicodeScalars.map { LabelGlyphs.glyph($0).width * scale + scale }
        return max(0, widths.reduce(0, +) - scale)
    }

    /// Draws one line with its top left corner at a position.
    package func draw(_ text: String, x: Int, y: Int, _ color: RGBColor, on canvas: borrowing Canvas) {
        if let painter {
            let width = min(painter.width(of: text), canvas.size.width - x)
            if let line = painter.bitmap(of: text, width: width, color) { canvas.blend(line, x: x, y: y) }
            return
        }
        var pen = x
        for scalar in text.unicodeScalars {
            let drawing = LabelGlyphs.glyph(scalar)
            let glyph = scale == 2 ? drawing.doubled : drawing
            for (row, bits) in glyph.rows.enumerated() {
                for column in 0..<glyph.width where bits >> UInt32(truncatingIfNeeded: column) & 1 == 1 {
                    canvas.set(pen + column, y + row, color)
                }
            }
            pen += glyph.width + scale
        }
    }

    /// Returns `text` in at most `limit` lines no wider than `width`, broken at spaces if possible.
    ///
    /// Text that does not fit is omitted, and the last line then ends with an ellipsis.
    package func wrapped(_ text: String, width: Int, limit: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in pieces(of: text, width: width) {
            let longer = line.isEmpty ? word : "\(line) \(word)"
            if self.width(of: longer) <= width {
                line = longer
            } else {
                lines.append(line)
                line = word
            }
        }
        if !line.isEmpty { lines.append(line) }
        guard lines.count > limit, limit > 0 else { return lines }
        var last = lines[limit - 1]
        while !last.isEmpty, self.width(of: last + "...") > width { last.removeLast() }
        return lines.prefix(limit - 1) + [last + "..."]
    }

    /// Returns the words of a text. Words wider than a line are cut.
    private func pieces(of text: String, width: Int) -> [String] {
        text.split(separator: " ").flatMap { word -> [String] in
            var pieces: [String] = []
            var piece = ""
            for character in word {
                if !piece.isEmpty, self.width(of: piece + String(character)) > width {
                    pieces.append(piece)
                    piece = ""
                }
                piece.append(character)
            }
            return pieces + [piece]
        }
    }
}
